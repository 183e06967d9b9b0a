import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode, openDataDirectory, using } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { EmbeddedError, findBinaries } from './embedded-binaries.ts'
import { initialise, isInitialised, openSocketDirectory, postgresDirectory } from './embedded-directory.ts'
import { findAccount, type Launcher, makeLauncher } from './embedded-launcher.ts'
import { type Attempt, type Cluster, lockHolder, PORT, startPostmaster, stopPostmaster } from './embedded-postmaster.ts'

/** One connection for each process; the process that closes the last stops the database. */
const PRESENCE = 'sonant presence'
const LEAVING = 'sonant leaving'
const POLL_MS = 20
const LOG_LOCK = 7_242_006
const LOCKED_DEADLINE_MS = 10_000
const COME_BACK_MS = 1_000
const PASSING: readonly (string | undefined)[] = [
  ...['57P01', '57P02', '57P03', '53300'],
  ...['ECONNRESET', 'EPIPE', 'EAGAIN', undefined],
]
const START_DEADLINE_MS = 120_000
const MAX_LOG_BYTES = 16 * 2 ** 20
const EVERY_MS = 60_000

export interface Embedded {
  /** A Unix socket that only the database's user and root may enter. */
  readonly url: string
  /**
   * Starts the database if it does not answer.
   * @throws EmbeddedError
   */
  ensure(): Promise<void>
  close(): Promise<void>
}

interface EmbeddedOptions {
  readonly fsync?: boolean
}

/**
 * Attaches to the database of a data directory, or starts or creates it. Safe for concurrent processes.
 * @throws EmbeddedError
 */
export async function openEmbedded(dataDir: string, log: Log, options: EmbeddedOptions = {}): Promise<Embedded> {
  const cluster = await prepareCluster(dataDir, options.fsync ?? true)
  const url = urlOf(cluster)
  let presence: Client | undefined
  let underway: Promise<void> | undefined
  let closed = false

  const adopt = (client: Client) => {
    presence = client
    asHandle(client).unref()
    client.once('end', () => {
      if (presence === client) presence = undefined
      if (closed) return
      log.warn('the embedded database went away')
      void comeBack(ensure, () => closed, log)
    })
  }
  const ensure = (): Promise<void> => {
    underway ??= connect(cluster, url)
      .then(async (client) => {
        if (presence !== undefined) await client.end()
        else if (closed) await detach(client, cluster)
        else adopt(client)
      })
      .finally(() => (underway = undefined))
    return underway
  }
  const close = async () => {
    if (closed) return
    closed = true
    unbound()
    await underway?.catch(() => undefined)
    if (presence !== undefined) await detach(presence, cluster)
  }

  await ensure()
  const unbound = boundLog(cluster.logFile, async (work) => presence && alone(presence, work))
  return { url, ensure, close }
}

/** The URL overrides PGPORT, PGSSLMODE and PGOPTIONS, which are for another server. */
const urlOf = ({ sockets }: Cluster): string =>
  `postgresql://sonant@localhost/postgres?host=${encodeURIComponent(sockets)}&port=${PORT}&sslmode=disable&options=-c%20TimeZone%3DUTC`

async function comeBack(ensure: () => Promise<void>, isClosed: () => boolean, log: Log): Promise<void> {
  while (!isClosed()) {
    const failure = await ensure().then(
      () => null,
      (error: Error) => error.message,
    )
    if (failure === null) return
    log.error({ err: failure }, 'the embedded database does not come back')
    await wait(COME_BACK_MS, undefined, { ref: false })
  }
}

async function alone(client: Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOG_LOCK])
  if (rows[0]?.locked !== true) return
  await work().finally(() => client.query('select pg_advisory_unlock($1)', [LOG_LOCK]))
}

async function prepareCluster(dataDir: string, fsync: boolean): Promise<Cluster> {
  const binaries = await findBinaries()
  const root = openDataDirectory(dataDir, 0o700)
  const initialised = await isInitialised(root)
  const data = postgresDirectory(root)
  const account = await findAccount(data)
  let launcher: Launcher | undefined
  const launch = async () => (launcher ??= await using(root, () => makeLauncher(account, binaries.postgres, root)))
  const sockets = await openSocketDirectory(root, account)
  if (!initialised) await initialise(root, account, binaries, await launch(), fsync)
  return { postgres: binaries.postgres, data, sockets, logFile: join(root, 'postgres.log'), launch, fsync }
}

async function connect(cluster: Cluster, url: string): Promise<Client> {
  const since = performance.now()
  let attempt: Attempt | undefined
  for (;;) {
    const answer = await probe(url)
    if (answer instanceof Client) return answer
    const waited = performance.now() - since
    if (attempt?.ended instanceof EmbeddedError) throw attempt.ended
    if (answer === 'none' && attempt?.ended === 'try again' && waited > LOCKED_DEADLINE_MS) throw await locked(cluster)
    if (waited > START_DEADLINE_MS) throw new EmbeddedError(`The database in ${cluster.data} does not answer.`)
    if (answer === 'none' && (attempt === undefined || attempt.ended !== undefined)) {
      attempt = await using(cluster.logFile, () => startPostmaster(cluster))
    }
    await wait(POLL_MS)
  }
}

async function probe(url: string): Promise<Client | 'none' | 'busy'> {
  const client = new Client({ connectionString: url, application_name: PRESENCE })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'none'
    if (PASSING.includes(code)) return 'busy'
    throw error
  }
}

async function locked(cluster: Cluster): Promise<EmbeddedError> {
  const pid = await lockHolder(cluster.data)
  return new EmbeddedError(
    `The database in ${cluster.data} is locked by process ${pid ?? 'unknown'}, which does not answer: end it if it is PostgreSQL, else remove ${join(cluster.data, 'postmaster.pid')}.`,
  )
}

async function detach(presence: Client, cluster: Cluster): Promise<void> {
  asHandle(presence).ref()
  // Each process marks itself as leaving before it counts the others. If two leave at once, at least one finds no other.
  await presence.query(`set application_name = '${LEAVING}'`).catch(() => undefined)
  const others = await presence
    .query<{ count: string }>('select count(*) from pg_stat_activity where application_name = $1', [PRESENCE])
    .catch(() => undefined)
  const last = others?.rows[0]?.count === '0'
  await presence.end().catch(() => undefined)
  if (last) await stopPostmaster(cluster.data)
}

const asHandle = (client: Client) => client as Client & { ref(): void; unref(): void }

/**
 * Copies an oversized server log to `FILE.1` and truncates it, until the returned function is called. A line written in between is
 * lost.
 * @param alone runs its argument unless another process already does
 */
function boundLog(file: string, alone: (work: () => Promise<void>) => Promise<void>): () => void {
  const isTooLong = async () => (await stat(file)).size > MAX_LOG_BYTES
  const cut = async (): Promise<void> => {
    if (!(await isTooLong())) return
    await copyFile(file, `${file}.1`)
    await truncate(file)
  }
  const poll = async (): Promise<void> => {
    if (await isTooLong()) await alone(cut)
  }
  const pollQuietly = () => void poll().catch(() => undefined)
  pollQuietly()
  const timer = setInterval(pollQuietly, EVERY_MS).unref()
  return () => clearInterval(timer)
}
