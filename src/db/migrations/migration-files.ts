import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode } from '../../values/data-directory.ts'
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

/**
 * Reads a migration; on a database in use it prefers `online.sql`, which reaches the same schema in steps. The checksum is the
 * released file's.
 */
export async function readMigration(folder: string, name: string, isInUse: boolean): Promise<Migration> {
  const released = await readFile(join(folder, name, 'migration.sql'), 'utf8')
  const online = isInUse ? await readIfThere(join(folder, name, 'online.sql')) : null
  const sql = online ?? released
  return { name, checksum: checksumOf(released), sql, steps: stepsOf(sql) }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

const checksumOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')
