import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { job } from '../job.ts'
import type { Job } from '../job-shape.ts'
import { type JobPage, jobPage } from '../list/job-page.ts'
import { JobDecisionEnum, JobStatusEnum, JobTypeEnum } from './job-enums-graphql.ts'
import { JobInterface } from './job-interface-graphql.ts'

const JobPageRef = builder.objectRef<JobPage<Job>>('JobPage').implement({
  description: 'A page of the jobs that match, newest first.',
  fields: (t) => ({
    jobs: t.field({
      type: [JobInterface],
      description: 'The page.',
      resolve: ({ jobs }) => [...jobs],
    }),
    total: t.exposeInt('total', { description: 'The exact number of matching jobs.' }),
    limit: t.exposeInt('limit', { description: 'The maximum number of jobs in a page.' }),
    offset: t.exposeInt('offset', { description: 'The number of matching jobs before this page.' }),
  }),
})

export const JobFilterInput = builder.inputType('JobFilter', {
  description: 'A filter for jobs. An absent field filters nothing.',
  fields: (t) => ({
    type: t.field({ type: JobTypeEnum, description: 'Only jobs of this type.' }),
    decision: t.field({ type: JobDecisionEnum, description: 'Only moderated jobs with this verdict.' }),
    status: t.field({ type: [JobStatusEnum], description: 'Only jobs with one of these statuses.' }),
    apiKeyId: t.id({ description: 'Only jobs that were submitted with this key.' }),
    search: t.string({ description: 'Only jobs whose id begins with this text; at most 64 characters.' }),
    from: t.field({ type: 'DateTime', description: 'Only jobs created at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Only jobs created before this time.' }),
  }),
})

builder.queryField('job', (t) =>
  t.field({
    type: JobInterface,
    description: "One job of the key's account, of any type.",
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(job, (args: { jobId: string }) => args),
  }),
)

builder.queryField('jobPage', (t) =>
  t.field({
    type: JobPageRef,
    description: "The jobs of all types of the key's account, newest first.",
    args: {
      limit: t.arg.int({ description: '1 to 100; 50 if absent.' }),
      offset: t.arg.int({ description: 'The number of matching jobs to skip.' }),
      filter: t.arg({ type: JobFilterInput, description: 'Which jobs.' }),
    },
    resolve: (_root, args, ctx) => jobPage(ctx, { ...args, whole: true }),
    extensions: { verb: jobPage },
  }),
)
