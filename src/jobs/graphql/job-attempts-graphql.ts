import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/described-enum.ts'
import type { AttemptOutcome } from '../../queue/attempt-endings.ts'
import { attemptsOf, hasStoredAttempts, type JobAttempt } from '../attempts/attempts-of.ts'
import { loadAttempts, type StoredAttempt } from '../attempts/load-attempts.ts'
import { JobInterface } from './job-interface-graphql.ts'

const AttemptOutcomeEnum = describedEnum<AttemptOutcome>('JobAttemptOutcome', 'What became of an attempt at a job.', {
  completed: 'It completed the job.',
  failed: 'It failed. The job has failed as well, or was tried again.',
  released: 'Its worker released the job: it does not count.',
  lost: 'Its worker was lost, or another one was given the job.',
})

export const JobAttemptRef = builder.objectRef<JobAttempt>('JobAttempt').implement({
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
