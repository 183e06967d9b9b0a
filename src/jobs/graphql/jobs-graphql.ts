import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../../graphql/scalars.ts'
import { DeliveryStateEnum } from '../../webhooks/delivery-state-graphql.ts'
import { job } from '../job.ts'
import type { Job } from '../job-shape.ts'
import { type JobPage, jobPage } from '../list/job-page.ts'
import { type JobOrder, type JobOrderField, type JobsInput, jobs, type Neighbours, neighbours } from '../list/jobs.ts'
import type { JobsFilter } from '../list/jobs-filter.ts'
import { JobDecisionEnum, JobErrorCodeEnum, JobInterface, JobStatusEnum, JobTypeEnum } from './job-graphql.ts'
import { type JobIdArgs, jobIdArgs, toJobId } from './job-id-graphql.ts'

const DurationRangeInput = builder.inputType('DurationRange', {
  description: 'Range of whole milliseconds; either end may be open.',
  fields: (t) => ({
    from: t.int({ description: 'Shortest duration, inclusive; open if absent.' }),
    to: t.int({ description: 'End of the range, exclusive; open if absent.' }),
  }),
})

export const JobsFilterInput = builder.inputRef<JobsFilter>('JobsFilter').implement({
  description: 'Filter of jobs. A job matches if it fits every field that is given, and of a list any of its values.',
  fields: (t) => ({
    ids: t.idList({ description: 'Jobs with these ids, 1 to 100.' }),
    types: t.field({ type: [JobTypeEnum], description: 'Jobs of these types.' }),
    statuses: t.field({ type: [JobStatusEnum], description: 'Jobs with one of these statuses.' }),
    decision: t.field({ type: JobDecisionEnum, description: 'Moderated jobs with this verdict.' }),
    endpointKeys: t.stringList({ description: 'Jobs of these endpoints and workflows, such as `voice.tts`.' }),
    apiKeyIds: t.idList({ description: 'Jobs that these API keys submitted.' }),
    userIds: t.idList({ description: 'Jobs that these users submitted, signed in.' }),
    voices: t.stringList({
      description: "Voice jobs with one of these voices: voices of endpoints, or ids of the account's own ones.",
    }),
    languages: t.stringList({ description: 'Voice jobs in one of these languages, such as `English`.' }),
    tags: t.stringList({
      description:
        'Jobs with at least one of these tags. For jobs with all of several tags, name each in a part of `and`.',
    }),
    words: t.string({
      description:
        "Voice jobs whose text contains each of these words, up to 10, in upper or lower case, also within other words. Lists and counts look through the newest 20,000 jobs of `createdAt`; exports look through all. For the caller's own account only, and not for subscriptions and series.",
    }),
    deliveryStates: t.field({
      type: [DeliveryStateEnum],
      description:
        'Jobs with a webhook delivery in one of these states. Needs the scope account:admin, or a signed-in owner.',
    }),
    errorCodes: t.field({ type: [JobErrorCodeEnum], description: 'Jobs that failed with one of these codes.' }),
    idPrefix: t.string({ description: 'Jobs whose id begins with this text.' }),
    createdAt: t.field({ type: TimeRangeInput, description: 'Jobs that were accepted in this range of time.' }),
    completedAt: t.field({ type: TimeRangeInput, description: 'Jobs that ended in this range of time.' }),
    durationMs: t.field({
      type: DurationRangeInput,
      description: 'Ended jobs that took so long from their acceptance to their end.',
    }),
    and: t.field({ type: [JobsFilterInput], description: 'Jobs that match all of these filters.' }),
    or: t.field({ type: [JobsFilterInput], description: 'Jobs that match one of these filters.' }),
    not: t.field({ type: JobsFilterInput, description: 'Jobs that do not match this filter.' }),
  }),
})

const NO_INDEX = 'No index has this order: each page reads all jobs that match.'
export const SPEED =
  'Every page is as fast as the first one; ordered by STARTED_AT, WAIT or COST, each page reads all jobs that match.'

export const JobOrderInput = builder.inputType('JobOrder', {
  description: 'Order of a list of jobs.',
  fields: (t) => ({
    field: t.field({
      type: describedEnum<JobOrderField>(
        'JobOrderField',
        'Property by which jobs are ordered. By COMPLETED_AT and DURATION only ended jobs are listed, unless `includeUnfinished` is true. Jobs without the property are the last ones in both directions.',
        {
          created_at: "Time of the jobs' acceptance.",
          completed_at: "Time of the jobs' end.",
          duration: "Time from the jobs' acceptance to their end.",
          started_at: `Time of the jobs' first start. ${NO_INDEX}`,
          wait: `Time from the jobs' acceptance to their first start. ${NO_INDEX}`,
          cost: `Price of the jobs in credits. ${NO_INDEX}`,
        },
      ),
      required: true,
      description: 'Property by which jobs are ordered.',
    }),
    direction: t.field({
      type: describedEnum<JobOrder['direction']>('OrderDirection', 'Direction of an order.', {
        asc: 'Oldest, shortest or lowest first.',
        desc: 'Newest, longest or highest first.',
      }),
      required: true,
      description: 'Direction of the order; DESC is the newest, the longest or the highest first.',
    }),
    includeUnfinished: t.boolean({
      description:
        'Lists unfinished jobs by COMPLETED_AT and DURATION as well, after all others; false unless given. Other orders list all jobs anyway.',
    }),
  }),
})

