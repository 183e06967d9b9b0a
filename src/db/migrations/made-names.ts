import { MIGRATIONS, migrationNames, readMigration } from './migration-files.ts'

const MADE = /^create (?:unlogged )?(?:table|sequence) (?:if not exists )?"?(\w+)"?/gim

/**
 * The tables and sequences that these migrations make, by their files; a sequence of a column counts with its table. What else is in the
 * schema is an operator's, or an extension's. Null where a migration is a newer program's, whose file is not here.
 */
export async function namesMadeBy(migrations: readonly string[]): Promise<ReadonlySet<string> | null> {
  const known = await migrationNames(MIGRATIONS)
  if (migrations.some((name) => !known.includes(name))) return null
  const files = await Promise.all(migrations.map((name) => readMigration(MIGRATIONS, name, false)))
  return new Set(files.flatMap(({ sql }) => [...sql.matchAll(MADE)].map(([, name = '']) => name)))
}
