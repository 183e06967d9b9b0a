import type { GraphQLResolveInfo } from 'graphql'
import { builder } from '../../graphql/builder.ts'
import { subscribedBy } from '../../graphql/resolved-by.ts'
import { selectsAny } from '../../graphql/selected-fields.ts'
import type { Job } from '../job-shape.ts'
import type { JobChange } from '../live/followers.ts'
import { jobUpdated } from '../live/job-updated.ts'
import { type JobsChangedInput, jobChanges, jobsChanged } from '../live/jobs-changed.ts'
import { type JobsUpdatedInput, jobsUpdated } from '../live/jobs-updated.ts'
import { JobInterface } from './job-interface-graphql.ts'
import { JobFilterInput } from './job-page-graphql.ts'
import { JobsFilterInput } from './jobs-graphql.ts'

const PROGRESS: ReadonlySet<string> = new Set(['chunksDone', 'chunksTotal', 'liveUrl'])
const withProgress = <Input>(args: Input, info: GraphQLResolveInfo) => ({
  ...args,
  ignoresProgress: !selectsAny(info, PROGRESS),
})

const JobChangesRef = builder.objectRef<readonly JobChange[]>('JobChanges').implement({
  description: 'What has changed in a list of jobs, at most 500 jobs together.',
  fields: (t) => ({
    jobs: t.field({
      type: [JobInterface],
      description: 'Those that match, each in its latest state.',
      resolve: (changes) => changes.flatMap(({ job }) => job ?? []),
      extensions: { length: 100 },
    }),
    removedIds: t.idList({
      description:
        'Those that match no more, or were deleted. A list that holds one of them drops it; others need not know it.',
      resolve: (changes) => changes.flatMap(({ id, job }) => (job === null ? [id] : [])),
    }),
  }),
})

const EVERY = 'A message once in this time at most: 100 to 60,000; 1,000 unless given.'

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
    ...subscribedBy(jobsUpdated, (args: JobsUpdatedInput, info) => withProgress(args, info)),
    resolve: (job: Job) => job,
  }),
  jobsChanged: t.field({
    type: [JobInterface],
    description:
      'The jobs that match and have changed, each in its latest state, at most 500 in a message; first the unfinished ones as they are now.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "In milliseconds, 0 to 300,000: the subscription also begins with jobs that ended so long ago at most, up to 300 of the account's newest 1,000 jobs, before the filter. Without it, with unfinished ones alone.",
      }),
    },
    ...subscribedBy(jobsChanged, (args: JobsChangedInput, info) => withProgress(args, info)),
    resolve: (jobs: readonly Job[]) => [...jobs],
    extensions: { verb: jobsChanged, length: 100 },
  }),
}))

builder.subscriptionField('jobChanges', (t) =>
  t.field({
    type: JobChangesRef,
    description:
      'The jobs that match and have changed, as `jobsChanged` has them, and which match no more or were deleted: with both a list stays true.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "In milliseconds, 0 to 300,000: the subscription also begins with jobs that ended so long ago at most, up to 300 of the account's newest 1,000 jobs; those of them that match no more are removed ones.",
      }),
    },
    ...subscribedBy(jobChanges, (args: JobsChangedInput, info) => withProgress(args, info)),
    resolve: (changes: readonly JobChange[]) => changes,
  }),
)
