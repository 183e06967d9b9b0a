import { builder } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import type { JobPriority } from '../job-shape.ts'

export const JobPriorityEnum = describedEnum<JobPriority>('JobPriority', 'Urgency of a job.', {
  interactive: 'A caller waits for the job, so it waits for no batch job.',
  batch: 'The job may wait for interactive jobs; it gets at least a quarter of the engine while it waits.',
})

type InputRef = ReturnType<typeof builder.inputRef<object>>
type InputFieldBuilder = Parameters<Parameters<InputRef['implement']>[0]['fields']>[0]

export interface SubmitOptions {
  readonly tags?: readonly string[] | null | undefined
  readonly priority?: JobPriority | null | undefined
}

export const submitOptionFields = (t: InputFieldBuilder) => ({
  tags: t.stringList({
    description:
      'Names to find the job by, for filters and statistics: at most 10 of 1 to 64 characters each, without control characters. Equal ones count once.',
  }),
  priority: t.field({
    type: JobPriorityEnum,
    description: 'Urgency of the job; INTERACTIVE if absent and `live` is true, else BATCH.',
  }),
})

export const SubmitOptionsInput = builder.inputRef<SubmitOptions>('SubmitOptions').implement({
  description: 'Options of a submission that its job keeps.',
  fields: submitOptionFields,
})
