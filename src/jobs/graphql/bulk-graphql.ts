import type { ErrorCode } from '../../errors/service-error.ts'
import { builder } from '../../graphql/builder.ts'
import { ErrorCodeEnum } from '../../graphql/request-error.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { type Retries, retryJobs } from '../../producers/retry-jobs.ts'
import { cancelJobs } from '../bulk/cancel-jobs.ts'
import type { Each } from '../bulk/each-id.ts'
import type { Job } from '../job-shape.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import { JobInterface, madeJob } from './job-interface-graphql.ts'

const ID = 'The id that was sent.'
export const ERROR = 'Why this id failed; null where it succeeded.'
export const BULK = { cost: 100, length: 100 }

export const BulkErrorRef = builder
  .objectRef<{ readonly code: ErrorCode; readonly message: string }>('BulkError')
  .implement({
    description: 'Why one of several ids failed.',
    fields: (t) => ({
      code: t.field({ type: ErrorCodeEnum, description: 'The value to branch on.', resolve: ({ code }) => code }),
      message: t.exposeString('message', { description: 'One sentence that says what is wrong or what to do next.' }),
    }),
  })

const CancelledRef = builder.objectRef<Each<Job>>('CancelledJob').implement({
  description: 'What came of one id of cancelJobs.',
  fields: (t) => ({
    jobId: t.exposeID('id', { description: ID }),
    job: t.expose('result', {
      type: JobInterface,
      nullable: true,
      description: 'The job as it is now; null with an error.',
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const CancelJobsRef = builder.objectRef<readonly Each<Job>[]>('CancelJobsSuccess').implement({
  description: 'What came of each id.',
  fields: (t) => ({
    results: t.field({
      type: [CancelledRef],
      description: 'In the order of the ids; one that was sent twice is here once.',
      resolve: (all) => [...all],
      extensions: BULK,
    }),
  }),
})

const RetriedRef = builder.objectRef<Each<Submission>>('RetriedJob').implement({
  description: 'What came of one id of retryJobs.',
  fields: (t) => ({
    jobId: t.exposeID('id', { description: ID }),
    job: t.field({
      type: JobInterface,
      nullable: true,
      description: 'The new job that repeats it; null with an error.',
      resolve: ({ result }, _args, ctx) => (result === null ? null : madeJob(ctx, result)),
    }),
    replayed: t.boolean({
      description: 'Whether the idempotency key belongs to an earlier new job, which is this one.',
      resolve: ({ result }) => result?.replayed ?? false,
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const RetryJobsRef = builder.objectRef<readonly Each<Submission>[]>('RetryJobsSuccess').implement({
  description: 'What came of each id.',
  fields: (t) => ({
    results: t.field({
      type: [RetriedRef],
      description: 'In the order of the ids; one that was sent twice is here once.',
      resolve: (all) => [...all],
      extensions: BULK,
    }),
  }),
})

builder.mutationFields((t) => ({
  cancelJobs: t.field({
    type: CancelJobsRef,
    errors: {},
    description: 'Cancels each of up to 100 jobs as cancelJob does; one that cannot be fails alone.',
    args: { ids: t.arg.idList({ required: true, description: 'Job ids.' }) },
    ...resolvedBy(cancelJobs, (args: { ids: readonly string[] }) => args),
  }),
  retryJobs: t.field({
    type: RetryJobsRef,
    errors: {},
    description: 'Submits each of up to 100 failed jobs again as retryJob does; one that cannot be fails alone.',
    args: {
      ids: t.arg.idList({ required: true, description: 'The ids of failed jobs.' }),
      idempotencyKey: t.arg.string({
        description: 'The same key with the same jobs returns the same new jobs for 24 hours; at most 200 characters.',
      }),
    },
    ...resolvedBy(retryJobs, (args: Retries) => args),
  }),
}))
