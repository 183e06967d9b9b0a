import type { ErrorCode } from '../../errors/service-error.ts'
import { builder } from '../../graphql/builder.ts'
import { ErrorCodeEnum } from '../../graphql/request-error.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { type Retries, type Retry, retryJob, retryJobs } from '../../producers/retry-job.ts'
import type { Each } from '../each-id.ts'
import type { Job } from '../job-shape.ts'
import { cancelJobs } from '../lifecycle/cancel-job.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import { type FailureCause, type FailureCausesInput, failureCauses } from '../list/job-stats.ts'
import { deleteJob } from '../retention/delete-job.ts'
import { JobErrorCodeEnum, JobInterface, madeJob } from './job-graphql.ts'

const FailureCauseRef = builder.objectRef<FailureCause>('FailureCause').implement({
  description: 'One way in which jobs have failed.',
  fields: (t) => ({
    errorCode: t.field({
      type: JobErrorCodeEnum,
      description: 'The error code that account owners see.',
      resolve: (at) => at.errorCode,
    }),
    cause: t.exposeString('cause', { nullable: true, description: 'The internal error.' }),
    endpointKey: t.exposeString('endpointKey', { description: 'Their producer with the slug.' }),
    jobs: t.exposeInt('jobs', { description: 'How many there are.' }),
    lastJobId: t.exposeID('lastJobId', { description: 'The newest of these jobs.' }),
  }),
})

const RetryRef = builder.objectRef<Submission>('RetryJobSuccess').implement({
  description: 'The new job that repeats a failed one.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The new job, to poll.' }),
    job: t.field({
      type: JobInterface,
      description: 'All of its fields.',
      resolve: (submission, _args, ctx) => madeJob(ctx, submission),
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether the idempotency key belongs to an earlier job, which is this one.',
    }),
  }),
})

builder.queryField('failureCauses', (t) =>
  t.field({
    type: [FailureCauseRef],
    description:
      'Why jobs of all accounts failed, most frequent first; at most 100. Needs the scope operator, or a signed-in operator.',
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'Of jobs created at this time or later; a day ago unless given.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'Of jobs created before this time; now unless given. At most 31 days later.',
      }),
    },
    ...resolvedBy(failureCauses, (args: FailureCausesInput) => args),
  }),
)

builder.mutationField('retryJob', (t) =>
  t.field({
    type: RetryRef,
    errors: {},
    description: 'Submits the inputs of a failed voice or generation job again, as a new job.',
    args: {
      jobId: t.arg.id({ required: true, description: 'The id of a failed job.' }),
      idempotencyKey: t.arg.string({
        description: 'The same key with the same job returns the same new job for 24 hours.',
      }),
    },
    ...resolvedBy(retryJob, (args: Retry) => args),
  }),
)

const DeletedJobRef = builder.objectRef<{ readonly jobId: string }>('DeleteJobSuccess').implement({
  description: 'A job that is gone.',
  fields: (t) => ({ jobId: t.exposeID('jobId', { description: 'What its id was.' }) }),
})

builder.mutationField('deleteJob', (t) =>
  t.field({
    type: DeletedJobRef,
    errors: {},
    description:
      'Deletes a job that has ended, with its audio and webhook deliveries, for ever; the ledger keeps its sum. Needs the scope account:admin.',
    args: { jobId: t.arg.id({ required: true, description: 'The id of a job that has ended.' }) },
    ...resolvedBy(deleteJob, (args: { jobId: string }) => args),
  }),
)

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
