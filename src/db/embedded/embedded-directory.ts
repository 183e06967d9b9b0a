import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cannotUse, errorCode, using } from '../../values/data-directory.ts'
import { type Binaries, EmbeddedError, POSTGRES_MAJOR } from './embedded-binaries.ts'
import type { Account, Launcher } from './embedded-launcher.ts'

const LONGEST_SOCKET_PATH_BYTES = 100
const SOCKET_NAME = '.s.PGSQL.5432'
const INIT_PREFIX = 'postgres.init-'
const STALE_INIT_MS = 3_600_000
const TIDYING = /removing (?:contents of )?data directory/
const FAILURE = /^.*\b(?:FATAL|PANIC|ERROR|error): +/

export const postgresDirectory = (root: string) => join(root, 'postgres')

/** @throws EmbeddedError if the files belong to something else */
export const isInitialised = (root: string): Promise<boolean> =>
  using(root, async () => {
    const directory = postgresDirectory(root)
    const found = await stat(directory).catch(ignore('ENOENT'))
    if (found === undefined) return false
    if (!found.isDirectory()) throw cannotUse(directory, 'it is a file and not a directory')
    const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(ignore('ENOENT'))
    if (version?.trim() === POSTGRES_MAJOR) return true
    if (version !== undefined) {
      throw cannotUse(directory, `it belongs to PostgreSQL ${version.trim()}, and this is PostgreSQL ${POSTGRES_MAJOR}`)
    }
    if ((await readdir(directory)).length === 0) return false
    throw cannotUse(directory, 'it holds files that are not a PostgreSQL database')
  })

/** Initializes aside and renames, so that a crash leaves no partial database and one process wins. */
export const initialise = (root: string, account: Account, binaries: Binaries, launch: Launcher, sync: boolean) =>
  using(root, async () => {
    await removeStaleInits(root)
    const aside = join(root, `${INIT_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`)
    try {
      await makeDirectory(aside, account)
      await runInitdb(aside, binaries, launch, sync)
      await rename(aside, postgresDirectory(root))
      await flush(root)
    } catch (error) {
      await rm(aside, { recursive: true, force: true })
      if (!(await isInitialised(root))) throw error
    }
  })

/** Returns the socket's directory, under /tmp if the path is too long; only the account may enter. */
export async function openSocketDirectory(root: string, account: Account): Promise<string> {
  const near = join(root, 'run')
  const fits = Buffer.byteLength(join(near, SOCKET_NAME)) < LONGEST_SOCKET_PATH_BYTES
  const directory = fits ? near : join('/tmp', `sonant-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`)
  return using(directory, async () => {
    await makeDirectory(directory, account).catch(ignore('EEXIST'))
    // Any user may have created the directory in /tmp.
    const found = await lstat(directory)
    const trusted = found.uid === account.uid || (account.foreign && (fits || found.uid === 0))
    if (!found.isDirectory() || !trusted)
      throw cannotUse(directory, 'it is not a directory of the user that PostgreSQL runs as')
    if (found.uid !== account.uid) await chown(directory, account.uid, account.gid)
    if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700)
    return directory
  })
}

async function makeDirectory(directory: string, account: Account): Promise<void> {
  await mkdir(directory, { mode: 0o700 })
  if (account.foreign) await chown(directory, account.uid, account.gid)
}

async function runInitdb(directory: string, binaries: Binaries, launch: Launcher, sync: boolean): Promise<void> {
  const options = ['--encoding=UTF8', '--locale=C', '--auth=trust', '--username=sonant', '--no-instructions']
  const run = launch(binaries.initdb, ['-D', directory, ...options, ...(sync ? [] : ['--no-sync'])])
  const child = spawn(run.command, run.args, { ...run.options, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4096)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const reason = reasonIn(said) || `initdb ended with ${code}`
  throw new EmbeddedError(`The database under ${dirname(directory)} could not be made: ${reason}.`)
}

function reasonIn(said: string): string | undefined {
  const lines = said.trim().split('\n')
  const words = lines.filter((one) => !TIDYING.test(one))
  const line = words.findLast((one) => FAILURE.test(one)) ?? words.at(-1)
  return line?.replace(FAILURE, '').replace(/\.$/, '')
}

// A crash must not lose the renamed directory.
async function flush(directory: string): Promise<void> {
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}

async function removeStaleInits(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(INIT_PREFIX)) continue
    const path = join(root, name)
    const found = await stat(path).catch(ignore('ENOENT'))
    const pid = Number(basename(name).slice(INIT_PREFIX.length).split('-')[0])
    if (found === undefined || (isAlive(pid) && Date.now() - found.mtimeMs < STALE_INIT_MS)) continue
    await rm(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

const ignore = (code: string) => (error: unknown) => {
  if (errorCode(error) !== code) throw error
  return undefined
}
