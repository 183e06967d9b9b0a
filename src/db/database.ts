import { PrismaPg } from '@prisma/adapter-pg'
import { type Pool, type PoolClient, types } from 'pg'
import { type Prisma, PrismaClient } from '../../prisma/generated/prisma/client.ts'
import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { ServiceError, unavailable } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'
import { BoundPrismas } from './bound-prisma.ts'
import { HungConnections, LossLog } from './connections/hung-connections.ts'
import { outwaitLocks } from './connections/lock-wait.ts'
import { Servers } from './connections/servers.ts'
import { onceLost } from './connections/service-client.ts'
import { ServicePool, type ServicePoolOptions } from './connections/service-pool.ts'
import type { SessionClient } from './connections/session-client.ts'
import { Standby } from './connections/standby.ts'

/** PostgreSQL ends a transaction that is idle for 15 s, so an unreachable process cannot keep its locks. */
const END_FORGOTTEN_TRANSACTIONS = `set idle_in_transaction_session_timeout = '15s'`
const END_FORGOTTEN_TRANSACTION = `set local idle_in_transaction_session_timeout = '15s'`
const READ_ALONE = 'set max_parallel_workers_per_gather = 0'
const CONNECT_TIMEOUT_MS = 10_000
const READ_CONNECT_TIMEOUT_MS = 5_000
const STANDBY_CONNECT_TIMEOUT_MS = 2_000
/** Longer than the pool's limit, whose error says that the database is down, and than lock waits. */
const TRANSACTION_LIMITS = { maxWait: 15_000, timeout: 30_000 }
const DEFAULT_POOL_SIZE = 20
const LEAST_READERS = 2
const READ_SHARE = 1 / 4
const LOCK_WAIT_SHARE = 1 / 5
const MAX_READS_PER_OWNER = 2
const LONGEST_READ_WAIT_MS = 2_000
const LONGEST_READ_WAIT = { ms: LONGEST_READ_WAIT_MS, error: () => tooManyReads() }
const LONGEST_WORK_WAIT = {
  ms: CONNECT_TIMEOUT_MS,
  error: () => unavailable('other reads of the same owner take its share of the connections'),
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const ZERO = 48
const FRACTION_AT = 20
const parseAny = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date

let known = { day: '', midnight: 0 }
const POLL_EVERY_MS = 100

/**
 * A process's access to PostgreSQL: Prisma for ordinary reads and writes, SQL for exact or hot statements. Long reads have their own
 * pool.
 */
export interface Database {
  readonly url: string
  /** For connections that keep session state: locks, channels, settings. */
  readonly direct: Servers
  /** Same servers, for long statements; hung connections are ended. */
  readonly watched: Pick<HungConnections, 'connect'>
  readonly pool: Pool
  /** Leads to the standby while that has everything. */
  readonly readPool: Pool
  readonly standby?: Standby | undefined
  readonly prisma: PrismaClient
  readonly workShares: FairSemaphore
  readonly readShares: Pick<FairSemaphore, 'acquire'>
  readonly scanShares: Pick<FairSemaphore, 'acquire'>
  readonly lockWaits: FairSemaphore
  readonly checkouts: Checkouts
  readonly losses: LossLog
  readonly boundPrismas: BoundPrismas
  /** Closes a window before the snapshot is taken that several reads share; absent: they share none. */
  readonly closeFirst?: (window: string, close: (pool: Pool) => Promise<void>) => Promise<void>
  close(): Promise<void>
}

export interface Route {
  readonly servers: Servers
  readonly direct: Servers
  /** A standby that serves long reads; absent: the primary does. */
  readonly readers?: () => Promise<Servers>
  /** False behind a transaction pooler. */
  readonly keepsSettings: boolean
  readonly areNamed: boolean
}

export type Tx = PoolClient

/** Uses a connection of the same pool; cannot join a transaction of `inTransaction`. */
export type PrismaTx = Prisma.TransactionClient

export interface Checkout {
  readonly client: PoolClient
  isOver(): boolean
  /** Settles once no cancel request can hit the connection's next user; null: none was sent. */
  cancelled: Promise<unknown> | null
}

interface Checkouts {
  add(checkout: Checkout): void
  delete(checkout: Checkout): void
}

/** Opens two pools of at most `poolSize` connections together, a quarter of them for long reads. Connects on first use. */
export function openDatabase(target: Route | string, log: Log, poolSize = DEFAULT_POOL_SIZE): Database {
  const route = typeof target === 'string' ? straightTo(target) : target
  const readers = Math.max(LEAST_READERS, Math.floor(poolSize * READ_SHARE))
  const workers = poolSize - readers
  const losses = new LossLog(log)
  const hung = new HungConnections(route.direct, losses)
  const open = { losses, hung }
  const pool = openPool(route, workers, CONNECT_TIMEOUT_MS, END_FORGOTTEN_TRANSACTIONS, open)
  const standby = openStandby(route, { log, readers, ...open })
  const elsewhere = standby?.client
  const readPool = openPool(straight(route.direct), readers, READ_CONNECT_TIMEOUT_MS, READ_ALONE, {
    ...open,
    elsewhere,
  })
  const boundPrismas = new BoundPrismas(readPool)
  let prisma: PrismaClient | undefined
  return {
    ...{ direct: route.direct, watched: hung, pool, readPool, standby, losses, boundPrismas },
    get prisma() {
      prisma ??= new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION_LIMITS })
      return prisma
    },
    get url() {
      return route.direct.preferred
    },
    workShares: new FairSemaphore({ perKey: Math.max(1, Math.floor(workers / 2)) }, LONGEST_WORK_WAIT),
    readShares: new FairSemaphore({ perKey: Math.min(MAX_READS_PER_OWNER, readers - 1) }, LONGEST_READ_WAIT),
    scanShares: new FairSemaphore({ perKey: 1 }, LONGEST_READ_WAIT),
    lockWaits: new FairSemaphore({ total: Math.max(1, Math.floor(workers * LOCK_WAIT_SHARE)) }),
    checkouts: openCheckouts((client) => (client as unknown as SessionClient).cancelStatement()),
    close: async () => {
      hung.close()
      await Promise.all([prisma?.$disconnect(), boundPrismas.close()])
      await standby?.close()
      await Promise.all([pool.end(), readPool.end()])
      losses.flush()
    },
  }
}

