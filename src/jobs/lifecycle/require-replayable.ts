import { requireAccount } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { madeBefore } from '../../idempotency/remember-response.ts'

/** Where a submission goes, and the key under which it may have come before. */
interface SubmissionPlace {
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
}

/**
 * What a submission asks for, by `reach`. null where it is out of reach by now, while the caller's very own API key made a job there
 * under this Idempotency-Key: a repetition must find that job whatever has become of its endpoint. To every other key it looks missing.
 * @throws what `reach` throws
 */
export async function requireReplayable<T>(ctx: Context, place: SubmissionPlace, reach: () => T): Promise<T | null> {
  try {
    return reach()
  } catch (error) {
    const missing = error instanceof ServiceError && error.code === 'NOT_FOUND'
    if (missing && (await madeBefore(ctx, requireAccount(ctx), place))) return null
    throw error
  }
}
