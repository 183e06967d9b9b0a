import { requireAccount } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { madeBefore } from '../../idempotency/remember-response.ts'

/** Where a submission goes, and the key under which it may have come before. */
interface SubmissionTarget {
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
}

/**
 * What a submission asks for, by `find`. null where the caller may no longer find it, while its very own API key made a job there under
 * this Idempotency-Key: a repetition must find that job whatever has become of its endpoint. For every other key it is missing.
 * @throws what `find` throws
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
