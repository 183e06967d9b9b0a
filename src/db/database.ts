import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool, PoolClient } from 'pg'
import { type Prisma, PrismaClient } from '../../prisma/generated/prisma/client.ts'
import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { Shares } from '../concurrency/shares.ts'
import { ServiceError, unavailable } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'
import { type Checkouts, openCheckouts } from './checkouts.ts'
import { cancelStatement } from './connections/cancel-statement.ts'
import { HungConnections } from './connections/hung-connections.ts'
import { BATCH_WAIT, outwaitLocks } from './connections/lock-wait.ts'
import { LossLog } from './connections/loss-log.ts'
import { Servers } from './connections/servers.ts'
import { ServicePool } from './connections/service-pool.ts'
import { onceLost } from './connections/wire.ts'
import { timestampTypes } from './parse-timestamp.ts'

/**
 * PostgreSQL as a process uses it: Prisma for ordinary reads and writes, plain SQL where a statement must be exact or fast. What may take
 * long has a pool of its own, so that it keeps nothing else waiting.
 */
export interface Database {
  /** Of the server that took writes last, without a pooler in transaction mode. */
  readonly url: string
  /** For connections of their own that keep what a session has: locks, channels, settings. */
  readonly direct: Servers
  /** The same servers, for connections with statements of any length: what hangs is ended. */
  readonly watched: Pick<HungConnections, 'connect'>
  /** Submits, claims, completes, authenticates, looks up: whatever is short. */
  readonly pool: Pool
  /** Statistics and lists that count: see `longRead`. */
  readonly readPool: Pool
  /** Over `pool`; made when it is first used. */
  readonly prisma: PrismaClient
  /** What one owner's reads may take of `pool`, and of `readPool`. */
  readonly workShares: Shares
  readonly readShares: Shares
  /** Of `readShares`, what reads jobs one by one: see `longScan`. */
  readonly scanShares: Shares
  /** What of `pool` may wait for locks that another program holds: see `outwaitLocks`. */
  readonly lockWaits: FairSemaphore
  /** Connections checked out for callers that may stop waiting. */
  readonly checkouts: Checkouts
  /** Connections that were lost. */
  readonly losses: LossLog
  close(): Promise<void>
}

/** How a process reaches its database. */
export interface Route {
  /** Where short statements go: perhaps through a pooler. */
  readonly servers: Servers
  /** Where everything else goes: never through a pooler in transaction mode. */
  readonly direct: Servers
  /** Whether a connection to `servers` keeps its settings: behind a pooler in transaction mode it does not. */
  readonly keepsSettings: boolean
  /** Whether statements are prepared by name there. */
  readonly areNamed: boolean
}

/** A connection inside a transaction. */
export type Tx = PoolClient

/** A transaction of Prisma Client's own, on a connection of the same pool. It cannot join one of `inTransaction`. */
export type PrismaTx = Prisma.TransactionClient

/** What a process holds locked that cannot be reached any more is free after this time: nothing else would notify PostgreSQL. */
const END_FORGOTTEN_TRANSACTIONS = `set idle_in_transaction_session_timeout = '15s'`
const END_FORGOTTEN_TRANSACTION = `set local idle_in_transaction_session_timeout = '15s'`
/** Parallel workers would be taken from the others: a long read takes one processor. */
const READ_ALONE = 'set max_parallel_workers_per_gather = 0'
const CONNECT_TIMEOUT_MS = 10_000
/** A long read that has its owner's share and finds no connection: others' take them all. */
const READ_CONNECT_TIMEOUT_MS = 5_000
/** Beyond the pool's own time limit, whose error says that the database is down; and as long as a lock may have to be waited for. */
const TRANSACTION_LIMITS = { maxWait: 15_000, timeout: 30_000 }
const DEFAULT_POOL_SIZE = 20
const LEAST_READERS = 2
const READ_SHARE = 1 / 4
const LOCK_WAIT_SHARE = 1 / 5
/** Statistics and counted lists that an owner has under way at once, where the pool is large enough. */
const MAX_READS_PER_OWNER = 2
const LONGEST_READ_WAIT_MS = 2_000

