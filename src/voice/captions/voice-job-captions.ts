import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { CAPTION_FORMATS, CAPTION_TYPES, type CaptionFormat, isCaptionFormat } from '../../audio/caption-format.ts'
import type { Context, Parts } from '../../context/context.ts'
import { invalidRequest, jobNotFound } from '../../errors/service-error.ts'
import { findJob } from '../../jobs/find-job.ts'
import type { Job } from '../../jobs/job-shape.ts'
import { marksIn } from '../markup/marks.ts'
import { requireSpeech } from '../require-speech.ts'
import { loadTimedJobs, type TimedJob } from '../timing/job-timing.ts'
import { cuesOf } from './cues.ts'
import { toSrt } from './srt.ts'
import { timesOf } from './timed-text.ts'
import { toWebvtt } from './webvtt.ts'

/** A job's captions as a file. */
export interface JobCaptions {
  readonly format: CaptionFormat
  readonly contentType: string
  readonly content: string
}

/**
 * The captions of a completed voice job of the caller's account, made from when its words are heard; WebVTT unless another format is asked
 * for.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for an unknown format, NOT_FOUND (also for jobs of other accounts, and for those that
 *   failed), JOB_UNFINISHED, GONE where its audio was deleted
 */
export async function voiceJobCaptions(
  ctx: Context,
  input: { readonly jobId: string; readonly format?: string | null | undefined },
): Promise<JobCaptions> {
  requireScope(ctx, JOB_READ_SCOPE)
  const format = requireCaptionFormat(input.format)
  const job = await findJob(ctx.db.pool, input.jobId, requireAccount(ctx).accountId)
  if (job?.type !== 'voice') throw jobNotFound()
  return captionsOf(ctx, job, format)
}

/** The same of a job that the caller may hear. */
export async function captionsOf(parts: Pick<Parts, 'db'>, job: Job, format: CaptionFormat): Promise<JobCaptions> {
  return { format, contentType: CAPTION_TYPES[format], content: writeCaptions(await requireTimed(parts, job), format) }
}

/** When a job's text is heard. @throws what `requireSpeech` throws */
export async function requireTimed({ db }: Pick<Parts, 'db'>, job: Job): Promise<TimedJob> {
  requireSpeech(job)
  const found = (await loadTimedJobs(db.pool, [job.id])).get(job.id)
  if (found === undefined) throw jobNotFound()
  return found
}

/** A file of captions. Pure. */
export function writeCaptions({ text, timing, durationMs, markup }: TimedJob, format: CaptionFormat): string {
  if (format === 'json') return JSON.stringify(timesOf(text, timing, markup === 'ssml' ? marksIn(text) : []))
  return (format === 'vtt' ? toWebvtt : toSrt)(cuesOf(text, timing, durationMs))
}

function requireCaptionFormat(format: string | null | undefined): CaptionFormat {
  if (format === undefined || format === null) return 'vtt'
  if (isCaptionFormat(format)) return format
  throw invalidRequest('Invalid request: see `details`.', [
    { path: 'format', message: `must be one of ${CAPTION_FORMATS.join(', ')}` },
  ])
}
