import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ARCHIVES = fileURLToPath(new URL('released/', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** A release as its package has it. */
interface Release {
  readonly version: string
  /** The program, for Node.js. */
  readonly main: string
}

/**
 * Unpacks the program of the last release, which runs on today's packages: a clone need not have its commit, and nothing is downloaded. Of
 * 0.1.0, `@fastify/swagger`, its page, and `rate-limiter-flexible` are stand-ins that do nothing: today's program needs none of them.
 * @param folder an empty one
 */
export async function unpackRelease(folder: string): Promise<Release> {
  const [archive = ''] = (await readdir(ARCHIVES)).filter((name) => name.endsWith('.tgz'))
  const home = join(folder, 'release')
  await mkdir(home)
  await promisify(execFile)('tar', ['xzf', join(ARCHIVES, archive), '-C', home, '--strip-components=1'])
  await symlink(PACKAGES, join(folder, 'node_modules'))
  const { version, bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string
    bin: { sonant: string }
  }
  return { version, main: join(home, bin.sonant) }
}
