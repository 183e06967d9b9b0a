import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Step, stepsOf } from './steps.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export interface Migration {
  readonly name: string
  readonly checksum: string
  readonly sql: string
  readonly steps: readonly Step[]
}

export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

export async function readMigration(folder: string, name: string): Promise<Migration> {
  const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8')
  return { name, checksum: createHash('sha256').update(sql).digest('hex'), sql, steps: stepsOf(sql) }
}