const straight = (servers: Servers): Route => ({ servers, direct: servers, keepsSettings: true, areNamed: true })
const straightTo = (url: string): Route => straight(new Servers([url]))

interface Watchers extends Pick<ServicePoolOptions, 'elsewhere'> {
  readonly losses: LossLog
  readonly hung: HungConnections
}

interface StandbyParts extends Watchers {
  readonly log: Log
  readonly readers: number
}

function openStandby(
  { direct, readers: find }: Route,
  { log, readers, losses, hung: primarys }: StandbyParts,
): Standby | undefined {
  if (find === undefined) return undefined
  // Callers that wait for a long read may hold all connections of the other pools.
  const primary = openPool(straight(direct), 1, STANDBY_CONNECT_TIMEOUT_MS, READ_ALONE, { losses, hung: primarys })
  const open = async () => {
    const servers = await find()
    const hung = new HungConnections(servers, losses)
    const pool = openPool(straight(servers), readers, STANDBY_CONNECT_TIMEOUT_MS, READ_ALONE, { losses, hung })
    return { hung, pool }
  }
  return new Standby({ log, primary, open })
}

function openPool(
  route: Route,
  max: number,
  connectTimeoutMs: number,
  settings: string,
  watchers: Watchers,
): ServicePool {
  const { losses, hung, elsewhere } = watchers
  const pool = new ServicePool(route.servers, {
    application_name: 'sonant',
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    types: timestampTypes,
    statements: { areNamed: route.areNamed, afterBegin: route.keepsSettings ? null : END_FORGOTTEN_TRANSACTION },
    settings: route.keepsSettings ? settings : null,
    hung,
    elsewhere,
  })
  // Without a listener a lost connection would end the process.
  pool.on('error', () => undefined)
  // The pool's own event omits connections lost in use.
  pool.on('connect', (client) => onceLost(client, (error) => losses.add(error.message, client)))
  return pool
}

const tooManyReads = () =>
  new ServiceError('RATE_LIMITED', 'Wait for your other statistics and counted lists to finish first.', {
    retryAfterSeconds: LONGEST_READ_WAIT_MS / 1000,
  })

/**
 * Commits if `work` resolves, else rolls back. `work` calls nothing remote.
 * @param longestLockWait absent: as long as its statements may take
 */
export const inTransaction = <T>(db: Database, work: (tx: Tx) => Promise<T>, longestLockWait?: string): Promise<T> =>
  transact(db, longestLockWait === undefined ? 'begin' : `begin; set local lock_timeout = '${longestLockWait}'`, work)

/** Repeats `work` in a new transaction until no lock delays it; see `outwaitLocks`. */
export const inRetriedTransaction = <T>(db: Database, owner: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  outwaitLocks(db, owner, (longest) => inTransaction(db, work, longest))

async function transact<T>(db: Database, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await db.pool.connect()
  let broken: Error | undefined
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause
    })
    throw error
  } finally {
    client.release(broken)
  }
}

export function parseDatabaseTimestamp(text: string): Date {
  if (!text.endsWith('+00') || text.charCodeAt(10) !== 32 || text.charCodeAt(0) === ZERO) return parseAny(text)
  const day = text.slice(0, 10)
  if (known.day !== day) known = { day, midnight: Date.parse(`${day}T00:00:00Z`) }
  const hours = twoDigits(text, 11) * HOUR_MS + twoDigits(text, 14) * MINUTE_MS + twoDigits(text, 17) * SECOND_MS
  return new Date(known.midnight + hours + milliseconds(text))
}

export const timestampTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.TIMESTAMPTZ && format !== 'binary'
      ? parseDatabaseTimestamp
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

function milliseconds(text: string): number {
  const digits = text.length - '+00'.length - FRACTION_AT
  let sum = 0
  for (let place = 0, worth = 100; place < 3; place++, worth /= 10) {
    if (place < digits) sum += digit(text, FRACTION_AT + place) * worth
  }
  return sum
}

/** @param cancel ends the connection's current statement; never throws */
export function openCheckouts(cancel: (client: PoolClient) => Promise<void>): Checkouts {
  const open = new Set<Checkout>()
  let polling: NodeJS.Timeout | undefined
  const poll = () => {
    if (open.size === 0) {
      clearInterval(polling)
      polling = undefined
    }
    for (const checkout of open) {
      if (checkout.isOver()) checkout.cancelled = Promise.all([checkout.cancelled, cancel(checkout.client)])
    }
  }
  return {
    add: (checkout) => {
      open.add(checkout)
      polling ??= setInterval(poll, POLL_EVERY_MS)
    },
    delete: (checkout) => void open.delete(checkout),
  }
}
