import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { ServiceError } from '../errors/service-error.ts'
import { changeCatalog } from './change-catalog.ts'
import { forgetSamples } from './samples/voice-samples.ts'

/**
 * Deletes a voice endpoint with its voices, or else the workflow of that slug. Their jobs stay.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND
 */
export async function deleteEndpoint(
  ctx: Context,
  input: { readonly slug: string },
): Promise<{ readonly deleted: string }> {
  requireConfirmedOperator(ctx)
  const where = { slug: input.slug }
  await changeCatalog(ctx, async (tx) => {
    const endpoints = await tx.voiceEndpoint.deleteMany({ where })
    const { count } = endpoints.count > 0 ? endpoints : await tx.workflow.deleteMany({ where })
    if (count === 0) throw new ServiceError('NOT_FOUND', `No endpoint or workflow with the slug "${input.slug}".`)
    const change = { accountId: null, subjectId: input.slug }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'endpoint_deleted', ...change })
  })
  await forgetSamples(ctx, [input.slug])
  return { deleted: input.slug }
}
