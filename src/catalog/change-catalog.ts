import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'

const LOCK = 'sonant catalog'
const TIMEOUT_MS = 60_000

/** Changes endpoints and workflows under one lock, so that two changes cannot deadlock. */
export async function changeCatalog<T>(ctx: Context, change: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
  const result = await ctx.db.prisma.$transaction(
    async (tx) => {
      // SQL, because Prisma has no advisory locks. PostgreSQL delivers the notification at the commit.
      await tx.$executeRaw`
        select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0)), pg_notify(${CATALOG_CHANNEL}, '')`
      return change(tx)
    },
    { maxWait: TIMEOUT_MS, timeout: TIMEOUT_MS },
  )
  await ctx.catalog.reload()
  return result
}
