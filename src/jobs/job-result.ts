import { type AnyFormat, FILE_TYPES, formatOfType, isAudioFormat } from '../audio/format.ts'
import { queuedKindOf } from '../catalog/job-kinds.ts'
import { RESPONSE_FIELDS, type ResponseField } from '../context/catalog-snapshot.ts'
import type { Parts } from '../context/context.ts'
import { errorOf, type Job } from './job-shape.ts'
import type { JobErrorCode, JobStatus } from './job-states.ts'
import { type StoredOutput, signOutputs, type UrlParts } from './sign-outputs.ts'

export const AUDIO_FOLDERS = { completed: 'audio', live: 'live' } as const
const VOICE_PREFIX = 'voice.'

export interface JobResult {
  readonly createdAt?: Date
  readonly completedAt?: Date | null
  readonly outputs?: Readonly<Record<string, string>>
  readonly endpointSlug?: string
  readonly workflowSlug?: string
  readonly isProhibited?: boolean | null
  readonly chatId?: string | null
  readonly mediaUrl?: string | null
  readonly mediaKind?: string | null
}

interface VoiceJobBody {
  job_id: string
  status: JobStatus
  created_at?: string
  completed_at?: string | null
  outputs?: Readonly<Record<string, string>>
  error?: string
  error_code?: JobErrorCode
}

export type PolledJob = Pick<
  Job,
  'id' | 'endpointKey' | 'status' | 'createdAt' | 'completedAt' | 'errorCode' | 'storedOutputs'
>

/** Signs URLs anew; null unless the job is completed. */
export async function resultOf(
  parts: UrlParts,
  job: Job,
  outputs: readonly StoredOutput[] | null,
): Promise<JobResult | null> {
  if (job.status !== 'completed') return null
  const kind = queuedKindOf(job.type)
  if (kind !== undefined) return { ...(await rendered(parts, job, outputs)), [kind.slugAs]: slugOf(job) }
  const { isProhibited, chatId, mediaUrl, mediaKind } = job
  return job.type === 'companion_media_tag' ? { isProhibited, mediaUrl, mediaKind } : { isProhibited, chatId }
}

const rendered = async (
  parts: UrlParts,
  { id, createdAt, completedAt }: Job,
  outputs: readonly StoredOutput[] | null,
): Promise<JobResult> => ({ createdAt, completedAt, outputs: await signOutputs(parts, id, outputs) })

const slugOf = ({ endpointKey }: Job): string => endpointKey.slice(endpointKey.indexOf('.') + 1)

/**
 * Null unless the job is completed, and for a format that is not made on read.
 * @param format null: as stored
 */
export async function audioUrlOf(
  { storage, speechUrls, now }: UrlParts,
  { id, status }: Job,
  outputs: readonly StoredOutput[] | null,
  format: AnyFormat | null,
): Promise<string | null> {
  const stored = outputs?.find(({ output }) => output === 'audio')
  if (status !== 'completed' || stored === undefined) return null
  const { storageKey, contentType, deletedAt } = stored
  if (format === null || format === formatOfType(contentType))
    return storage.signUrl(storageKey, { contentType, now: now(), isDeleted: deletedAt != null })
  if (!isAudioFormat(format)) return null
  return speechUrls.sign(`${AUDIO_FOLDERS.completed}/${id}.${format}`, FILE_TYPES[format], now())
}

/** A signed URL that plays speech while it is spoken; null if the job has failed, and for a format that is not made on read. */
export const liveUrlOf = ({ speechUrls, now }: UrlParts, { id, status }: Job, format: AnyFormat): string | null =>
  status === 'failed' || !isAudioFormat(format)
    ? null
    : speechUrls.sign(`${AUDIO_FOLDERS.live}/${id}.${format}`, FILE_TYPES[format], now())

/** The wire form of a job for polling and webhooks. URLs are signed for 15 minutes. */
export async function presentVoiceJob(parts: UrlParts & Pick<Parts, 'catalog'>, job: PolledJob): Promise<VoiceJobBody> {
  const fields = responseFieldsOf(parts, job)
  const body: VoiceJobBody = { job_id: job.id, status: job.status }
  if (fields.includes('created_at')) body.created_at = job.createdAt.toISOString()
  if (fields.includes('completed_at')) body.completed_at = job.completedAt?.toISOString() ?? null
  if (job.status === 'completed') body.outputs = await signOutputs(parts, job.id, job.storedOutputs ?? null)
  const error = errorOf(job)
  if (error !== null) {
    body.error = error.message
    body.error_code = error.code
  }
  return body
}

function responseFieldsOf({ catalog }: Pick<Parts, 'catalog'>, { endpointKey }: PolledJob): readonly ResponseField[] {
  if (!endpointKey.startsWith(VOICE_PREFIX)) return RESPONSE_FIELDS
  return catalog.current.endpoints.get(endpointKey.slice(VOICE_PREFIX.length))?.responseFields ?? RESPONSE_FIELDS
}
