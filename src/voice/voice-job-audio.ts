import type { Readable } from 'node:stream'
import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { AUDIO_FORMATS, type AudioFormat, FILE_TYPES, formatOfType, isAudioFormat } from '../audio/format.ts'
import { transcoded } from '../audio/transcode.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest, jobNotFound } from '../errors/service-error.ts'
import { findJob } from '../jobs/find-job.ts'
import type { Job } from '../jobs/job-shape.ts'
import { requireSpeech } from './require-speech.ts'
import { readStored, type SpeechParts, storedSpeech } from './stored-speech.ts'

type AudioContext = Context & SpeechParts

export interface JobAudio {
  readonly contentType: string
  readonly format: AudioFormat
  readonly content: Readable
}

/**
 * Speech of a completed voice job of the caller's account, re-encoded on the fly if its format differs. The stream fails if the
 * stored file does.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for an unknown format, NOT_FOUND (also for other accounts' jobs and failed jobs),
 * JOB_UNFINISHED, GONE, AudioBusy
 */
export async function voiceJobAudio(
  ctx: AudioContext,
  input: { readonly jobId: string; readonly format?: string | null | undefined; readonly gone: AbortSignal },
): Promise<JobAudio> {
  requireScope(ctx, JOB_READ_SCOPE)
  const format = requireFormat(input.format)
  const job = await findJob(ctx.db.pool, input.jobId, requireAccount(ctx).accountId)
  if (job?.type !== 'voice') throw jobNotFound()
  return audioOf(ctx, job, format, input.gone)
}

/**
 * Audio of a job that the caller may read.
 * @param format null: as stored
 * @param gone aborted when the reader disconnects
 */
export async function audioOf(
  parts: SpeechParts,
  job: Job,
  format: AudioFormat | null,
  gone: AbortSignal,
): Promise<JobAudio> {
  const stored = requireSpeech(job)
  const own = formatOfType(stored.contentType)
  const wanted = format ?? own ?? 'wav'
  const contentType = FILE_TYPES[wanted]
  if (wanted === own) return { format: wanted, contentType, content: await readStored(parts, stored.storageKey) }
  const speech = await storedSpeech(parts, job.accountId, stored, gone)
  const content = await transcoded(parts.audio, speech, { format: wanted, owner: job.accountId, gone })
  return { format: wanted, contentType, content }
}

/** @throws INVALID_REQUEST */
function requireFormat(format: string | null | undefined): AudioFormat | null {
  if (format === undefined || format === null) return null
  if (isAudioFormat(format)) return format
  const message = `must be one of ${AUDIO_FORMATS.join(', ')}`
  throw invalidRequest('Invalid request: see `details`.', [{ path: 'format', message }])
}
