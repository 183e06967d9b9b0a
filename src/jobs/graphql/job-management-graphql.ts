import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext, result } from '../../graphql/builder.ts'
import { BulkErrorRef } from '../../graphql/request-error.ts'
import { resolvedBy, UNSEEN, USE_ID } from '../../graphql/resolved-by.ts'
import { loadRetryable, type Retries, type Retry, retryJob, retryJobs } from '../../producers/retry-job.ts'
import type { Each } from '../each-id.ts'
import type { Job } from '../job-shape.ts'
import { cancelJobs } from '../lifecycle/cancel-job.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import { type FailureCause, type FailureCausesInput, failureCauses } from '../list/job-stats.ts'
import { deleteJob, deleteJobs } from '../retention/delete-job.ts'
import { JobErrorCodeEnum, JobInterface, madeJob, toJob } from './job-graphql.ts'
import { type JobIdArgs, jobIdArgs, toJobId } from './job-id-graphql.ts'

const FailureCauseRef = builder.objectRef<FailureCause>('FailureCause').implement({
  description: 'Group of jobs that failed in the same way.',
  fields: (t) => ({
    errorCode: t.field({
      type: JobErrorCodeEnum,
      description: 'Error code of the jobs, which account owners see as well.',
      resolve: (at) => at.errorCode,
    }),
    cause: t.exposeString('cause', { nullable: true, description: 'Internal error of the jobs.' }),
    endpointKey: t.exposeString('endpointKey', {
      description: 'Key of the endpoint or workflow of the jobs, such as `voice.tts`.',
    }),
    jobs: t.exposeInt('jobs', { description: 'Number of the jobs.' }),
    lastJobId: t.exposeID('lastJobId', { description: 'Id of the newest of the jobs.' }),
    lastJob: t.field(toJob(({ lastJobId }: FailureCause) => lastJobId, 'Newest of the jobs.', UNSEEN)),
  }),
})

const RetryRef = builder.objectRef<Submission>('RetryJobSuccess').implement({
  description: 'New job that repeats a failed one.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'Id of the new job.' }),
    job: t.field({
      type: JobInterface,
      description: 'New job that repeats the failed one.',
      resolve: (submission, _args, ctx) => madeJob(ctx, submission),
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'True if the idempotency key was used before: the job is the one of that earlier request.',
    }),
  }),
})

builder.queryField('failureCauses', (t) =>
  t.field({
    type: [FailureCauseRef],
    description:
      "Causes of the failures of all accounts' jobs, most frequent first; at most 100. Needs the scope operator, or a signed-in operator.",
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'Time from which on the jobs were accepted, inclusive; a day ago unless given.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'Time before which the jobs were accepted; now unless given. At most 31 days after `from`.',
      }),
    },
    ...resolvedBy(failureCauses, (args: FailureCausesInput) => args),
  }),
)

const retryable = new BatchLoader<GraphqlContext, true>(loadRetryable)

builder.interfaceField(JobInterface, 'isRetryable', (t) =>
  t.boolean({
    description:
      'True if `retryJob` can submit the job again: it is a voice or generation job that failed, and its inputs were kept: see `service`.',
    resolve: async ({ id, status }: Job, _args, ctx) => status === 'failed' && (await retryable.load(ctx, id)) === true,
  }),
)

builder.mutationField('retryJob', (t) =>
  t.field({
    type: RetryRef,
    errors: result('New job that repeats the failed one', 'there is none'),
    description: 'Submits the inputs of a failed voice or generation job again, as a new job.',
    args: {
      ...jobIdArgs('Id of a failed job.'),
      idempotencyKey: t.arg.string({
        description: 'Key of your own choice: for 24 hours the same key with the same job returns the same new job.',
      }),
    },
    ...resolvedBy(retryJob, (args: JobIdArgs & Omit<Retry, 'jobId'>) => toJobId(args)),
  }),
)

const DeletedJobRef = builder.objectRef<{ readonly jobId: string }>('DeleteJobSuccess').implement({
  description: 'Job that was deleted.',
  fields: (t) => ({
    id: t.exposeID('jobId', { description: 'Id of the deleted job.' }),
    jobId: t.exposeID('jobId', { description: 'Id of the deleted job.', deprecationReason: USE_ID }),
  }),
})

builder.mutationField('deleteJob', (t) =>
  t.field({
    type: DeletedJobRef,
    errors: result('Deleted job', 'nothing was deleted'),
    description:
      'Deletes a job that has ended, with its audio and webhook deliveries, for ever; the ledger keeps what it cost. Needs the scope account:admin.',
    args: jobIdArgs('Id of a job that has ended.'),
    ...resolvedBy(deleteJob, (args: JobIdArgs) => toJobId(args)),
  }),
)

