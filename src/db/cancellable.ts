import type { Database, Tx } from './database.ts'

/** A cancellation that is there before its statement has begun hits nothing: it is repeated. */
const CANCEL_AGAIN_MS = 100

type Query = (...args: unknown[]) => Promise<unknown>

/** A connection in the hands of somebody who may stop waiting. One of the two ends it, once. */
export interface Loan {
  readonly client: Tx
  /** Nothing runs on it any more. With an error it is handed on to nobody. */
  giveBack(broken?: Error): Promise<void>
  /** Whatever still runs on it is cancelled where it runs, and the connection closed. */
  breakOff(error: Error): Promise<void>
}

/**
 * The same database for somebody who may stop waiting: its single statements are cancelled where they run once the signal is aborted,
 * and none is begun after that. They fail with the signal's reason then. Transactions, and what goes through Prisma, are left to end by
 * themselves.
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
  return { url: db.url, pool, prisma: db.prisma, cancel: (client) => db.cancel(client), close: () => db.close() }
}

/**
 * A connection whose statements are cancelled where they run once the signal is aborted: a server that waits for a lock, or sorts, does
 * not notice by itself that nobody is there any more.
 * @throws the signal's reason
 */
export async function lend(db: Database, signal: AbortSignal | undefined): Promise<Loan> {
  signal?.throwIfAborted()
  const client = await db.pool.connect()
  if (signal?.aborted) {
    client.release()
    throw signal.reason
  }
  let again: NodeJS.Timeout | undefined
  let cancelled: Promise<unknown> = Promise.resolve()
  const cancel = () => {
    cancelled = Promise.all([cancelled, db.cancel(client)])
  }
  const stop = () => {
    cancel()
    again = setInterval(cancel, CANCEL_AGAIN_MS)
  }
  signal?.addEventListener('abort', stop, { once: true })
  const giveBack = async (broken?: Error) => {
    signal?.removeEventListener('abort', stop)
    clearInterval(again)
    // Until then it might hit whoever uses the connection next.
    await cancelled
    client.release(broken)
  }
  const breakOff = (error: Error) => {
    cancel()
    return giveBack(error)
  }
  return { client, giveBack, breakOff }
}

async function run(db: Database, signal: AbortSignal, args: unknown[]): Promise<unknown> {
  const { client, giveBack } = await lend(db, signal)
  let broken: Error | undefined
  try {
    return await (client.query as Query).call(client, ...args)
  } catch (error) {
    // As the pool itself does: what failed once is not handed on.
    broken = error as Error
    throw signal.aborted ? signal.reason : error
  } finally {
    await giveBack(broken)
  }
}
