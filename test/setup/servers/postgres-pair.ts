import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findBinaries } from '../../../src/db/embedded/embedded-binaries.ts'
import { findAccount, makeLauncher } from '../../../src/db/embedded/embedded-launcher.ts'
import { freePorts } from '../http.ts'
import { until } from '../wait.ts'
import { listening } from './listening.ts'

const TIMEOUT_MS = 60_000
const NOT_COPIED: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts'])
const urlOf = (port: number) => `postgresql://postgres@127.0.0.1:${port}/postgres`

/** A primary and its synchronous standby, of the programs in FAILOVER_POSTGRES or else of the embedded PostgreSQL's own. */
export interface PostgresPair {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** A proxy that leads to the primary, and to the standby while nothing listens there. */
  readonly url: string
  /** The standby takes nothing from the primary, as on a machine that stands still, until the function that is returned is called. */
  freeze(): Promise<() => void>
  /** Commits no longer wait for the standby. */
  loosen(): Promise<void>
  /** kill -9 of the standby. */
  killStandby(): Promise<void>
  /** kill -9 of the primary. */
  kill(): Promise<void>
  /** Resolves once the standby takes writes. */
  promote(): Promise<void>
  close(): Promise<void>
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const root = await mkdtemp(join(tmpdir(), 'sonant-pair-'))
  const [primaryDir, standbyDir] = [join(root, 'primary'), join(root, 'standby')]
  const { postgres, initdb } = await findPrograms()
  const account = await findAccount(primaryDir)
  const launch = await makeLauncher(account, postgres, root)
  if (account.foreign) await chown(root, account.uid, account.gid)
  const { command, args, options } = launch(initdb, [
    '-D',
    primaryDir,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '-N',
  ])
  await promisify(execFile)(command, [...args], options)
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2)
  const start = (dir: string, port: number): ChildProcess => {
    const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_keep_size=256MB']
    const program = launch(postgres, ['-D', dir, '-p', String(port), ...settings.flatMap((one) => ['-c', one])])
    return spawn(program.command, [...program.args], { ...program.options, stdio: 'ignore' })
  }
  const primary = start(primaryDir, primaryPort)
  await copyTo(standbyDir, primaryDir, primaryPort, account)
  const standby = start(standbyDir, standbyPort)
  await follow(primaryPort)
  const proxy = await startProxy(primaryPort, standbyPort)
  const end = async (server: ChildProcess, signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  return {
    primaryUrl: urlOf(primaryPort),
    standbyUrl: urlOf(standbyPort),
    url: urlOf(proxy.port),
    freeze: async () => {
      const [receiver] = await ask<{ pid: number }>(standbyPort, 'select pid from pg_stat_wal_receiver')
      process.kill(receiver!.pid, 'SIGSTOP')
      return () => void process.kill(receiver!.pid, 'SIGCONT')
    },
    loosen: async () => {
      await ask(primaryPort, 'alter system reset synchronous_standby_names')
      await ask(primaryPort, 'select pg_reload_conf()')
    },
    killStandby: () => end(standby, 'SIGKILL'),
    kill: () => end(primary, 'SIGKILL'),
    promote: async () => void (await ask(standbyPort, 'select pg_promote(true)')),
    close: async () => {
      await proxy.close()
      await Promise.all([end(primary, 'SIGKILL'), end(standby, 'SIGQUIT')])
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function findPrograms(): Promise<{ postgres: string; initdb: string }> {
  const folder = process.env.FAILOVER_POSTGRES
  return folder ? { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') } : findBinaries()
}

async function ask<Row extends object>(port: number, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: urlOf(port) })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** A base backup by hand: the embedded PostgreSQL comes without pg_basebackup. */
async function copyTo(to: string, from: string, port: number, account: { uid: number; gid: number }): Promise<void> {
  const answers = () =>
    ask(port, 'select 1').then(
      () => true,
      () => false,
    )
  await until(answers, TIMEOUT_MS, 'the primary to start')
  const client = new Client({ connectionString: urlOf(port) })
  await client.connect()
  await client.query(`select pg_backup_start('standby', true)`)
  await cp(from, to, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) })
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  await writeFile(join(to, 'backup_label'), rows[0]!.labelfile)
  await writeFile(join(to, 'standby.signal'), '')
  await appendFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`)
  await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, to])
  await promisify(execFile)('chmod', ['0700', to])
}

/** From now on no commit is acknowledged that the standby does not have. */
async function follow(port: number): Promise<void> {
  const streams = async () =>
    (await ask(port, `select from pg_stat_replication where state = 'streaming'`)).length === 1
  await until(streams, TIMEOUT_MS, 'the standby to follow')
  await ask(port, `alter system set synchronous_standby_names = '*'`)
  await ask(port, 'select pg_reload_conf()')
}

function startProxy(primaryPort: number, standbyPort: number) {
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    const connect = (port: number, onRefused: () => void) => {
      const upstream = createConnection(port, '127.0.0.1')
      upstream.once('error', onRefused)
      upstream.once('connect', () => {
        upstream.off('error', onRefused).on('error', () => undefined)
        upstream.once('close', () => client.destroy())
        client.once('close', () => upstream.destroy())
        client.pipe(upstream).pipe(client)
      })
    }
    connect(primaryPort, () => connect(standbyPort, () => client.destroy()))
  })
  return listening(server, 0)
}
