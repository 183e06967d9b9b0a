import { requireOperator } from '../../access/require.ts'
import { AccountRef } from '../../accounts/account-graphql.ts'
import { loadAccounts } from '../../accounts/accounts.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { loadedBy } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import type { AttemptOutcome } from '../../queue/stopping.ts'
import {
  attemptsOf,
  hasStoredAttempts,
  type JobAttempt,
  loadAttempts,
  type StoredAttempt,
} from '../attempts/show-attempts.ts'
import { loadCauses } from '../job.ts'
import type { Job } from '../job-shape.ts'
import { type AllJobsInput, allJobs } from '../list/jobs.ts'
import { JobInterface } from './job-graphql.ts'
import { JobConnectionRef, JobOrderInput, JobsFilterInput, SPEED } from './jobs-graphql.ts'

const AttemptOutcomeEnum = describedEnum<AttemptOutcome>('JobAttemptOutcome', 'Outcome of an attempt at a job.', {
  completed: 'The attempt completed the job.',
  failed: 'The attempt failed. The job failed with it, or was tried again.',
  released: 'The worker gave the job back, so the attempt does not count.',
  lost: 'The worker was lost, or another one was given the job.',
})

const JobAttemptRef = builder.objectRef<JobAttempt>('JobAttempt').implement({
  description: 'Attempt of one worker at a job.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Number of the attempt; the first is 1.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when a worker took the job. Null if that is not known, or if the job could not be charged.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the attempt ended; null while it runs.',
    }),
    outcome: t.field({
      type: AttemptOutcomeEnum,
      nullable: true,
      description: 'Outcome of the attempt; null while it runs.',
      resolve: ({ outcome }) => outcome,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description:
        'Sentence about why the attempt ended without a result. Null while it runs, and if it completed the job.',
    }),
  }),
})

const stored = new BatchLoader<GraphqlContext, StoredAttempt[]>(loadAttempts)

builder.interfaceField(JobInterface, 'attemptHistory', (t) =>
  t.field({
    type: [JobAttemptRef],
    description:
      'Attempts at the job, oldest first: the newest 50 that are known. While the job runs, the last one runs.',
    resolve: async (job, _args, ctx) =>
      attemptsOf(job, hasStoredAttempts(job) ? ((await stored.load(ctx, job.id)) ?? []) : []),
  }),
)

const NEEDS = 'Needs the scope operator, or a signed-in operator.'
const causes = new BatchLoader<GraphqlContext, string>(loadCauses)
const workers = new BatchLoader<GraphqlContext, string>(({ queue, db }, ids) => queue.workersOf(db.pool, ids))

// Other callers get null and an error.
builder.interfaceFields(JobInterface, (t) => ({
  account: t.prismaField({
    description: `Account of the job. ${NEEDS}`,
    ...loadedBy(AccountRef, loadAccounts, ({ accountId }: Job, ctx) => {
      requireOperator(ctx)
      return accountId
    }),
  }),
  cause: t.string({
    nullable: true,
    description: `Internal error of the job; null unless it failed. ${NEEDS}`,
    resolve: async ({ id, status }, _args, ctx) => {
      requireOperator(ctx)
      return status === 'failed' ? causes.load(ctx, id) : null
    },
  }),
}))

builder.objectFields(JobAttemptRef, (t) => ({
  worker: t.string({
    nullable: true,
    description: `Id of the worker of the attempt; null if that is no longer known. ${NEEDS}`,
    resolve: async ({ jobId, outcome, worker }, _args, ctx) => {
      requireOperator(ctx)
      return worker ?? (outcome === null ? ((await workers.load(ctx, jobId)) ?? null) : null)
    },
  }),
  cause: t.string({
    nullable: true,
    description: `Internal error that ended the attempt; null without an error. ${NEEDS}`,
    resolve: async ({ jobId, hasFailedJob, cause }, _args, ctx) => {
      requireOperator(ctx)
      return hasFailedJob ? ((await causes.load(ctx, jobId)) ?? null) : cause
    },
  }),
}))

builder.queryField('allJobs', (t) =>
  t.connection(
    {
      type: JobInterface,
      description: `Jobs of all accounts, or of one. ${SPEED} ${NEEDS}`,
      args: {
        account: t.arg.id({ description: 'Id or name of an account; all accounts unless given.' }),
        filter: t.arg({ type: JobsFilterInput, description: 'Filter of the jobs; all of them unless given.' }),
        orderBy: t.arg({
          type: JobOrderInput,
          description:
            'Order of the jobs; newest first unless given. Jobs of all accounts can be ordered by CREATED_AT only.',
        }),
      },
      resolve: (_root, args: AllJobsInput, ctx) => allJobs(ctx, args),
      extensions: { verb: allJobs },
    },
    JobConnectionRef,
  ),
)
