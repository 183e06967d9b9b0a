import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorCode } from '../../values/data-directory.ts'
import { EmbeddedError } from './embedded-error.ts'

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Creates the library links of PostgreSQL's package, because npm may skip its install script. Safe for concurrent processes.
 * @throws EmbeddedError if the folder is not writable
 */
export async function linkLibraries(folder: string): Promise<void> {
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
