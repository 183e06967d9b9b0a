import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { job } from './job.ts'
import type { JobFilter } from './job-filter.ts'
import { JobErrorCodeEnum, JobStatusEnum } from './job-graphql.ts'
import { type JobPage, type JobPageInput, jobPage } from './job-page.ts'
import { JOB_DECISIONS, JOB_TYPES, type JobDecision, type JobType } from './job-states.ts'
import type { JobResult, JobSummary, JobView } from './job-view.ts'

const upperCased = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), { value }])) as {
    [V in T as Uppercase<V>]: { value: V }
  }

export const JobTypeEnum = builder.enumType('JobType', {
  description: 'Which producer a job comes from.',
  values: upperCased<JobType>(JOB_TYPES),
})

const JobDecisionEnum = builder.enumType('JobDecision', {
  description: 'The verdict on a moderated job.',
  values: upperCased<JobDecision>(JOB_DECISIONS),
})

/** What every form of a job shows. */
const JobInterface = builder.interfaceRef<JobSummary>('JobFields').implement({
  description: 'What the list and the single read show of a job.',
  fields: (t) => ({
    id: t.exposeID('jobId', { description: 'The job id.' }),
    type: t.field({ type: JobTypeEnum, description: 'Its producer.', resolve: (summary) => summary.type }),
    endpointKey: t.exposeString('endpointKey', { description: 'Its producer with the slug: `voice.tts`.' }),
    status: t.field({ type: JobStatusEnum, description: 'Where it stands.', resolve: (summary) => summary.status }),
    isProhibited: t.exposeBoolean('isProhibited', {
      nullable: true,
      description: 'The verdict. Null for jobs that are not moderated, and until it is decided.',
    }),
    apiKeyId: t.exposeID('apiKeyId', { nullable: true, description: 'The key that it was submitted with.' }),
    apiKeyName: t.exposeString('apiKeyName', { nullable: true, description: 'Null after that key is deleted.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was accepted.', resolve: (at) => at.createdAt }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it finished; null before.',
      resolve: (summary) => summary.completedAt,
    }),
  }),
})

const JobSummaryRef = builder.objectRef<JobSummary>('JobSummary').implement({
  description: 'A job in the list.',
  interfaces: [JobInterface],
})

const JobResultRef = builder.objectRef<JobResult>('JobResult').implement({
  description: 'What a completed job came to. Each type of job fills its own fields.',
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true, description: 'Voice and generation.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'Voice and generation.' }),
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Voice and generation: output name to URL, signed at this read for 15 minutes.',
      resolve: (result) => result.outputs,
    }),
    endpointSlug: t.exposeString('endpointSlug', { nullable: true, description: 'Voice.' }),
    workflowSlug: t.exposeString('workflowSlug', { nullable: true, description: 'Generation.' }),
    isProhibited: t.exposeBoolean('isProhibited', { nullable: true, description: 'Companion.' }),
    chatId: t.exposeString('chatId', { nullable: true, description: 'Companion chat and retarget.' }),
    mediaUrl: t.exposeString('mediaUrl', { nullable: true, description: 'Companion media tag: as it was submitted.' }),
    mediaKind: t.exposeString('mediaKind', { nullable: true, description: 'Companion media tag.' }),
  }),
})

export const JobRef = builder.objectRef<JobView>('Job').implement({
  description: 'A job of any producer.',
  interfaces: [JobInterface],
  fields: (t) => ({
    result: t.field({
      type: JobResultRef,
      nullable: true,
      description: 'Completed jobs only.',
      resolve: (view) => view.result,
    }),
    error: t.string({
      nullable: true,
      description: 'What to do next. Failed jobs only.',
      resolve: (view) => view.failure?.message,
    }),
    errorCode: t.field({
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Failed jobs only.',
      resolve: (view) => view.failure?.code,
    }),
  }),
})

const JobPageRef = builder.objectRef<JobPage>('JobPage').implement({
  description: 'A page of the jobs that match, newest first.',
  fields: (t) => ({
    jobs: t.field({ type: [JobSummaryRef], description: 'The page.', resolve: (page) => [...page.jobs] }),
    total: t.exposeInt('total', { description: 'How many jobs match, exactly.' }),
    limit: t.exposeInt('limit', { description: 'The most that a page holds.' }),
    offset: t.exposeInt('offset', { description: 'How many were left out before this page.' }),
  }),
})

export const JobFilterInput = builder.inputType('JobFilter', {
  description: 'Which jobs. A field that is absent leaves none out.',
  fields: (t) => ({
    type: t.field({ type: JobTypeEnum, description: 'Only jobs of this producer.' }),
    decision: t.field({ type: JobDecisionEnum, description: 'Only moderated jobs with this verdict.' }),
    status: t.field({ type: [JobStatusEnum], description: 'Only jobs with one of these statuses.' }),
    apiKeyId: t.string({ description: 'Only jobs that were submitted with this key.' }),
    search: t.string({ description: 'Only jobs whose id begins with this text; at most 64 characters.' }),
    from: t.field({ type: 'DateTime', description: 'Only jobs created at this moment or later.' }),
    to: t.field({ type: 'DateTime', description: 'Only jobs created before this moment.' }),
  }),
})

builder.queryField('job', (t) =>
  t.field({
    type: JobRef,
    description: "One job of the key's account, whoever produced it.",
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(job, (args: { jobId: string }) => args),
  }),
)

builder.queryField('jobPage', (t) =>
  t.field({
    type: JobPageRef,
    description: "The jobs of the key's account from every producer, newest first.",
    args: {
      limit: t.arg.int({ description: '1 to 100; 50 if absent.' }),
      offset: t.arg.int({ description: 'How many matching jobs to leave out first.' }),
      filter: t.arg({ type: JobFilterInput, description: 'Which jobs.' }),
    },
    ...resolvedBy(jobPage, (args: Omit<JobPageInput, 'filter'> & { filter?: JobFilter | null | undefined }) => args),
  }),
)