const ID = 'Id that was sent.'
export const ERROR = 'Reason why this id failed; null if it succeeded.'
export const BULK = { cost: 100, length: 100 }

const CancelledRef = builder.objectRef<Each<Job>>('CancelledJob').implement({
  description: 'Result of one id of `cancelJobs`.',
  fields: (t) => ({
    jobId: t.exposeID('id', { description: ID }),
    job: t.expose('result', {
      type: JobInterface,
      nullable: true,
      description: 'Job as it is now; null if there is an error.',
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const CancelJobsRef = builder.objectRef<readonly Each<Job>[]>('CancelJobsSuccess').implement({
  description: 'Results of all ids.',
  fields: (t) => ({
    results: t.field({
      type: [CancelledRef],
      description: 'Results in the order of the ids; an id that was sent twice has one.',
      resolve: (all) => [...all],
      extensions: BULK,
    }),
  }),
})

const RetriedRef = builder.objectRef<Each<Submission>>('RetriedJob').implement({
  description: 'Result of one id of `retryJobs`.',
  fields: (t) => ({
    jobId: t.exposeID('id', { description: ID }),
    job: t.field({
      type: JobInterface,
      nullable: true,
      description: 'New job that repeats the failed one; null if there is an error.',
      resolve: ({ result }, _args, ctx) => (result === null ? null : madeJob(ctx, result)),
    }),
    replayed: t.boolean({
      description: 'True if the idempotency key was used before: the job is the one of that earlier request.',
      resolve: ({ result }) => result?.replayed ?? false,
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const RetryJobsRef = builder.objectRef<readonly Each<Submission>[]>('RetryJobsSuccess').implement({
  description: 'Results of all ids.',
  fields: (t) => ({
    results: t.field({
      type: [RetriedRef],
      description: 'Results in the order of the ids; an id that was sent twice has one.',
      resolve: (all) => [...all],
      extensions: BULK,
    }),
  }),
})

const DeletedRef = builder.objectRef<Each<{ readonly jobId: string }>>('DeletedJob').implement({
  description: 'Result of one id of `deleteJobs`.',
  fields: (t) => ({
    id: t.exposeID('id', { description: ID }),
    isDeleted: t.boolean({
      description: 'True if the job was deleted now. A job that was deleted before has the error NOT_FOUND.',
      resolve: ({ result }) => result !== null,
    }),
    error: t.expose('error', { type: BulkErrorRef, nullable: true, description: ERROR }),
  }),
})

const DeleteJobsRef = builder.objectRef<readonly Each<{ readonly jobId: string }>[]>('DeleteJobsSuccess').implement({
  description: 'Results of all ids.',
  fields: (t) => ({
    results: t.field({
      type: [DeletedRef],
      description: 'Results in the order of the ids; an id that was sent twice has one.',
      resolve: (all) => [...all],
      extensions: BULK,
    }),
  }),
})

builder.mutationFields((t) => ({
  cancelJobs: t.field({
    type: CancelJobsRef,
    errors: result('Results of the cancellations, one for each id', 'none was tried'),
    description: 'Cancels each of up to 100 jobs as cancelJob does; one that cannot be fails alone.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of up to 100 jobs.' }) },
    ...resolvedBy(cancelJobs, (args: { ids: readonly string[] }) => args),
  }),
  deleteJobs: t.field({
    type: DeleteJobsRef,
    errors: result('Results of the deletions, one for each id', 'none was tried'),
    description:
      'Deletes each of up to 100 ended jobs as deleteJob does; one that cannot be fails alone. Needs the scope account:admin.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of up to 100 jobs that have ended.' }) },
    ...resolvedBy(deleteJobs, (args: { ids: readonly string[] }) => args),
  }),
  retryJobs: t.field({
    type: RetryJobsRef,
    errors: result('Results of the repetitions, one for each id', 'none was tried'),
    description: 'Submits each of up to 100 failed jobs again as retryJob does; one that cannot be fails alone.',
    args: {
      ids: t.arg.idList({ required: true, description: 'Ids of up to 100 failed jobs.' }),
      idempotencyKey: t.arg.string({
        description:
          'Key of your own choice, at most 200 characters: for 24 hours the same key with the same jobs returns the same new jobs.',
      }),
    },
    ...resolvedBy(retryJobs, (args: Retries) => args),
  }),
}))
