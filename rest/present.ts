import type { PublicDocument } from '../src/endpoints/catalog-cache.ts'
import { schemaDocument, type VoiceEndpoint, voicesDocument } from '../src/endpoints/voice-endpoint.ts'
import type { Submission } from '../src/jobs/queue-job.ts'
import type { VoiceJobView } from '../src/jobs/voice-job.ts'
import type { EndpointSchema, EndpointVoices, VoiceJob, VoiceJobOutputs, VoiceJobReceipt } from './types.ts'

/** The body of the 202 (spec 4.1). */
export const presentSubmission = ({ jobId, status }: Submission): VoiceJobReceipt => ({ job_id: jobId, status })

/** What polling and the callback report of a voice job (spec 2.9, contract.md section 3). */
export function presentVoiceJob(job: VoiceJobView): VoiceJob {
  const body: VoiceJob = { job_id: job.jobId, status: job.status }
  if (job.responseFields.includes('created_at')) body.created_at = job.createdAt.toISOString()
  if (job.responseFields.includes('completed_at')) body.completed_at = job.completedAt?.toISOString() ?? null
  if (job.outputs !== null) body.outputs = job.outputs as VoiceJobOutputs
  if (job.failure !== null) {
    body.error = job.failure.message
    body.error_code = job.failure.code
  }
  return body
}

/** Spec 4.3, contract.md section 3. */
export const presentVoices = (endpoint: VoiceEndpoint): EndpointVoices => voicesDocument(endpoint)

/** Spec 4.4, contract.md section 3. */
export const presentSchema = (endpoint: VoiceEndpoint): EndpointSchema =>
  schemaDocument(endpoint) as unknown as EndpointSchema

/** A public document goes out as it was prepared (spec 4.5, 4.6): the catalog hashes the very bytes that it serves. */
export const presentDocument = ({ body }: PublicDocument): Buffer => body
