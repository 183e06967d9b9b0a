import { MIGRATIONS, migrationNames, readMigration } from './migration-files.ts'

const MADE = /^create (?:unlogged )?(?:table|sequence) (?:if not exists )?"?(\w+)\b(?!"? partition of )/gim

/** Tables and sequences that the migrations create. Null if a migration belongs to a newer program. */
export async function namesMadeBy(migrations: readonly string[]): Promise<ReadonlySet<string> | null> {
  const known = await migrationNames(MIGRATIONS)
  if (migrations.some((name) => !known.includes(name))) return null
  const files = await Promise.all(migrations.map((name) => readMigration(MIGRATIONS, name)))
  return new Set(files.flatMap(({ sql }) => [...sql.matchAll(MADE)].map(([, name = '']) => name)))
}
