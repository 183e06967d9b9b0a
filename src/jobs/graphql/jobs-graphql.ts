import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../../graphql/scalars.ts'
import { DeliveryStateEnum } from '../../webhooks/delivery-state-graphql.ts'
import { job } from '../job.ts'
import type { Job } from '../job-shape.ts'
import { type JobPage, jobPage } from '../list/job-page.ts'
import {
  type CountedJobs,
  countJobs,
  type JobOrder,
  type JobOrderField,
  type JobsInput,
  jobs,
  type Neighbours,
  neighbours,
} from '../list/jobs.ts'
import type { JobsFilter } from '../list/jobs-filter.ts'
import { JobDecisionEnum, JobErrorCodeEnum, JobInterface, JobStatusEnum, JobTypeEnum } from './job-graphql.ts'

const DurationRangeInput = builder.inputType('DurationRange', {
  description: 'A range of whole milliseconds; either end may be open.',
  fields: (t) => ({ from: t.int({ description: 'Inclusive.' }), to: t.int({ description: 'Exclusive.' }) }),
})

export const JobsFilterInput = builder.inputRef<JobsFilter>('JobsFilter').implement({
  description:
    'Which jobs: those that fit all of its fields. Of a list any value fits; an absent field leaves none out.',
  fields: (t) => ({
    ids: t.idList({ description: 'Only these jobs: 1 to 100 ids.' }),
    types: t.field({ type: [JobTypeEnum], description: 'Only jobs of these types.' }),
    statuses: t.field({ type: [JobStatusEnum], description: 'Only jobs with one of these statuses.' }),
    decision: t.field({ type: JobDecisionEnum, description: 'Only moderated jobs with this verdict.' }),
    endpointKeys: t.stringList({ description: 'Only jobs of these endpoints and workflows: `voice.tts`.' }),
    apiKeyIds: t.idList({ description: 'Only jobs that were submitted with these keys.' }),
    userIds: t.idList({ description: 'Only jobs that these users submitted, signed in.' }),
    voices: t.stringList({
      description: "Only voice jobs with one of these voices: voices of endpoints, or ids of the account's own ones.",
    }),
    languages: t.stringList({ description: 'Only voice jobs in one of these languages: `English`.' }),
    tags: t.stringList({ description: 'Only jobs with at least one of these tags.' }),
    deliveryStates: t.field({
      type: [DeliveryStateEnum],
      description:
        'Only jobs with a webhook delivery in one of these states. Needs the scope account:admin, or a signed-in owner.',
    }),
    errorCodes: t.field({ type: [JobErrorCodeEnum], description: 'Only jobs that failed with one of these.' }),
    idPrefix: t.string({ description: 'Only jobs whose id begins with this text.' }),
    createdAt: t.field({ type: TimeRangeInput, description: 'Only jobs that were accepted in this range.' }),
    completedAt: t.field({ type: TimeRangeInput, description: 'Only jobs that finished in this range.' }),
    durationMs: t.field({
      type: DurationRangeInput,
      description: 'Only finished jobs that took so long from their acceptance to their end.',
    }),
    and: t.field({ type: [JobsFilterInput], description: 'Only jobs that match all of these filters.' }),
    or: t.field({ type: [JobsFilterInput], description: 'Only jobs that match one of these filters.' }),
    not: t.field({ type: JobsFilterInput, description: 'Only jobs that do not match this filter.' }),
  }),
})

export const JobOrderInput = builder.inputType('JobOrder', {
  description: 'The order of a list of jobs.',
  fields: (t) => ({
    field: t.field({
      type: describedEnum<JobOrderField>(
        'JobOrderField',
        'By what jobs are ordered. COMPLETED_AT and DURATION list finished jobs only.',
        {
          created_at: 'When they were accepted.',
          completed_at: 'When they finished.',
          duration: 'How long they took from their acceptance to their end.',
        },
      ),
      required: true,
      description: 'By what.',
    }),
    direction: t.field({
      type: describedEnum<JobOrder['direction']>('OrderDirection', 'The direction of an order.', {
        asc: 'The oldest, or the shortest, first.',
        desc: 'The newest, or the longest, first.',
      }),
      required: true,
      description: 'DESC: the newest, or the longest, first.',
    }),
  }),
})

const NeighboursRef = builder.objectRef<Neighbours>('JobNeighbours').implement({
  description: 'The jobs before and after one in a list.',
  fields: (t) => ({
    previous: t.expose('previous', {
      type: JobInterface,
      nullable: true,
      description: 'The one before it: the next newer one unless ordered otherwise. Null at the start of the list.',
    }),
    next: t.expose('next', {
      type: JobInterface,
      nullable: true,
      description: 'The one after it. Null at the end of the list.',
    }),
  }),
})

builder.interfaceField(JobInterface, 'neighbours', (t) =>
  t.field({
    type: NeighboursRef,
    description: 'The jobs before and after it in a list of `jobs`, whether or not it is in that list itself.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      orderBy: t.arg({ type: JobOrderInput, description: 'Newest first unless given.' }),
    },
    resolve: (job, args, ctx) => neighbours(ctx, job, args),
    extensions: { cost: 200 },
  }),
)

export const JobConnectionRef = builder.connectionObject(
  {
    type: JobInterface,
    name: 'JobConnection',
    description: 'A page of jobs.',
    fields: (c) => ({
      totalCount: c.int({
        description: 'The exact number of matching jobs.',
        resolve: (page) => (page as unknown as CountedJobs).count(),
      }),
    }),
  },
  { name: 'JobEdge', description: 'A job with its cursor.' },
)

builder.queryField('jobs', (t) =>
  t.connection(
    {
      type: JobInterface,
      description:
        "The account's jobs of all types; any page costs what the first one does. `first` or `last` is 1 to 100, 50 unless given.",
      args: {
        filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
        orderBy: t.arg({ type: JobOrderInput, description: 'Newest first unless given.' }),
      },
      resolve: async (_root, args: JobsInput, ctx): Promise<CountedJobs> => ({
        ...(await jobs(ctx, args)),
        count: () => countJobs(ctx, args),
      }),
      extensions: { verb: jobs },
    },
    JobConnectionRef,
  ),
)

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
