import type { Parts } from '../context/context.ts'

/**
 * Looks in the catalog and, if nothing is found, in a reloaded one: another process may just have applied it.
 * @throws the database's error
 */
export async function pollCatalog<T>(
  { catalog }: Pick<Parts, 'catalog'>,
  find: () => T | undefined,
): Promise<T | undefined> {
  const found = find()
  if (found !== undefined) return found
  await catalog.reload()
  return find()
}
