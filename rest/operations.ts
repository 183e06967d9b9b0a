import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { account } from '../src/accounts/account.ts'
import { catalog } from '../src/catalog/catalog.ts'
import { catalogEndpoint } from '../src/catalog/catalog-endpoint.ts'
import { endpointSchema } from '../src/catalog/endpoint-schema.ts'
import { endpointVoices } from '../src/catalog/endpoint-voices.ts'
import { type ChatInput, chatWithCompanion } from '../src/companion/chat-with-companion.ts'
import type { CompanionView } from '../src/companion/companion-job.ts'
import { type RetargetInput, retargetCompanion } from '../src/companion/retarget-companion.ts'
import { type MediaTagInput, tagMedia } from '../src/companion/tag-media.ts'
import type { PublicDocument } from '../src/context/catalog-snapshot.ts'
import { invalidRequest } from '../src/errors/service-error.ts'
import { type GenerationInput, submitGeneration } from '../src/generation/submit-generation.ts'
import { namesETag } from '../src/http/if-none-match.ts'
import { type ExportInput, exportJobs, type JobExport } from '../src/jobs/export/export-jobs.ts'
import { job } from '../src/jobs/job.ts'
import { isTerminal } from '../src/jobs/job-states.ts'
import type { Submission } from '../src/jobs/lifecycle/queue-job.ts'
import type { JobFilter } from '../src/jobs/list/job-filter.ts'
import { type JobPageInput, jobPage } from '../src/jobs/list/job-page.ts'
import { presentVoiceJob } from '../src/jobs/present-voice-job.ts'
import { type VoiceJobView, voiceJob } from '../src/jobs/voice-job.ts'
import type { ServiceContext } from '../src/runtime/services.ts'
import { parseTimestamp } from '../src/values/timestamp.ts'
import { submitVoiceJob, type VoiceJobInput } from '../src/voice/submit-voice-job.ts'
import { sendCsv } from './csv.ts'
import type { Query } from './parameters.ts'
import {
  presentAccount,
  presentChat,
  presentDocument,
  presentFailure,
  presentJob,
  presentJobPage,
  presentMediaTags,
  presentRetarget,
  presentSchema,
  presentSubmission,
  presentVoices,
} from './present.ts'
import type { ChatRequest, GenerationRequest, MediaTagRequest, RetargetRequest, VoiceJobRequest } from './types.ts'

/** A request that was let in and fits the document. */
export interface Call {
  readonly ctx: ServiceContext
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  /** Aborted when the caller goes away before it is answered. */
  gone(): AbortSignal
}

/** Bytes and streams go out as they are, objects as JSON, null is no body at all. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | Readable | object | null
}

/** As the document has held it. */
type JobPageQuery = Pick<JobPageInput, 'limit' | 'offset'> &
  Pick<JobFilter, 'type' | 'decision' | 'status' | 'search'> & { readonly api_key_id?: string }

export type Operation = (call: Call) => Answer | Promise<Answer>

/** The whole REST API: operationId -> verb. */
export const operations = {
  submitVoiceJob: async (call) => accepted(await submitVoiceJob(call.ctx, submission(call)), '/voice/jobs'),
  submitGeneration: async (call) => accepted(await submitGeneration(call.ctx, submission(call)), '/jobs'),
  chatWithCompanion: async (call) => answered(await chatWithCompanion(call.ctx, message(call)), presentChat),
  retargetCompanion: async (call) => answered(await retargetCompanion(call.ctx, persona(call)), presentRetarget),
  tagMedia: async (call) => answered(await tagMedia(call.ctx, medium(call)), presentMediaTags),
  jobPage: async (call) => ok(presentJobPage(await jobPage(call.ctx, page(call)))),
  job: async (call) => ok(presentJob(await job(call.ctx, { jobId: param(call, 'job_id') }))),
  exportJobs: async (call) => csv(await exportJobs(call.ctx, exported(call)), call),
  voiceJob: async (call) => polled(await voiceJob(call.ctx, { jobId: param(call, 'job_id') }), call.ctx.now()),
  account: async (call) => ok(presentAccount(await account(call.ctx))),
  endpointVoices: (call) => ok(presentVoices(endpointVoices(call.ctx, { slug: param(call, 'slug') }))),
  endpointSchema: (call) => ok(presentSchema(endpointSchema(call.ctx, { slug: param(call, 'slug') }))),
  catalog: (call) => cached(catalog(call.ctx).document, call.headers),
  catalogEndpoint: (call) => cached(catalogEndpoint(call.ctx, { slug: param(call, 'slug') }).document, call.headers),
} satisfies Record<string, Operation>

