import { describedEnum } from '../graphql/described-enum.ts'
import { JOB_ERRORS, type JobDecision, type JobErrorCode, type JobStatus, type JobType } from './job-states.ts'

export const JobStatusEnum = describedEnum<JobStatus>(
  'JobStatus',
  'Where a job stands. COMPLETED and FAILED are final.',
  {
    queued: 'It waits for a worker.',
    processing: 'A worker has it.',
    completed: 'Its outputs are there.',
    failed: 'Its errorCode says why.',
  },
)

export const JobErrorCodeEnum = describedEnum<JobErrorCode>(
  'JobErrorCode',
  'Why a job failed: the value to branch on.',
  JOB_ERRORS,
)

export const JobTypeEnum = describedEnum<JobType>('JobType', 'Which producer a job comes from.', {
  voice: 'A voice endpoint.',
  companion_chat: 'chatWithCompanion.',
  companion_retarget: 'retargetCompanion.',
  companion_media_tag: 'tagMedia.',
  generate: 'A workflow.',
})

export const JobDecisionEnum = describedEnum<JobDecision>('JobDecision', 'The verdict on a moderated job.', {
  pass: 'It was let through.',
  reject: 'It was prohibited.',
})
