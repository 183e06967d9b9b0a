import type { PoolClient } from 'pg'
import type { Database } from './database.ts'

type Query = (...args: unknown[]) => Promise<unknown>

/**
 * The same database for somebody who may stop waiting: its single statements are cancelled where they run once the signal is aborted,
 * and none is begun after that. Transactions, and what goes through Prisma, are left to end by themselves.
 */
export function cancellable(db: Database, signal: AbortSignal): Database {
  const query = (...args: unknown[]) => run(db, signal, args)
  const pool = new Proxy(db.pool, {
    get: (target, name) => {
      if (name === 'query') return query
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...db, pool }
}

async function run({ pool, cancel }: Database, signal: AbortSignal, args: unknown[]): Promise<unknown> {
  signal.throwIfAborted()
  const client = await pool.connect()
  let cancelled: Promise<unknown> | undefined
  const onAbort = () => {
    cancelled = cancel(backendOf(client))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  let broken: Error | undefined
  try {
    signal.throwIfAborted()
    return await (client.query as Query).call(client, ...args)
  } catch (error) {
    // As the pool itself does: what failed once is not handed on.
    broken = error as Error
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Until then it might hit whoever uses the connection next.
    await cancelled
    client.release(broken)
  }
}

/** What PostgreSQL knows the connection as; its types do not tell. */
const backendOf = (client: PoolClient): number => (client as unknown as { processID: number }).processID