/** A caller's copy stays valid as long as the ETag does (RFC 9110 section 13.1.2). */
export function cached(document: PublicDocument, headers: IncomingHttpHeaders): Answer {
  const validators = { etag: document.etag, 'cache-control': 'no-cache' }
  if (namesETag(headers['if-none-match'], document.etag)) return { status: 304, headers: validators, body: null }
  return { status: 200, headers: validators, body: presentDocument(document) }
}

const ok = (body: object): Answer => ({ status: 200, body })

function accepted(made: Submission, jobs: string): Answer {
  const location = { location: `/api/v1${jobs}/${made.jobId}` }
  const headers = made.replayed ? { ...location, 'idempotency-replayed': 'true' } : location
  return { status: 202, headers, body: presentSubmission(made) }
}

/** Companion work is finished when it is answered; a provider that failed is reported with the job. */
function answered<Result>(
  job: CompanionView<Result>,
  present: (job: CompanionView<Result>, result: Result) => object,
): Answer {
  const headers: Record<string, string> = job.replayed ? { 'idempotency-replayed': 'true' } : {}
  if (job.result === null) return { status: 502, headers, body: presentFailure(job) }
  return { status: 200, headers, body: present(job, job.result) }
}

/** Seconds of age up to which a job is polled at a pace in seconds; older ones wait for the last. */
const POLL_PACES = [
  { untilAge: 5, every: 1 },
  { untilAge: 20, every: 2 },
  { untilAge: 60, every: 5 },
  { untilAge: Number.POSITIVE_INFINITY, every: 10 },
]

function polled(job: VoiceJobView, now: Date): Answer {
  const answer = ok(presentVoiceJob(job))
  if (isTerminal(job.status)) return answer
  const age = (now.getTime() - job.createdAt.getTime()) / 1000
  const pace = POLL_PACES.find(({ untilAge }) => age < untilAge)
  return { ...answer, headers: { 'retry-after': String(pace?.every) } }
}

function submission(call: Call): VoiceJobInput & GenerationInput {
  const { inputs, webhook_url: webhookUrl } = call.body as VoiceJobRequest | GenerationRequest
  return { slug: param(call, 'slug'), inputs, webhookUrl, idempotencyKey: idempotencyKey(call) }
}

function page({ query }: Call): JobPageInput {
  const { limit, offset, type, decision, status, api_key_id: apiKeyId, search } = query as JobPageQuery
  const window = { from: moment(query, 'from'), to: moment(query, 'to') }
  return { limit, offset, filter: { type, decision, status, apiKeyId, search, ...window } }
}

const csv = ({ csv: file }: JobExport, { headers, query }: Call): Answer =>
  sendCsv(file, `jobs-${[query.from, query.to].join('-').replace(/[^\w.-]/g, '')}.csv`, headers)

/** Both are required, which the document has seen to. */
const exported = ({ query, gone }: Call): ExportInput => ({
  from: moment(query, 'from') as Date,
  to: moment(query, 'to') as Date,
  gone: gone(),
})

function moment(query: Query, name: string): Date | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const found = parseTimestamp(String(text))
  if (found !== null) return found
  const message = 'must be an RFC 3339 date-time or a date, such as 2026-01-31T09:05:00Z'
  throw invalidRequest('Invalid request: see `details`.', [{ path: name, message }])
}

function message(call: Call): ChatInput {
  const { chat_id: chatId, message } = call.body as ChatRequest
  return { chatId, message, idempotencyKey: idempotencyKey(call) }
}

function persona(call: Call): RetargetInput {
  const { chat_id: chatId, persona } = call.body as RetargetRequest
  return { chatId, persona, idempotencyKey: idempotencyKey(call) }
}

function medium(call: Call): MediaTagInput {
  const { media_url: mediaUrl, media_kind: mediaKind } = call.body as MediaTagRequest
  return { mediaUrl, mediaKind, idempotencyKey: idempotencyKey(call) }
}

const idempotencyKey = ({ headers }: Call) => headers['idempotency-key'] as string | undefined

const param = ({ params }: Call, name: string): string => params[name] ?? ''
