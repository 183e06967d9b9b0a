import { requireAccount } from '../access/require.ts'
import { type AudioFormat, PCM_RATE } from '../audio/format.ts'
import { transcode } from '../audio/transcode.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { findJob } from '../jobs/find-job.ts'
import { cancelJob } from '../jobs/lifecycle/cancel-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { timesOf } from '../voice/captions/timed-text.ts'
import { requireTimed } from '../voice/captions/voice-job-captions.ts'
import type { TimeSource } from '../voice/timing/speech-timing.ts'
import { type CreatedSpeech, createSpeech, unavailableAtEnd } from './create-speech.ts'
import type { SpeechRequest } from './speech-request.ts'

/** Speech with the times of its words: the answer where `timestamps` is true. */
interface TimedSpeech {
  /** In base64. */
  readonly audio: string
  readonly format: AudioFormat
  readonly sample_rate: number
  readonly duration_seconds: number
  readonly timing: TimeSource
  readonly words: readonly { text: string; start: number; end: number; source: TimeSource }[]
}

/**
 * Submits a text and waits for all of its speech: nothing is answered before, so a caller that hangs up until then cancels its job.
 * @param gone aborted when the caller hangs up
 * @throws what `createSpeech` throws
 */
export async function createTimedSpeech(
  ctx: ServiceContext,
  request: SpeechRequest,
  gone: AbortSignal,
): Promise<{ readonly jobId: string; readonly speech: TimedSpeech }> {
  const created = await createSpeech(ctx, request, gone)
  try {
    return { jobId: created.jobId, speech: await collect(ctx, request, created) }
  } catch (error) {
    if (gone.aborted && !created.replayed) await cancelJob(ctx, { jobId: created.jobId })
    throw unavailableAtEnd(error)
  }
}

async function collect(
  ctx: ServiceContext,
  { format }: SpeechRequest,
  { jobId, speech }: CreatedSpeech,
): Promise<TimedSpeech> {
  const pieces: Uint8Array[] = []
  for await (const piece of transcode(ctx.audio, speech, format)) pieces.push(piece)
  const job = await findJob(ctx.db.pool, jobId, requireAccount(ctx).accountId)
  if (job === null) throw jobNotFound()
  const { text, timing, durationMs } = await requireTimed(ctx, job)
  const times = timesOf(text, timing)
  return {
    audio: Buffer.concat(pieces).toString('base64'),
    format,
    sample_rate: format === 'pcm' || format === 'opus' ? PCM_RATE : speech.sampleRate,
    duration_seconds: durationMs / 1000,
    timing: times.timing,
    words: times.words.map(({ text: word, start, end, source }) => ({ text: word, start, end, source })),
  }
}
