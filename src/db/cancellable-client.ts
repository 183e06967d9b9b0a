import { unavailable } from '../errors/service-error.ts'
import type { Checkout } from './checkouts.ts'
import type { Database, Tx } from './database.ts'

type Query = (...args: unknown[]) => void

/** A connection checked out for a caller that may stop waiting. One of the two ends it, once. */
export interface CheckedOut {
  readonly client: Tx
  /** Nothing runs on it any more. With an error it is closed and not reused. */
  release(broken?: Error): Promise<void>
  /** It is closed at PostgreSQL's end too, with whatever still runs on it or is about to. */
  terminate(error: Error): Promise<void>
}

/**
 * The same database for a caller that may stop waiting: its single statements are cancelled where they run soon after `isOver`, and none is
 * begun after that; they fail with UNAVAILABLE then. Transactions, and what goes through Prisma, are left to end by themselves.
 */
export function cancellable(db: Database, isOver: () => boolean): Database {
  const query = (...args: unknown[]) => run(db, isOver, args)
  const pool = new Proxy(db.pool, {
    get: (target, name) => {
      if (name === 'query') return query
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { url: db.url, pool, prisma: db.prisma, checkouts: db.checkouts, close: () => db.close() }
}

/**
 * A connection whose statements are cancelled where they run soon after `isOver`: a server that waits for a lock, or sorts, does not notice
 * by itself that the caller has disconnected.
 * @throws UNAVAILABLE where it is over already
 */
export async function checkOut({ pool, checkouts }: Database, isOver: () => boolean): Promise<CheckedOut> {
  const client = await pool.connect()
  const checkout: Checkout = { client, isOver, cancelled: null }
  checkouts.add(checkout)
  const release = async (broken?: Error) => {
    checkouts.delete(checkout)
    await checkout.cancelled
    client.release(broken)
  }
  const terminate = (error: Error) => {
    checkouts.end(checkout)
    return release(error)
  }
  if (!isOver()) return { client, release, terminate }
  await release()
  throw callerGone()
}

/** As the pool itself does it, by callbacks: every request that reads comes along here, and promises cost it as much as half a statement. */
function run({ pool, checkouts }: Database, isOver: () => boolean, args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    pool.connect((refused, client, release) => {
      if (client === undefined) return reject(refused)
      const checkout: Checkout = { client, isOver, cancelled: null }
      const end = (error: Error | null | undefined, result: unknown) => {
        checkouts.delete(checkout)
        // A connection that failed once is not reused.
        const free = () => release(error ?? undefined)
        if (checkout.cancelled === null) free()
        else void checkout.cancelled.then(free)
        if (error) reject(isOver() ? callerGone() : error)
        else resolve(result)
      }
      if (isOver()) {
        release()
        return reject(callerGone())
      }
      checkouts.add(checkout)
      ;(client.query as Query).call(client, ...args, end)
    })
  })
}

const callerGone = () => unavailable('the caller has disconnected')
