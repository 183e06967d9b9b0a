import { invalidRequest } from '../errors/service-error.ts'
import { type Each, eachId } from '../jobs/bulk/each-id.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import type { VoiceJobContext } from '../voice/submit-voice-job.ts'
import { requireProducer, retryJob } from './retry-job.ts'

/** A job id is appended. */
const MAX_KEY_CHARACTERS = 200

export interface Retries {
  readonly ids: readonly string[]
  readonly idempotencyKey?: string | null | undefined
}

/**
 * Retries up to 100 failed jobs; each fails alone.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function retryJobs(ctx: VoiceJobContext, { ids, idempotencyKey }: Retries): Promise<Each<Submission>[]> {
  requireProducer(ctx)
  if (idempotencyKey != null && idempotencyKey.length > MAX_KEY_CHARACTERS)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: '/idempotencyKey', message: `must have at most ${MAX_KEY_CHARACTERS} characters` },
    ])
  const keyOf = (jobId: string) => (idempotencyKey == null ? idempotencyKey : `${idempotencyKey} ${jobId}`)
  return eachId(ctx, ids, (jobId) => retryJob(ctx, { jobId, idempotencyKey: keyOf(jobId) }))
}
