import { requireAccount } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { idempotentRequest, madeBefore, recallJob } from '../../idempotency/remember-response.ts'

interface SubmissionTarget {
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
}

/**
 * Calls `find`. Null if it finds nothing, but the caller's key made a job there under this Idempotency-Key.
 * @throws errors of `find`
 */
export async function requireReplayable<T>(ctx: Context, target: SubmissionTarget, find: () => T): Promise<T | null> {
  try {
    return find()
  } catch (error) {
    const missing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (missing && (await madeBefore(ctx, requireAccount(ctx), target))) return null
    throw error
  }
}

/**
 * `endpoint_key` of the job that the same request made; null without one.
 * @throws IDEMPOTENCY_MISMATCH, INVALID_REQUEST for a malformed key
 */
export async function endpointOfReplay(
  ctx: Context,
  idempotencyKey: string | undefined,
  content: readonly unknown[],
): Promise<string | null> {
  const request = idempotentRequest(requireAccount(ctx), idempotencyKey, content)
  const id = request === null ? null : await recallJob(ctx, request)
  if (id === null) return null
  const job = await ctx.db.prisma.job.findUnique({ where: { id }, select: { endpointKey: true } })
  return job?.endpointKey ?? null
}
