import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { errorCode, openDataDirectory, using } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { boundLog } from './bounded-log.ts'
import { findAccount } from './embedded-account.ts'
import { findBinaries } from './embedded-binaries.ts'
import { initialise, isInitialised, openSocketDirectory, postgresDirectory } from './embedded-directory.ts'
import { EmbeddedError } from './embedded-error.ts'
import { type Launcher, makeLauncher } from './embedded-launcher.ts'
import { type Attempt, type Cluster, lockHolder, PORT, startPostmaster, stopPostmaster } from './embedded-postmaster.ts'

/** One connection of this name per process that uses the database: the process that closes the last one stops the database. */
const PRESENCE = 'sonant presence'
const LEAVING = 'sonant leaving'
const POLL_MS = 20
/** Held by the process that cuts the server's log. */
const LOG_LOCK = 7_242_006
/** How long a lock whose owner does not answer is tried again: a killed postmaster's children take some time to notice. */
const LOCKED_DEADLINE_MS = 10_000
/** Of a database that went away and did not start: what is in its way may pass. */
const COME_BACK_MS = 1_000
/** Of a database that starts or stops: refused, no connection free at present, or gone while it answered. */
const PASSING: readonly (string | undefined)[] = [
  ...['57P01', '57P02', '57P03', '53300'],
  ...['ECONNRESET', 'EPIPE', 'EAGAIN', undefined],
]
/** Recovery after a crash replays the log; a database that says it is starting up gets this long. */
const START_DEADLINE_MS = 120_000

/** PostgreSQL under the data directory, shared by every process that opens the same directory. */
export interface Embedded {
  /** For pg and Prisma: a Unix socket that only the database's user and root may enter. */
  readonly url: string
  /** Makes sure that it answers, starting it if not. Cheap, and safe to call often and at once. Throws EmbeddedError. */
  ensure(): Promise<void>
  /** Closes this process's connection. The last process to do so stops the database, whichever process started it. */
  close(): Promise<void>
}

/** Durability off makes a throw-away database faster: for tests alone. */
interface EmbeddedOptions {
  readonly fsync?: boolean
}

/**
 * Opens the PostgreSQL of a data directory: attaches where one runs, else starts one, making the
 * database on first use. Any number of processes may do so at once. Throws EmbeddedError, one sentence for the operator.
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
        // It may be this process that has just started the database, for no other one.
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

/** With all that the driver would take from PGPORT, PGSSLMODE and PGOPTIONS, which are about another server. */
const urlOf = ({ sockets }: Cluster): string =>
  `postgresql://sonant@localhost/postgres?host=${encodeURIComponent(sockets)}&port=${PORT}&sslmode=disable&options=-c%20TimeZone%3DUTC`

/** Tries until it is there, or this process has closed it. */
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

/** One of all processes over the database at a time; the others leave it. */
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
  // Not before a program is to run: it tries out others, which takes longer than to attach to a database that runs.
  let launcher: Launcher | undefined
  const launch = async () => (launcher ??= await using(root, () => makeLauncher(account, binaries.postgres, root)))
  const sockets = await openSocketDirectory(root, account)
  if (!initialised) await initialise(root, account, binaries, await launch(), fsync)
  return { postgres: binaries.postgres, data, sockets, logFile: join(root, 'postgres.log'), launch, fsync }
}

/** A connection to the database, which is started when none answers. */
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
  // A lost connection emits `end`; without a listener `error` would end the process.
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
  // Before it counts the others, it is not one of them any more: of two that leave at once, at least one finds no other.
  await presence.query(`set application_name = '${LEAVING}'`).catch(() => undefined)
  const others = await presence
    .query<{ count: string }>('select count(*) from pg_stat_activity where application_name = $1', [PRESENCE])
    .catch(() => undefined)
  const last = others?.rows[0]?.count === '0'
  await presence.end().catch(() => undefined)
  if (last) await stopPostmaster(cluster.data)
}

// pg has both; its types forget them. A presence alone keeps no process alive.
const asHandle = (client: Client) => client as Client & { ref(): void; unref(): void }
