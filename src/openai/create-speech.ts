import { requireAccount } from '../access/require.ts'
import { ServiceError } from '../errors/service-error.ts'
import { cancelJob } from '../jobs/lifecycle/cancel-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { type HeardJob, ListeningEnded, listenToJob } from '../voice/listen-to-job.ts'
import { submitVoiceJob } from '../voice/submit-voice-job.ts'
import { OpenaiViolation } from './openai-error.ts'
import type { SpeechRequest } from './speech-request.ts'

const RETRY_AFTER_SECONDS = 5
const TOO_LONG = /NOT have more than \d+ characters/

/** A job whose speech has begun to be heard. */
export interface CreatedSpeech {
  readonly jobId: string
  readonly speech: HeardJob
  /** Another request with the same Idempotency-Key had submitted it. */
  readonly replayed: boolean
}

/** No audio came within the time that the operator allows. */
class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong'
}

/**
 * Submits a text and waits for the first of its speech. A caller that hangs up before that, and one that has waited for
 * OPENAI_WAIT_SECONDS, cancels its job, which costs nothing then; later the job runs on to its end.
 * @param gone aborted when the caller hangs up
 * @throws what `submitVoiceJob` throws, JobFailure, UNAVAILABLE
 */
export async function createSpeech(
  ctx: ServiceContext,
  request: SpeechRequest,
  gone: AbortSignal,
): Promise<CreatedSpeech> {
  const { jobId, replayed } = await submit(ctx, request)
  const waiting = new AbortController()
  const signal = AbortSignal.any([gone, waiting.signal])
  const limitMs = ctx.settings.openai.waitSeconds * 1000
  const timer = setTimeout(() => waiting.abort(new WaitedTooLong('no audio came in time')), limitMs)
  try {
    const speech = await listenToJob({ ...ctx, actor: requireAccount(ctx) }, { jobId, signal })
    return { jobId, speech, replayed }
  } catch (error) {
    // Another request with the same Idempotency-Key may be waiting for it.
    if (signal.aborted && !replayed) await cancelJob(ctx, { jobId })
    throw unavailableAtEnd(error)
  } finally {
    clearTimeout(timer)
  }
}

/** What a client is to try again later, as the error that says so; any other as it is. */
export const unavailableAtEnd = (error: unknown): unknown =>
  error instanceof WaitedTooLong || error instanceof ListeningEnded
    ? new ServiceError('UNAVAILABLE', 'Try again later: no audio came in time.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause: error,
      })
    : error

/** @throws OpenaiViolation where the endpoint does not take what was sent */
async function submit(ctx: ServiceContext, { submission, fieldOf }: SpeechRequest) {
  try {
    return await submitVoiceJob(ctx, submission)
  } catch (error) {
    const detail = error instanceof ServiceError && error.code === 'INVALID_REQUEST' ? error.details?.[0] : undefined
    if (detail === undefined) throw error
    const field = fieldOf(detail)
    const code = TOO_LONG.test(detail.message) ? 'string_above_max_length' : 'invalid_value'
    throw new OpenaiViolation(field, `${field} ${detail.message}`, code)
  }
}
