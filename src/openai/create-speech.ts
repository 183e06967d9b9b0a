import { requireAccount } from '../access/require.ts'
import type { SampleStream } from '../audio/transcode.ts'
import { describeError } from '../errors/describe-error.ts'
import { ServiceError } from '../errors/service-error.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { cancelJob } from '../jobs/lifecycle/cancel-job.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { listenToJob } from '../voice/listen-to-job.ts'
import { submitVoiceJob } from '../voice/submit-voice-job.ts'
import { OpenaiViolation } from './openai-error.ts'
import type { SpeechRequest } from './speech-request.ts'

const RETRY_AFTER_SECONDS = 5
const TOO_LONG = /NOT have more than \d+ characters/

export interface CreatedSpeech {
  readonly jobId: string
  readonly speech: SampleStream
  /** True if an earlier request with the same Idempotency-Key submitted the job. */
  readonly replayed: boolean
}

class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong'
}

/**
 * Submits a text and passes its speech to `make`. An error or a disconnect before the answer cancels the job.
 * @throws errors of `submitVoiceJob` and `make`, JobFailure, UNAVAILABLE
 */
export async function createAnswer<T>(
  ctx: ServiceContext,
  request: SpeechRequest,
  gone: AbortSignal,
  make: (created: CreatedSpeech) => Promise<T>,
): Promise<T> {
  const created = await createSpeech(ctx, request, gone)
  return answerWith(ctx, request, created, make).catch(async (error: unknown) => {
    if (!created.replayed || !isCancelled(error)) throw error
    // The earlier request has cancelled its job and freed the key.
    const own = await createSpeech(ctx, request, gone)
    if (own.jobId === created.jobId) throw error
    return answerWith(ctx, request, own, make)
  })
}

async function createSpeech(ctx: ServiceContext, request: SpeechRequest, gone: AbortSignal): Promise<CreatedSpeech> {
  const waiting = new AbortController()
  const signal = AbortSignal.any([gone, waiting.signal])
  const limitMs = ctx.settings.openai.waitSeconds * 1000
  const timer = setTimeout(() => waiting.abort(new WaitedTooLong('no audio came in time')), limitMs)
  try {
    const submitted = await submit(ctx, request)
    return await hear(ctx, request, submitted, signal).catch(async (error: unknown) => {
      if (!submitted.replayed || !isCancelled(error)) throw error
      const own = await submit(ctx, request)
      if (own.jobId === submitted.jobId) throw error
      return hear(ctx, request, own, signal)
    })
  } catch (error) {
    throw error instanceof WaitedTooLong ? tooLate(error) : error
  } finally {
    clearTimeout(timer)
  }
}

const isCancelled = (error: unknown): boolean => error instanceof JobFailure && error.code === 'JOB_CANCELLED'

const tooLate = (cause: WaitedTooLong): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again later: no audio came in time.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })

async function hear(
  ctx: ServiceContext,
  request: SpeechRequest,
  { jobId, replayed }: Submission,
  signal: AbortSignal,
): Promise<CreatedSpeech> {
  try {
    const speech = await listenToJob({ ...ctx, actor: requireAccount(ctx) }, { jobId, signal, isSubmitter: !replayed })
    return { jobId, speech, replayed }
  } catch (error) {
    await withdraw(ctx, request, { jobId, replayed }, error)
    throw error
  }
}

async function answerWith<T>(
  ctx: ServiceContext,
  request: SpeechRequest,
  created: CreatedSpeech,
  make: (created: CreatedSpeech) => Promise<T>,
): Promise<T> {
  try {
    return await make(created)
  } catch (error) {
    created.speech.close?.()
    await withdraw(ctx, request, created, error)
    throw error
  }
}

/**
 * Cancels a job whose caller gets an error, so that a retry does not pay twice. It frees the Idempotency-Key.
 * Another request's job stays, because that caller may still wait for it.
 */
async function withdraw(
  ctx: ServiceContext,
  { submission }: SpeechRequest,
  { jobId, replayed }: Pick<Submission, 'jobId' | 'replayed'>,
  error: unknown,
): Promise<void> {
  if (replayed || error instanceof JobFailure) return
  try {
    await cancelJob({ ...ctx, actor: { kind: 'system' } }, { jobId, forgottenKey: submission.idempotencyKey })
  } catch (failure) {
    ctx.log.warn({ jobId, ...describeError(failure) }, 'a job that no client waits for could not be cancelled')
  }
}

/** @throws OpenaiViolation if the endpoint rejects an input */
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
