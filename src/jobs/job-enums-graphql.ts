import { builder } from '../graphql/builder.ts'
import { upperCased } from '../graphql/enum-values.ts'
import { JOB_ERRORS, type JobDecision, type JobErrorCode, type JobStatus, type JobType } from './job-states.ts'

export const JobStatusEnum = builder.enumType('JobStatus', {
  description: 'Where a job stands. COMPLETED and FAILED are final.',
  values: upperCased<JobStatus>({
    queued: 'It waits for a worker.',
    processing: 'A worker has it.',
    completed: 'Its outputs are there.',
    failed: 'Its errorCode says why.',
  }),
})

export const JobErrorCodeEnum = builder.enumType('JobErrorCode', {
  description: 'Why a job failed: the value to branch on.',
  values: Object.fromEntries(
    Object.entries(JOB_ERRORS).map(([value, description]) => [value, { value, description }]),
  ) as unknown as { [C in JobErrorCode]: { value: C } },
})

export const JobTypeEnum = builder.enumType('JobType', {
  description: 'Which producer a job comes from.',
  values: upperCased<JobType>({
    voice: 'A voice endpoint.',
    companion_chat: 'chatWithCompanion.',
    companion_retarget: 'retargetCompanion.',
    companion_media_tag: 'tagMedia.',
    generate: 'A workflow.',
  }),
})

export const JobDecisionEnum = builder.enumType('JobDecision', {
  description: 'The verdict on a moderated job.',
  values: upperCased<JobDecision>({ pass: 'It was let through.', reject: 'It was prohibited.' }),
})
