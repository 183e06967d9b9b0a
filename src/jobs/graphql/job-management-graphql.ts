import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { type Retry, retryJob } from '../../producers/retry-job.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import { type FailureCause, type FailureCausesInput, failureCauses } from '../list/failure-causes.ts'
import { deleteJob } from '../retention/delete-job.ts'
import { JobErrorCodeEnum } from './job-enums-graphql.ts'
import { JobInterface, madeJob } from './job-interface-graphql.ts'

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
