import { RESPONSE_FIELDS, type ResponseField } from '../context/catalog-snapshot.ts'
import type { Parts } from '../context/context.ts'
import { errorOf, type Job } from './job-shape.ts'
import type { JobErrorCode, JobStatus } from './job-states.ts'
import { signOutputs } from './sign-outputs.ts'
import type { UrlParts } from './speech-urls.ts'

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

const VOICE_PREFIX = 'voice.'

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
