import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient } from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Log } from '../log.ts'
import { LendingSocket } from './lending-socket.ts'
import { timestampTypes } from './parse-timestamp.ts'

/** One pool for everything: Prisma for ordinary reads and writes, plain SQL where a statement must be exact or fast. */
export interface Database {
  readonly url: string
  readonly pool: Pool
  readonly prisma: PrismaClient
  close(): Promise<void>
}

/** A connection inside a transaction. */
export type Tx = PoolClient

/** What a process that cannot be reached any more holds locked is not held up for longer: nobody else would come by. */
const END_FORGOTTEN_TRANSACTIONS = `set idle_in_transaction_session_timeout = '15s'`

export function openDatabase(url: string, log: Log, max = 20): Database {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: 'sonant',
    connectionTimeoutMillis: 10_000,
    stream: () => new LendingSocket(),
    types: timestampTypes,
    onConnect: (client) => client.query(END_FORGOTTEN_TRANSACTIONS),
  })
  // Without a listener a PostgreSQL restart would end the process; the pool replaces broken connections by itself.
  pool.on('error', (error) => log.warn({ err: error.message }, 'a database connection was lost'))
  // The pool listens to idle connections only: one that breaks in somebody's hands fails its query, and must not end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    url,
    pool,
    prisma,
    close: async () => {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

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
