import type { Pool } from 'pg'
import { unavailable } from '../errors/service-error.ts'
import { readAgain } from './connections/standby.ts'
import type { Checkout, Database } from './database.ts'
import { withQuery } from './with-query.ts'

type Query = (...args: unknown[]) => void

interface Caller {
  isOver(): boolean
  readonly owner?: string | undefined
}

/**
 * Wraps the database for a caller that may disconnect: cancels its single statements and limits them to the owner's share.
 * Transactions and Prisma run to their end.
 */
export function cancellable(db: Database, isOver: () => boolean, owner?: string): Database {
  const caller = { isOver, owner }
  const pool = withQuery(db.pool, (...args) => runWithinShare(db, caller, args))
  const readPool = withQuery(db.readPool, (...args) => readAgain(() => run(db.readPool, db, caller, args)))
  return { ...db, pool, readPool }
}

async function runWithinShare(db: Database, caller: Caller, args: unknown[]): Promise<unknown> {
  const { owner } = caller
  if (owner === undefined) return run(db.pool, db, caller, args)
  const release = db.workShares.tryAcquire(owner) ?? (await db.workShares.acquire(owner))
  return run(db.pool, db, caller, args).finally(release)
}

function run(
  pool: Pool,
  { checkouts }: Pick<Database, 'checkouts'>,
  { isOver }: Caller,
  args: unknown[],
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (isOver()) return reject(callerGone())
    pool.connect((refused, client, release) => {
      if (client === undefined) return reject(refused)
      const checkout: Checkout = { client, isOver, cancelled: null }
      const end = (error: Error | null | undefined, result: unknown) => {
        checkouts.delete(checkout)
        const free = () => release(error ?? undefined)
        if (checkout.cancelled === null) free()
        else void checkout.cancelled.then(free)
        if (error) reject(isOver() ? callerGone() : error)
        else resolve(result)
      }
      if (isOver()) {
        // The pool calls the next waiter synchronously, so a direct release could overflow the stack.
        process.nextTick(release)
        return reject(callerGone())
      }
      checkouts.add(checkout)
      ;(client.query as Query).call(client, ...args, end)
    })
  })
}

export const callerGone = () => unavailable('the caller has disconnected')
