import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'

const LOCK = 'sonant catalog'
/** A change takes milliseconds; one that waits for many others must not fail for it. */
const TIMEOUT_MS = 60_000

/**
 * Changes the operator's endpoints and workflows, one change at a time: two that write the same rows in their own order would end each
 * other. Every process is notified by the commit itself: no notification of a change that was rolled back, none missing.
 */
export async function changeCatalog<T>(ctx: Context, change: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
  const result = await ctx.db.prisma.$transaction(
    async (tx) => {
      // SQL: Prisma Client has neither locks nor notifications. PostgreSQL notifies at the commit, whenever it was asked to.
      await tx.$executeRaw`
        select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0)), pg_notify(${CATALOG_CHANNEL}, '')`
      return change(tx)
    },
    { maxWait: TIMEOUT_MS, timeout: TIMEOUT_MS },
  )
  await ctx.catalog.reload()
  return result
}
