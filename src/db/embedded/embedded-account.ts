import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { cannotUse } from '../../values/data-directory.ts'
import { EmbeddedError } from './embedded-error.ts'

const run = promisify(execFile)
const ACCOUNTS = ['postgres', 'nobody'] as const

/** PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly foreign: boolean
}

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
