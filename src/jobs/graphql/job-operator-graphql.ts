import { requireOperator } from '../../access/require.ts'
import { AccountRef } from '../../accounts/account-graphql.ts'
import { type Account, loadAccounts } from '../../accounts/accounts.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
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
import { JobConnectionRef, JobOrderInput, JobsFilterInput } from './jobs-graphql.ts'

const AttemptOutcomeEnum = describedEnum<AttemptOutcome>('JobAttemptOutcome', 'What became of an attempt at a job.', {
  completed: 'It completed the job.',
  failed: 'It failed. The job has failed as well, or was tried again.',
  released: 'Its worker released the job: it does not count.',
  lost: 'Its worker was lost, or another one was given the job.',
})

const JobAttemptRef = builder.objectRef<JobAttempt>('JobAttempt').implement({
  description: "One worker's try at a job.",
  fields: (t) => ({
    number: t.exposeInt('number', { description: '1 for the first.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker took the job. Null where that is not known, or it could not be charged.',
    }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended. Null while it runs.',
    }),
    outcome: t.field({
      type: AttemptOutcomeEnum,
      nullable: true,
      description: 'What became of it. Null while it runs.',
      resolve: ({ outcome }) => outcome,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it ended without a result. Null while it runs, and where it completed the job.',
    }),
  }),
})

const stored = new BatchLoader<GraphqlContext, StoredAttempt[]>(loadAttempts)

builder.interfaceField(JobInterface, 'attemptHistory', (t) =>
  t.field({
    type: [JobAttemptRef],
    description: 'Its attempts that are known, in order: at most the newest 50. The last one runs while the job does.',
    resolve: async (job, _args, ctx) =>
      attemptsOf(job, hasStoredAttempts(job) ? ((await stored.load(ctx, job.id)) ?? []) : []),
  }),
)

const NEEDS = 'Needs the scope operator, or a signed-in operator.'
const causes = new BatchLoader<GraphqlContext, string>(loadCauses)
const accounts = new BatchLoader<GraphqlContext, Account>(loadAccounts)
const workers = new BatchLoader<GraphqlContext, string>(({ queue, db }, ids) => queue.workersOf(db.pool, ids))

// Other callers get null and an error.
builder.interfaceFields(JobInterface, (t) => ({
  account: t.prismaField({
    nullable: true,
    description: `The account that it is of. ${NEEDS}`,
    ...rowsOf(AccountRef, async ({ accountId }: Job, ctx) => {
      requireOperator(ctx)
      return (await accounts.load(ctx, accountId)) ?? null
    }),
  }),
  cause: t.string({
    nullable: true,
    description: `The internal error; null of jobs that did not fail. ${NEEDS}`,
    resolve: async ({ id, status }, _args, ctx) => {
      requireOperator(ctx)
      return status === 'failed' ? causes.load(ctx, id) : null
    },
  }),
}))

builder.objectFields(JobAttemptRef, (t) => ({
  worker: t.string({
    nullable: true,
    description: `The worker that had it. Null where that is not known any more. ${NEEDS}`,
    resolve: async ({ jobId, outcome, worker }, _args, ctx) => {
      requireOperator(ctx)
      return worker ?? (outcome === null ? ((await workers.load(ctx, jobId)) ?? null) : null)
    },
  }),
  cause: t.string({
    nullable: true,
    description: `What really ended it; null of an attempt without an error. ${NEEDS}`,
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
      description: `The jobs of all accounts, or of one; any page costs what the first one does. ${NEEDS}`,
      args: {
        account: t.arg.id({ description: 'Id or name; all accounts unless given.' }),
        filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
        orderBy: t.arg({
          type: JobOrderInput,
          description: 'Newest first unless given. Over all accounts by CREATED_AT alone.',
        }),
      },
      resolve: (_root, args: AllJobsInput, ctx) => allJobs(ctx, args),
      extensions: { verb: allJobs },
    },
    JobConnectionRef,
  ),
)
