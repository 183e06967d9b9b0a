import type { ChatInput, RetargetInput } from '../src/companion/chat-with-companion.ts'
import type { MediaTagInput } from '../src/companion/tag-media.ts'
import { invalidRequest } from '../src/errors/service-error.ts'
import type { GenerationInput } from '../src/generation/submit-generation.ts'
import type { Form } from '../src/http/multipart-body.ts'
import type { ChangedJobsInput } from '../src/jobs/export/changed-jobs.ts'
import type { ExportInput, ExportLedgerInput } from '../src/jobs/export/export-jobs.ts'
import type { SettledEntriesInput } from '../src/jobs/export/settled-entries.ts'
import type { JobPageInput } from '../src/jobs/list/job-page.ts'
import type { FilterParameters } from '../src/jobs/list/jobs-filter.ts'
import type { UsageInput } from '../src/jobs/list/usage.ts'
import { type NewVoice, readVoiceForm } from '../src/library/change-voices.ts'
import { parseTimestamp } from '../src/values/timestamp.ts'
import type { VoiceJobInput } from '../src/voice/submit-voice-job.ts'
import type { Call, CallHead } from './operation.ts'
import type { Query } from './parameters.ts'
import type { ChatRequest, GenerationRequest, MediaTagRequest, RetargetRequest, VoiceJobRequest } from './types.ts'

type JobPageQuery = Pick<JobPageInput, 'limit' | 'offset'> &
  Pick<FilterParameters, 'type' | 'decision' | 'status' | 'search'> & { readonly api_key_id?: string }

type ChangesQuery = Pick<ChangedJobsInput, 'since' | 'format' | 'columns' | 'limit'> & {
  readonly escape?: ChangedJobsInput['escaping']
}

type UsageQuery = Pick<UsageInput, 'bucket'> & {
  readonly group_by?: UsageInput['groupBy']
  readonly time_zone?: string
}

export const nothing = (): undefined => undefined

export const slugOf = ({ params }: CallHead): string => params.slug ?? ''

export const idempotencyKeyOf = ({ headers }: CallHead): string | undefined =>
  headers['idempotency-key'] as string | undefined

export const slugInput = (call: Call): { slug: string } => ({ slug: slugOf(call) })

export const jobInput = ({ params }: Call): { jobId: string } => ({ jobId: params.job_id ?? '' })

/** @throws INVALID_REQUEST */
export const voiceForm = ({ body }: Call): NewVoice => readVoiceForm(body as Form)

export const voiceInput = ({ params }: Call): { voiceId: string } => ({ voiceId: params.voice_id ?? '' })

export const formatInput = (call: Call): { jobId: string; format: string | undefined } => ({
  ...jobInput(call),
  format: call.query.format as string | undefined,
})

export const audioInput = (call: Call): ReturnType<typeof formatInput> & { gone: AbortSignal } => ({
  ...formatInput(call),
  gone: call.disconnect(),
})

export function submissionInput(call: Call): VoiceJobInput & GenerationInput {
  const { inputs, webhook_url: webhookUrl } = call.body as VoiceJobRequest | GenerationRequest
  return { slug: slugOf(call), inputs, webhookUrl, idempotencyKey: idempotencyKeyOf(call) }
}

/** @throws INVALID_REQUEST for a date that does not exist */
export function pageInput({ query }: Call): JobPageInput {
  const { limit, offset, type, decision, status, api_key_id: apiKeyId, search } = query as JobPageQuery
  const window = { from: timestamp(query, 'from'), to: timestamp(query, 'to') }
  return { limit, offset, filter: { type, decision, status, apiKeyId, search, ...window } }
}

/** @throws INVALID_REQUEST for a date that does not exist */
export const exportInput = ({ query, disconnect }: Pick<Call, 'query' | 'disconnect'>): ExportInput => ({
  from: timestamp(query, 'from') as Date,
  to: timestamp(query, 'to') as Date,
  gone: disconnect(),
})

export const ledgerInput = ({ query, disconnect }: Pick<Call, 'query' | 'disconnect'>): ExportLedgerInput => ({
  from: timestamp(query, 'from'),
  to: timestamp(query, 'to'),
  gone: disconnect(),
})

/** @throws INVALID_REQUEST for a date that does not exist */
export function changesInput({ query, disconnect }: Call): ChangedJobsInput {
  const { since, format, columns, escape: escaping, limit } = query as ChangesQuery
  const window = { from: timestamp(query, 'changed_from'), to: timestamp(query, 'changed_to') }
  return { since, ...window, format, columns, escaping, limit, gone: disconnect() }
}

export const entriesInput = ({ query, disconnect }: Call): SettledEntriesInput => ({
  ...(query as Pick<SettledEntriesInput, 'since' | 'format' | 'limit'>),
  gone: disconnect(),
})

/** @throws INVALID_REQUEST for a date that does not exist */
export function usageInput({ query, disconnect }: Call): UsageInput {
  const { bucket, group_by: groupBy, time_zone: timeZone } = query as UsageQuery
  const [from, to] = [timestamp(query, 'from') as Date, timestamp(query, 'to') as Date]
  return { from, to, bucket, groupBy, timeZone, gone: disconnect() }
}

export function chatInput(call: Call): ChatInput {
  const { chat_id: chatId, message } = call.body as ChatRequest
  return { chatId, message, idempotencyKey: idempotencyKeyOf(call) }
}

export function retargetInput(call: Call): RetargetInput {
  const { chat_id: chatId, persona } = call.body as RetargetRequest
  return { chatId, persona, idempotencyKey: idempotencyKeyOf(call) }
}

export function mediaTagInput(call: Call): MediaTagInput {
  const { media_url: mediaUrl, media_kind: mediaKind } = call.body as MediaTagRequest
  return { mediaUrl, mediaKind, idempotencyKey: idempotencyKeyOf(call) }
}

function timestamp(query: Query, name: string): Date | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  const found = parseTimestamp(String(text))
  if (found !== null) return found
  const message = 'must be an RFC 3339 date-time or a date, such as 2026-01-31T09:05:00Z'
  throw invalidRequest('Invalid request: see `details`.', [{ path: name, message }])
}
