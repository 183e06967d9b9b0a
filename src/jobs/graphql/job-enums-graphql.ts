import { describedEnum } from '../../graphql/described-enum.ts'
import { JOB_ERRORS, type JobDecision, type JobErrorCode, type JobStatus, type JobType } from '../job-states.ts'

export const JobStatusEnum = describedEnum<JobStatus>(
  'JobStatus',
  'The status of a job. COMPLETED and FAILED are final.',
  {
    queued: 'It waits for a worker.',
    processing: 'A worker is performing it.',
    completed: 'Its outputs are available.',
    failed: 'It failed; see errorCode.',
  },
)

export const JobErrorCodeEnum = describedEnum<JobErrorCode>(
  'JobErrorCode',
  'Why a job failed: the value to branch on.',
  JOB_ERRORS,
)

export const JobTypeEnum = describedEnum<JobType>('JobType', 'The type of a job: the operation that made it.', {
  voice: 'A voice endpoint.',
  companion_chat: 'chatWithCompanion.',
  companion_retarget: 'retargetCompanion.',
  companion_media_tag: 'tagMedia.',
  generate: 'A workflow.',
})

export const JobDecisionEnum = describedEnum<JobDecision>('JobDecision', 'The moderation verdict.', {
  pass: 'The content was accepted.',
  reject: 'The content was rejected.',
})
