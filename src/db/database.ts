import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient } from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Log } from '../log.ts'
import { LendingSocket } from './lending-socket.ts'
import { timestampTypes } from './parse-timestamp.ts'

/** How long the connection that others' statements are ended over stays open for the next one. */
const CANCELS_IDLE_MS = 5_000

/** One pool for everything: Prisma for ordinary reads and writes, plain SQL where a statement must be exact or fast. */
export interface Database {
  readonly url: string
  readonly pool: Pool
  readonly prisma: PrismaClient
  /** Ends the statement that this backend runs. Best effort. */
  cancel(processId: number): Promise<void>
  close(): Promise<void>
}

/** A connection inside a transaction. */
export type Tx = PoolClient

export function openDatabase(url: string, log: Log, max = 20): Database {
  const options = { connectionString: url, application_name: 'sonant', connectionTimeoutMillis: 10_000 }
  const pool = new Pool({ ...options, max, stream: () => new LendingSocket(), types: timestampTypes })
  // Where all of the pool's connections wait, one that ends this waiting would wait as well.
  const cancels = new Pool({ ...options, max: 1, idleTimeoutMillis: CANCELS_IDLE_MS })
  for (const one of [pool, cancels]) {
    // Without a listener a PostgreSQL restart would end the process; the pool replaces broken connections by itself.
    one.on('error', (error) => log.warn({ err: error.message }, 'a database connection was lost'))
    // The pool listens to idle connections only: one that breaks in somebody's hands fails its query, and must not end the process.
    one.on('connect', (client) => client.on('error', () => undefined))
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    url,
    pool,
    prisma,
    cancel: async (processId) => {
      await cancels.query('select pg_cancel_backend($1)', [processId]).catch(() => undefined)
    },
    close: async () => {
      await prisma.$disconnect()
      await pool.end()
      await cancels.end()
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