/**
 * Opens two pools of together at most `poolSize` connections, a quarter of them and at least two for long reads, and Prisma Client over the
 * other one. Connects with the first statement.
 * @param target a URL for the driver, where there is no more to say
 */
export function openDatabase(target: Route | string, log: Log, poolSize = DEFAULT_POOL_SIZE): Database {
  const route = typeof target === 'string' ? straightTo(target) : target
  const readers = Math.max(LEAST_READERS, Math.floor(poolSize * READ_SHARE))
  const workers = poolSize - readers
  const losses = new LossLog(log)
  const hung = new HungConnections(route.direct, losses)
  const open = { losses, hung }
  const pool = openPool(route, workers, CONNECT_TIMEOUT_MS, END_FORGOTTEN_TRANSACTIONS, open)
  const readPool = openPool(straight(route.direct), readers, READ_CONNECT_TIMEOUT_MS, READ_ALONE, open)
  let prisma: PrismaClient | undefined
  return {
    ...{ direct: route.direct, watched: hung, pool, readPool, losses },
    get prisma() {
      prisma ??= new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION_LIMITS })
      return prisma
    },
    get url() {
      return route.direct.preferred
    },
    workShares: new Shares(Math.max(1, Math.floor(workers / 2)), CONNECT_TIMEOUT_MS, () =>
      unavailable('other reads of the same owner take its share of the connections'),
    ),
    readShares: new Shares(Math.min(MAX_READS_PER_OWNER, readers - 1), LONGEST_READ_WAIT_MS, tooManyReads),
    scanShares: new Shares(1, LONGEST_READ_WAIT_MS, tooManyReads),
    lockWaits: new FairSemaphore(Math.max(1, Math.floor(workers * LOCK_WAIT_SHARE))),
    checkouts: openCheckouts(cancelStatement),
    close: async () => {
      hung.close()
      await prisma?.$disconnect()
      await Promise.all([pool.end(), readPool.end()])
      losses.flush()
    },
  }
}

const straight = (servers: Servers): Route => ({ servers, direct: servers, keepsSettings: true, areNamed: true })
const straightTo = (url: string): Route => straight(new Servers([url]))

/** What watches the connections of all pools. */
interface Watchers {
  readonly losses: LossLog
  readonly hung: HungConnections
}

function openPool(route: Route, max: number, connectTimeoutMs: number, settings: string, watchers: Watchers): Pool {
  const { losses, hung } = watchers
  const pool = new ServicePool(route.servers, {
    application_name: 'sonant',
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    types: timestampTypes,
    statements: { areNamed: route.areNamed, afterBegin: route.keepsSettings ? null : END_FORGOTTEN_TRANSACTION },
    settings: route.keepsSettings ? settings : null,
    hung,
  })
  // Without a listener a PostgreSQL restart would end the process; the pool replaces broken connections by itself.
  pool.on('error', () => undefined)
  // The pool's own event leaves out those that are lost in use.
  pool.on('connect', (client) => onceLost(client, (error) => losses.add(error.message, client)))
  return pool
}

const tooManyReads = () =>
  new ServiceError('RATE_LIMITED', 'Wait for your other statistics and counted lists to finish first.', {
    retryAfterSeconds: LONGEST_READ_WAIT_MS / 1000,
  })

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. Nothing remote happens inside. */
export const inTransaction = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> => transact(db, 'begin', work)

/**
 * The same where many may wait for rows that another program holds: they keep few of the connections, and none of them for long. `work` is
 * run again, in a new transaction, whenever it was held up.
 * @param owner whose turn it is, as `outwaitLocks` has it
 */
export const inRetriedTransaction = <T>(db: Database, owner: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  outwaitLocks(db, owner, (longest) => transact(db, `begin; set local lock_timeout = '${longest}'`, work))

/** The same, which waits for a lock no longer than a batch does, a table's included: what is held up longer is written in another way. */
export const inBriefTransaction = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(db, `begin; set local lock_timeout = '${BATCH_WAIT}'`, work)

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
