import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { KEPT_RELEASES } from '../../../packaging/keep-release.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const ARCHIVES = join(ROOT, KEPT_RELEASES)
const PACKAGES = join(ROOT, 'node_modules')

/** A release as its package has it. */
interface Release {
  readonly version: string
  /** The program, for Node.js. */
  readonly main: string
}

/**
 * Unpacks the program of the last release, which runs on today's packages: a clone need not have its commit, and nothing is downloaded. Of
 * 0.1.0, `@fastify/swagger`, its page, and `rate-limiter-flexible` are stand-ins that do nothing: today's program needs none of them.
 * @param folder an empty one; @param archive of another release
 */
export async function unpackRelease(folder: string, archive?: string): Promise<Release> {
  const home = join(folder, 'release')
  await mkdir(home)
  await promisify(execFile)('tar', ['xzf', archive ?? (await lastArchive()), '-C', home, '--strip-components=1'])
  await symlink(PACKAGES, join(folder, 'node_modules'))
  const { version, bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    version: string
    bin: { sonant: string }
  }
  return { version, main: join(home, bin.sonant) }
}

async function lastArchive(): Promise<string> {
  const [archive, ...others] = (await readdir(ARCHIVES)).filter((name) => name.endsWith('.tgz'))
  if (archive === undefined || others.length > 0) throw new Error(`there is not one release in ${ARCHIVES}`)
  return join(ARCHIVES, archive)
}