const NeighboursRef = builder.objectRef<Neighbours>('JobNeighbours').implement({
  description: 'Jobs before and after a job in a list.',
  fields: (t) => ({
    previous: t.expose('previous', {
      type: JobInterface,
      nullable: true,
      description: 'Job before it: the next newer one unless ordered otherwise. Null at the start of the list.',
    }),
    next: t.expose('next', {
      type: JobInterface,
      nullable: true,
      description: 'Job after it; null at the end of the list.',
    }),
  }),
})

builder.interfaceField(JobInterface, 'neighbours', (t) =>
  t.field({
    type: NeighboursRef,
    description: 'Jobs before and after this one in a list of `jobs`, whether or not it is in that list itself.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Filter of the jobs; all of them unless given.' }),
      orderBy: t.arg({ type: JobOrderInput, description: 'Order of the list; newest first unless given.' }),
    },
    resolve: (job, args, ctx) => neighbours(ctx, job, args),
    extensions: { cost: 200 },
  }),
)

export const JobConnectionRef = builder.connectionObject(
  {
    type: JobInterface,
    name: 'JobConnection',
    description: 'Page of jobs.',
  },
  { name: 'JobEdge', description: 'Job of a list with its cursor.' },
)

builder.queryField('jobs', (t) =>
  t.connection(
    {
      type: JobInterface,
      description: `Jobs of the caller's account, of all types. ${SPEED}`,
      args: {
        filter: t.arg({ type: JobsFilterInput, description: 'Filter of the jobs; all of them unless given.' }),
        orderBy: t.arg({ type: JobOrderInput, description: 'Order of the list; newest first unless given.' }),
      },
      ...resolvedBy(jobs, (args: JobsInput) => args),
    },
    JobConnectionRef,
  ),
)

const JobPageRef = builder.objectRef<JobPage<Job>>('JobPage').implement({
  description: 'Page of the jobs that match, newest first.',
  fields: (t) => ({
    jobs: t.field({
      type: [JobInterface],
      description: 'Jobs of the page.',
      resolve: ({ jobs }) => [...jobs],
    }),
    total: t.exposeInt('total', { description: 'Exact number of matching jobs.' }),
    limit: t.exposeInt('limit', { description: 'Largest number of jobs in a page.' }),
    offset: t.exposeInt('offset', { description: 'Number of matching jobs before this page.' }),
  }),
})

export const JobFilterInput = builder.inputType('JobFilter', {
  description: 'Filter of jobs. A job matches if it fits every field that is given.',
  fields: (t) => ({
    type: t.field({
      deprecationReason: 'Use `JobsFilter.types`.',
      type: JobTypeEnum,
      description: 'Jobs of this type.',
    }),
    decision: t.field({
      deprecationReason: 'Use `JobsFilter.decision`.',
      type: JobDecisionEnum,
      description: 'Moderated jobs with this verdict.',
    }),
    status: t.field({
      deprecationReason: 'Use `JobsFilter.statuses`.',
      type: [JobStatusEnum],
      description: 'Jobs with one of these statuses.',
    }),
    apiKeyId: t.id({
      deprecationReason: 'Use `JobsFilter.apiKeyIds`.',
      description: 'Jobs that this API key submitted.',
    }),
    search: t.string({
      deprecationReason: 'Use `JobsFilter.idPrefix`.',
      description: 'Jobs whose id begins with this text; at most 64 characters.',
    }),
    from: t.field({
      deprecationReason: 'Use `JobsFilter.createdAt`.',
      type: 'DateTime',
      description: 'Jobs that were accepted at this time or later.',
    }),
    to: t.field({
      deprecationReason: 'Use `JobsFilter.createdAt`.',
      type: 'DateTime',
      description: 'Jobs that were accepted before this time.',
    }),
  }),
})

builder.queryField('job', (t) =>
  t.field({
    type: JobInterface,
    description: "Job of the caller's account, of any type.",
    args: jobIdArgs('Id of a job.'),
    ...resolvedBy(job, (args: JobIdArgs) => toJobId(args)),
  }),
)

builder.queryField('jobPage', (t) =>
  t.field({
    type: JobPageRef,
    description: "Jobs of the caller's account, of all types, newest first.",
    deprecationReason:
      'Use `jobs`, whose pages are fast however far back they lie, and whose `filter` is that of all lists.',
    args: {
      limit: t.arg.int({ description: 'Number of jobs in the page: 1 to 100; 50 unless given.' }),
      offset: t.arg.int({ description: 'Number of matching jobs before the page; 0 unless given.' }),
      filter: t.arg({ type: JobFilterInput, description: 'Filter of the jobs; all of them unless given.' }),
    },
    resolve: (_root, args, ctx) => jobPage(ctx, { ...args, whole: true }),
    extensions: { verb: jobPage },
  }),
)
