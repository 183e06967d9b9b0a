import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findAccount } from '../../../src/db/embedded/embedded-launcher.ts'
import { freePorts } from '../http.ts'
import { until } from '../wait.ts'
import { installedProgram } from './installed-program.ts'

const TIMEOUT_MS = 60_000
/** Where PgBouncer is installed; undefined where it is not. */
export const pgbouncerProgram = installedProgram('pgbouncer')

/** PgBouncer itself, with its defaults, in front of every database of the server. */
export interface Pgbouncer {
  /** The way to the same database through it. */
  through(databaseUrl: string): string
  close(): Promise<void>
}

/** @param databaseUrl of any database of the server */
export async function startPgbouncer(databaseUrl: string, poolMode: 'session' | 'transaction'): Promise<Pgbouncer> {
  const { username, hostname, port, searchParams } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'sonant-pgbouncer-'))
  const [listenPort = 0] = await freePorts(1)
  const [users, config] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')]
  const host = searchParams.get('host') ?? hostname
  writeFileSync(users, `"${username}" ""\n`)
  writeFileSync(
    config,
    `[databases]\n* = host=${host} port=${port || 5432}
[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listenPort}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = ${poolMode}\n`,
  )
  // Like PostgreSQL it refuses to run as root.
  const { uid, gid, foreign } = await findAccount(join(folder, 'none'))
  for (const path of [folder, users, config]) if (foreign) chownSync(path, uid, gid)
  const child = spawn(pgbouncerProgram ?? '', [config], { stdio: 'ignore', ...(foreign && { uid, gid }) })
  const through = (url: string) => `postgresql://${username}@127.0.0.1:${listenPort}${new URL(url).pathname}`
  await until(() => answers(through(databaseUrl)), TIMEOUT_MS, 'PgBouncer to answer')
  return {
    through,
    close: async () => {
      if (child.exitCode === null && child.kill('SIGQUIT')) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
