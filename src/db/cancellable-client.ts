import { unavailable } from '../errors/service-error.ts'
import type { Checkout } from './checkouts.ts'
import type { Database } from './database.ts'

type Query = (...args: unknown[]) => void

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
