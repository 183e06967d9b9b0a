import { builder } from '../graphql/builder.ts'
import { upperCased } from '../graphql/enum-values.ts'
import { JOB_DECISIONS, JOB_ERRORS, JOB_STATUSES, JOB_TYPES, type JobErrorCode } from './job-states.ts'

export const JobStatusEnum = builder.enumType('JobStatus', {
  description: 'Where a job stands. COMPLETED and FAILED are final.',
  values: upperCased(JOB_STATUSES),
})

export const JobErrorCodeEnum = builder.enumType('JobErrorCode', {
  description: 'Why a job failed: the value to branch on.',
  values: Object.fromEntries(
    Object.entries(JOB_ERRORS).map(([value, description]) => [value, { value, description }]),
  ) as unknown as { [C in JobErrorCode]: { value: C } },
})

export const JobTypeEnum = builder.enumType('JobType', {
  description: 'Which producer a job comes from.',
  values: upperCased(JOB_TYPES),
})

export const JobDecisionEnum = builder.enumType('JobDecision', {
  description: 'The verdict on a moderated job.',
  values: upperCased(JOB_DECISIONS),
})
