import type { Parts } from '../context/context.ts'

/**
 * Finds something in the catalog, and once more in a fresh one where it is missing: another process may have applied it a second
 * ago. undefined: it is not there.
 * @throws what keeps the catalog from being read: then it is unknown whether it is there
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
