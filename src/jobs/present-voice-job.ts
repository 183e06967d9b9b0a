import type { JobErrorCode, JobStatus } from './job-states.ts'
import type { VoiceJobView } from './voice-job.ts'

/** The wire form of a voice or generation job: the answer of `voiceJob`, and the body of its webhook delivery. */
export interface VoiceJobBody {
  job_id: string
  status: JobStatus
  created_at?: string
  completed_at?: string | null
  outputs?: Readonly<Record<string, string>>
  error?: string
  error_code?: JobErrorCode
}

/** What polling and the webhook delivery report of a job. */
export function presentVoiceJob(job: VoiceJobView): VoiceJobBody {
  const body: VoiceJobBody = { job_id: job.jobId, status: job.status }
  if (job.responseFields.includes('created_at')) body.created_at = job.createdAt.toISOString()
  if (job.responseFields.includes('completed_at')) body.completed_at = job.completedAt?.toISOString() ?? null
  if (job.outputs !== null) body.outputs = job.outputs
  if (job.failure !== null) {
    body.error = job.failure.message
    body.error_code = job.failure.code
  }
  return body
}
