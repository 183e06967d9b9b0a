import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorCode } from '../../values/data-directory.ts'
import { EmbeddedError } from './embedded-error.ts'

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Makes the links between libraries that PostgreSQL's package lists, as a package cannot hold any: its own installation script does so,
 * where npm lets it. Any number of processes may do this at once.
 * @param folder of the package
 * @throws EmbeddedError where this user may not write there
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
