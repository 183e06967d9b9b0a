import type { Account } from '../src/accounts/accounts.ts'
import { schemaDocument, voicesDocument } from '../src/catalog/voice-endpoint.ts'
import type { ChatResult, RetargetResult } from '../src/companion/chat-with-companion.ts'
import type { CompanionView } from '../src/companion/companion-job.ts'
import type { MediaTagResult } from '../src/companion/tag-media.ts'
import type { PublicDocument, VoiceEndpoint } from '../src/context/catalog-snapshot.ts'
import { fieldOf, REST_FIELDS } from '../src/jobs/job-fields.ts'
import { type JobResult, resultOf } from '../src/jobs/job-result.ts'
import { errorOf, type Job, type JobSummary } from '../src/jobs/job-shape.ts'
import { isCompanion, JOB_ERRORS } from '../src/jobs/job-states.ts'
import type { Submission } from '../src/jobs/lifecycle/queue-job.ts'
import type { JobPage } from '../src/jobs/list/job-page.ts'
import type { UrlParts } from '../src/jobs/sign-outputs.ts'
import type { AccountLexicon } from '../src/lexicon/account-lexicon.ts'
import type { AccountVoice } from '../src/library/account-voices.ts'
import type {
  Account as AccountBody,
  AccountVoice as AccountVoiceBody,
  AccountVoices,
  ChatJob,
  CompanionFailure,
  DeletedVoice,
  EndpointSchema,
  EndpointVoices,
  Job as JobBody,
  JobPage as JobPageBody,
  JobSummary as JobSummaryBody,
  Lexicon,
  MediaTagJob,
  RetargetJob,
  VoiceJobReceipt,
} from './types.ts'

export const presentSubmission = ({ jobId, status }: Submission): VoiceJobReceipt => ({ job_id: jobId, status })

const companionHead = ({ jobId, isProhibited }: CompanionView<unknown>) => ({
  job_id: jobId,
  status: 'completed' as const,
  is_prohibited: isProhibited === true,
})

export const presentChat = (job: CompanionView<ChatResult>, { chatId, reply }: ChatResult): ChatJob => ({
  ...companionHead(job),
  chat_id: chatId,
  reply,
})

export const presentRetarget = (job: CompanionView<RetargetResult>, { chatId }: RetargetResult): RetargetJob => ({
  ...companionHead(job),
  chat_id: chatId,
})

export const presentMediaTags = (job: CompanionView<MediaTagResult>, result: MediaTagResult): MediaTagJob => ({
  ...companionHead(job),
  media_url: result.mediaUrl,
  media_kind: result.mediaKind,
  tags: [...result.tags],
})

export const presentFailure = ({ jobId, failure }: CompanionView<unknown>): CompanionFailure => ({
  job_id: jobId,
  status: 'failed',
  error: failure?.message ?? JOB_ERRORS.INTERNAL_ERROR,
  error_code: failure?.code ?? 'INTERNAL_ERROR',
})

const SUMMARY = REST_FIELDS.map(fieldOf)

function presentJobSummary(job: JobSummary): JobSummaryBody {
  const body: Record<string, unknown> = {}
  for (const { name, wire } of SUMMARY) {
    const value = job[name as keyof JobSummary]
    body[wire] = value instanceof Date ? value.toISOString() : value
  }
  if (!isCompanion(job.type)) body.is_prohibited = undefined
  return body as unknown as JobSummaryBody
}

/** Output URLs are signed now and live 15 minutes. */
export async function presentJob(parts: UrlParts, job: Job): Promise<JobBody> {
  const result = await resultOf(parts, job, job.storedOutputs ?? null)
  const error = errorOf(job)
  return {
    ...presentJobSummary(job),
    ...(result !== null && { result: presentJobResult(result) }),
    ...(error !== null && { error: error.message, error_code: error.code }),
  }
}

const presentJobResult = (result: JobResult): NonNullable<JobBody['result']> =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value instanceof Date ? value.toISOString() : value,
    ]),
  ) as never

export const presentAccount = ({ id, name, credits }: Account): AccountBody => ({
  account_id: id,
  name,
  credits: Number(credits),
})

export const presentAccountVoice = (voice: AccountVoice): AccountVoiceBody => ({
  voice_id: voice.id,
  name: voice.name,
  duration_ms: voice.durationMs,
  ref_text: voice.transcript,
  language: voice.language,
  created_at: voice.createdAt.toISOString(),
})

export const presentAccountVoices = (voices: readonly AccountVoice[]): AccountVoices => ({
  voices: voices.map(presentAccountVoice),
})

export const presentLexicon = ({ entries }: AccountLexicon): Lexicon => ({ entries: [...entries] })

export const presentDeletedVoice = ({ voiceId }: { readonly voiceId: string }): DeletedVoice => ({
  voice_id: voiceId,
  deleted: true,
})

export const presentJobPage = ({ jobs, total, limit, offset }: JobPage): JobPageBody => ({
  jobs: jobs.map(presentJobSummary),
  total,
  limit,
  offset,
})

export const presentVoices = (endpoint: VoiceEndpoint): EndpointVoices => voicesDocument(endpoint)

export const presentSchema = (endpoint: VoiceEndpoint): EndpointSchema =>
  schemaDocument(endpoint) as unknown as EndpointSchema

/** The body's bytes must match the catalog's ETag. */
export const presentDocument = ({ body }: PublicDocument): Buffer => body
