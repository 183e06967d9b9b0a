import { execFile } from 'node:child_process'
import { chmod, chown, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { cannotUse } from '../../values/data-directory.ts'
import { EmbeddedError } from './embedded-binaries.ts'

const run = promisify(execFile)
const ACCOUNTS = ['postgres', 'nobody'] as const

interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly options: {
    readonly uid?: number
    readonly gid?: number
    readonly cwd: string
    readonly env: NodeJS.ProcessEnv
  }
}
export type Launcher = (program: string, args: readonly string[]) => Launch

/** PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly foreign: boolean
}

/**
 * Returns how to run PostgreSQL's programs as the account. Root grants a capability if a directory is closed to it. On Linux
 * programs end with their parent.
 * @throws EmbeddedError if the account cannot reach them
 */
export async function makeLauncher(account: Account, program: string, root: string): Promise<Launcher> {
  const setpriv = await succeeds('setpriv', ['--pdeathsig=INT', 'true'])
  if (!account.foreign) return launcher(setpriv ? ['setpriv', '--pdeathsig=INT'] : [])
  await openToAccount(root, account)
  const closed = (await closedAncestor(root, account)) ?? (await closedAncestor(program, account))
  const executable = permits(await stat(program), account, 0o5)
  if (closed === undefined && executable && !setpriv) return launcher([], account)
  const identity = ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--pdeathsig=INT']
  if (closed === undefined && executable) return launcher(identity)
  // The smaller capability does not cover files without execute permission for others.
  for (const capability of executable ? ['dac_read_search', 'dac_override'] : ['dac_override']) {
    const prefix = [...identity, ...grant(capability)]
    if (await succeeds(prefix[0]!, [...prefix.slice(1), program, '--version'])) return launcher(prefix)
  }
  throw notReachable(closed ?? program, account)
}

// PostgreSQL calls access(2), which ignores capabilities unless no_setuid_fixup is on.
const grant = (capability: string) => [
  '--securebits=+no_setuid_fixup',
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`,
]

// PostgreSQL must not see this process's environment, which holds secrets.
function launcher(prefix: readonly string[], identity?: Account): Launcher {
  const ids = identity === undefined ? {} : { uid: identity.uid, gid: identity.gid }
  const options = { ...ids, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  return (program, args) => {
    const [command = program, ...rest] = [...prefix, program, ...args]
    return { command, args: rest, options }
  }
}

async function openToAccount(directory: string, account: Account): Promise<void> {
  const found = await stat(directory)
  if (found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) return
  await chown(directory, found.uid, account.gid)
  await chmod(directory, (found.mode & 0o7777) | 0o010)
}

async function closedAncestor(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path)
  const above = parent === path ? undefined : await closedAncestor(parent, account)
  if (above !== undefined) return above
  const found = await stat(path)
  return found.isDirectory() && !permits(found, account, 0o1) ? path : undefined
}

function permits(file: { uid: number; gid: number; mode: number }, account: Account, wanted: number): boolean {
  const shift = file.uid === account.uid ? 6 : file.gid === account.gid ? 3 : 0
  return ((file.mode >> shift) & wanted) === wanted
}

const notReachable = (path: string, account: Account) =>
  new EmbeddedError(
    `PostgreSQL runs as user ${account.uid}, which may not pass ${path}: open it with chmod o+x, move it, run this as another user, or set DATABASE_URL.`,
  )

const succeeds = (command: string, args: readonly string[]): Promise<boolean> =>
  run(command, args, { cwd: '/' }).then(
    () => true,
    () => false,
  )

export async function findAccount(dataDirectory: string): Promise<Account> {
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  const owner = await stat(dataDirectory).catch(() => undefined)
  if (uid !== 0) {
    if (owner === undefined || owner.uid === uid) return { uid, gid, foreign: false }
    throw cannotUse(dataDirectory, `it belongs to user ${owner.uid}, and this process runs as user ${uid}`)
  }
  if (owner === undefined || !owner.isDirectory()) return firstAccount()
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, foreign: true }
  throw cannotUse(
    dataDirectory,
    'it belongs to root, and PostgreSQL refuses to run as root; give it away with chown -R',
  )
}

async function firstAccount(): Promise<Account> {
  for (const name of ACCOUNTS) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined)
    if (ids !== undefined) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout), foreign: true }
  }
  throw new EmbeddedError(
    'PostgreSQL refuses to run as root and there is no user postgres or nobody: run this as another user or set DATABASE_URL.',
  )
}
