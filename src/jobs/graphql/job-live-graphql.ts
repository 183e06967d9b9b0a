import { builder } from '../../graphql/builder.ts'
import { subscribedBy } from '../../graphql/resolved-by.ts'
import type { Job } from '../job-shape.ts'
import { jobUpdated } from '../live/job-updated.ts'
import { type JobsChangedInput, jobsChanged } from '../live/jobs-changed.ts'
import { type JobsUpdatedInput, jobsUpdated } from '../live/jobs-updated.ts'
import { JobInterface } from './job-interface-graphql.ts'
import { JobFilterInput } from './job-page-graphql.ts'
import { JobsFilterInput } from './jobs-graphql.ts'

builder.subscriptionFields((t) => ({
  jobUpdated: t.field({
    type: JobInterface,
    description: 'A job as it is now and whenever it changes, until it has ended.',
    args: { id: t.arg.id({ required: true, description: 'A job id.' }) },
    ...subscribedBy(jobUpdated, (args: { id: string }) => ({ jobId: args.id })),
    resolve: (job: Job) => job,
  }),
  jobsUpdated: t.field({
    type: JobInterface,
    description: 'The jobs that match, whenever they change; first the unfinished ones as they are now.',
    args: {
      filter: t.arg({ type: JobFilterInput, description: 'Which jobs, by a value for each field.' }),
      where: t.arg({
        type: JobsFilterInput,
        description: 'Which jobs, by any filter of `jobs`. With both, both match.',
      }),
    },
    ...subscribedBy(jobsUpdated, (args: JobsUpdatedInput) => args),
    resolve: (job: Job) => job,
  }),
  jobsChanged: t.field({
    type: [JobInterface],
    description:
      'The jobs that match and have changed, each in its latest state, at most 500 in a message; first the unfinished ones as they are now.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      everyMs: t.arg.int({ description: 'A message once in this time at most: 100 to 60,000; 1,000 unless given.' }),
      endedWithinMs: t.arg.int({
        description:
          "In milliseconds, 0 to 300,000: the subscription also begins with jobs that ended so long ago at most, up to 300 of the account's newest 1,000 jobs, before the filter. Without it, with unfinished ones alone.",
      }),
    },
    ...subscribedBy(jobsChanged, (args: JobsChangedInput) => args),
    resolve: (jobs: readonly Job[]) => [...jobs],
    extensions: { verb: jobsChanged, length: 100 },
  }),
}))
