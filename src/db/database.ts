import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient } from 'pg'
import { type Prisma, PrismaClient } from '../../prisma/generated/prisma/client.ts'
import type { Log } from '../values/log.ts'
import { type Checkouts, openCheckouts } from './checkouts.ts'
import { timestampTypes } from './parse-timestamp.ts'

/** One pool for everything: Prisma for ordinary reads and writes, plain SQL where a statement must be exact or fast. */
export interface Database {
  readonly url: string
  readonly pool: Pool
  readonly prisma: PrismaClient
  /** Connections checked out for callers that may stop waiting. */
  readonly checkouts: Checkouts
  close(): Promise<void>
}

/** A connection inside a transaction. */
export type Tx = PoolClient

/** A transaction of Prisma Client's own, on a connection of the same pool. It cannot join one of `inTransaction`. */
export type PrismaTx = Prisma.TransactionClient

/** What a process holds locked that cannot be reached any more is free after this time: nothing else would notify PostgreSQL. */
const END_FORGOTTEN_TRANSACTIONS = `set idle_in_transaction_session_timeout = '15s'`
/** Cancelling must not queue up behind what is to be cancelled: where no connection is free, one more is used, for so long. */
const SPARE_IDLE_MS = 1_000
const SPARE_CONNECT_MS = 2_000
const CONNECT_TIMEOUT_MS = 10_000
/** Beyond the pool's own time limit, whose error says that the database is down; and as long as a lock may have to be waited for. */
const TRANSACTION_LIMITS = { maxWait: 15_000, timeout: 30_000 }

/** Opens a pool of at most `max` connections, and Prisma Client over the same ones. Connects with the first statement. */
export function openDatabase(url: string, log: Log, max = 20): Database {
  const common = { connectionString: url, application_name: 'sonant' }
  const pool = new Pool({
    ...common,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: timestampTypes,
    onConnect: (client) => client.query(END_FORGOTTEN_TRANSACTIONS),
  })
  const spare = new Pool({
    ...common,
    max: 1,
    idleTimeoutMillis: SPARE_IDLE_MS,
    connectionTimeoutMillis: SPARE_CONNECT_MS,
  })
  // Without a listener a PostgreSQL restart would end the process; the pool replaces broken connections by itself.
  for (const one of [pool, spare])
    one.on('error', (error) => log.warn({ err: error.message }, 'a database connection was lost'))
  // The pool listens to idle connections only: one that breaks while it is in use fails its query, and must not end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION_LIMITS })
  const cancel = async (client: Tx) => {
    const free = pool.idleCount > 0 ? pool : spare
    await free.query('select pg_cancel_backend($1)', [backendOf(client)]).catch(() => undefined)
  }
  return {
    url,
    pool,
    prisma,
    checkouts: openCheckouts(cancel),
    close: async () => {
      await prisma.$disconnect()
      await pool.end()
      await spare.end()
    },
  }
}

/** What PostgreSQL knows the connection as; its types do not name it. */
const backendOf = (client: PoolClient): number => (client as unknown as { processID: number }).processID

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. Nothing remote happens inside. */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await db.pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
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
