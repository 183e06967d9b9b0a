import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { ServiceError } from '../errors/service-error.ts'
import { forgetEngines } from './forget-engines.ts'
import { forgetSamples } from './voice-samples.ts'

const LOCK = 'sonant catalog'
const TIMEOUT_MS = 60_000

export interface DeletedEndpoint {
  readonly deleted: string
  readonly isWorkflow: boolean
}

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

/**
 * Deletes a voice endpoint with its voices, or else the workflow of that slug. Their jobs stay.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND
 */
export async function deleteEndpoint(ctx: Context, input: { readonly slug: string }): Promise<DeletedEndpoint> {
  requireConfirmedOperator(ctx)
  const where = { slug: input.slug }
  const isWorkflow = await changeCatalog(ctx, async (tx) => {
    const endpoints = await tx.voiceEndpoint.deleteMany({ where })
    const { count } = endpoints.count > 0 ? endpoints : await tx.workflow.deleteMany({ where })
    if (count === 0) throw new ServiceError('NOT_FOUND', `No endpoint or workflow with the slug "${input.slug}".`)
    const change = { accountId: null, subjectId: input.slug }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'endpoint_deleted', ...change })
    return endpoints.count === 0
  })
  await forgetEngines(ctx, [input.slug])
  await forgetSamples(ctx, [input.slug])
  return { deleted: input.slug, isWorkflow }
}
