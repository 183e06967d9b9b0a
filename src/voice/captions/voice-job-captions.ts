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

export interface JobCaptions {
  readonly format: CaptionFormat
  readonly contentType: string
  readonly content: string
}

/**
 * Captions of a completed voice job of the caller's account; WebVTT unless the caller asks for another format.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for an unknown format, NOT_FOUND (also for other accounts' jobs and failed jobs),
 * JOB_UNFINISHED, GONE if its audio was deleted
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

/** Captions of a job that the caller may read. */
export async function captionsOf(parts: Pick<Parts, 'db'>, job: Job, format: CaptionFormat): Promise<JobCaptions> {
  return { format, contentType: CAPTION_TYPES[format], content: writeCaptions(await requireTimed(parts, job), format) }
}

export async function requireTimed({ db }: Pick<Parts, 'db'>, job: Job): Promise<TimedJob> {
  requireSpeech(job)
  const found = (await loadTimedJobs(db.pool, [job.id])).get(job.id)
  if (found === undefined) throw jobNotFound()
  return found
}

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
