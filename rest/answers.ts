import type { IncomingHttpHeaders } from 'node:http'
import type { CompanionView } from '../src/companion/companion-job.ts'
import type { PublicDocument } from '../src/context/catalog-snapshot.ts'
import { namesETag, prefixOf } from '../src/http/served-file.ts'
import { presentVoiceJob } from '../src/jobs/job-result.ts'
import type { Job } from '../src/jobs/job-shape.ts'
import { isTerminal } from '../src/jobs/job-states.ts'
import type { Submission } from '../src/jobs/lifecycle/queue-job.ts'
import type { JobCaptions } from '../src/voice/captions/voice-job-captions.ts'
import type { JobAudio } from '../src/voice/stored-speech.ts'
import type { Answer, Call } from './operation.ts'
import { presentDocument, presentFailure, presentJob, presentSubmission } from './present.ts'

export const ok =
  <Result>(present: (result: Result) => object) =>
  (result: Result): Answer => ({ status: 200, body: present(result) })

export const created =
  <Result>(present: (result: Result) => object) =>
  (result: Result): Answer => ({ status: 201, body: present(result) })

export const shown = async (job: Job, { ctx }: Call): Promise<Answer> => ({
  status: 200,
  body: await presentJob(ctx, job),
})

export const accepted =
  (jobs: string) =>
  (made: Submission, { ctx }: Call): Answer => {
    const location = { location: `${prefixOf(ctx.publicUrl)}/api/v1${jobs}/${made.jobId}` }
    const headers = made.replayed ? { ...location, 'idempotency-replayed': 'true' } : location
    return { status: 202, headers, body: presentSubmission(made) }
  }

/** 200 with finished companion work, or 502 with the job if the provider failed. */
export const finished =
  <Result>(present: (job: CompanionView<Result>, result: Result) => object) =>
  (job: CompanionView<Result>): Answer => {
    const headers: Record<string, string> = job.replayed ? { 'idempotency-replayed': 'true' } : {}
    if (job.result === null) return { status: 502, headers, body: presentFailure(job) }
    return { status: 200, headers, body: present(job, job.result) }
  }

const POLL_INTERVALS = [
  { untilAge: 5, every: 1 },
  { untilAge: 20, every: 2 },
  { untilAge: 60, every: 5 },
  { untilAge: Number.POSITIVE_INFINITY, every: 10 },
]

/** 200, with Retry-After for an unfinished job. */
export async function polled(job: Job, { ctx }: Call): Promise<Answer> {
  const body = await presentVoiceJob(ctx, job)
  if (isTerminal(job.status)) return { status: 200, body }
  const age = (ctx.now().getTime() - job.createdAt.getTime()) / 1000
  const interval = POLL_INTERVALS.find(({ untilAge }) => age < untilAge)
  return { status: 200, headers: { 'retry-after': String(interval?.every) }, body }
}

const jobFile = (
  { contentType, format }: Pick<JobAudio | JobCaptions, 'contentType' | 'format'>,
  body: Answer['body'],
  { params }: Call,
): Answer => ({
  status: 200,
  headers: {
    'content-type': contentType,
    'content-disposition': `inline; filename="${params.job_id}.${format}"`,
  },
  body,
})

export const audioFile = (file: JobAudio, call: Call): Answer => jobFile(file, file.content, call)

export const captionsFile = (file: JobCaptions, call: Call): Answer => jobFile(file, Buffer.from(file.content), call)

/** A public document, or 304 if the client's ETag matches (RFC 9110 section 13.1.2). */
export function cached(document: PublicDocument, { headers }: { readonly headers: IncomingHttpHeaders }): Answer {
  const validators = { etag: document.etag, 'cache-control': 'no-cache' }
  if (namesETag(headers['if-none-match'], document.etag)) return { status: 304, headers: validators, body: null }
  return { status: 200, headers: validators, body: presentDocument(document) }
}
