import { requireAccount } from '../../access/require.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { jobNotFound } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
import { findJob } from '../find-job.ts'
import { findVisibleJob } from '../find-visible-job.ts'
import { loadQueuePositions } from '../job-parts.ts'
import { errorOf, type Job } from '../job-shape.ts'
import type { JobType } from '../job-states.ts'
import { loadReleases } from '../load-releases.ts'
import { ArtifactRef, artifacts } from './artifact-graphql.ts'
import { JobErrorCodeEnum, JobStatusEnum, JobTypeEnum } from './job-enums-graphql.ts'
import { JobResultRef, showResult } from './job-result-graphql.ts'

export const TYPE_NAMES: Readonly<Record<JobType, string>> = {
  voice: 'VoiceJob',
  generate: 'GenerationJob',
  companion_chat: 'CompanionChatJob',
  companion_retarget: 'CompanionRetargetJob',
  companion_media_tag: 'CompanionMediaTagJob',
}
const releases = new BatchLoader<GraphqlContext, number>(loadReleases)
const queuePositions = new BatchLoader<GraphqlContext, number>((ctx, ids) => loadQueuePositions(ctx.db.pool, ids))

/**
 * The job that the caller's mutation has just made; reading it needs no further scope.
 * @throws UNAUTHORIZED, NOT_FOUND
 */
export async function madeJob(ctx: GraphqlContext, { jobId }: { readonly jobId: string }): Promise<Job> {
  const made = await findJob(ctx.db.pool, jobId, requireAccount(ctx).accountId)
  if (made === null) throw jobNotFound()
  return made
}

type TimestampName = 'createdAt' | 'startedAt' | 'completedAt'

const between = (begin: TimestampName, end: TimestampName, description: string) =>
  ({
    nullable: true,
    description,
    resolve: ({ [begin]: from, [end]: to }: Job): number | null =>
      from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime()),
  }) as const

export const JobInterface = builder.interfaceRef<Job>('Job').implement({
  description: 'A job of any type.',
  interfaces: [NodeInterface],
  resolveType: ({ type }) => TYPE_NAMES[type],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The job id.' }),
    type: t.field({ type: JobTypeEnum, description: 'Its type.', resolve: ({ type }) => type }),
    endpointKey: t.exposeString('endpointKey', { description: 'Its type and slug: `voice.tts`.' }),
    status: t.field({ type: JobStatusEnum, description: 'Its status.', resolve: ({ status }) => status }),
    isProhibited: t.exposeBoolean('isProhibited', {
      nullable: true,
      description: 'The verdict. Null for jobs that are not moderated, and until it is decided.',
    }),
    apiKeyId: t.exposeID('apiKeyId', { nullable: true, description: 'The key that it was submitted with.' }),
    apiKeyName: t.exposeString('apiKeyName', { nullable: true, description: 'Null after that key is deleted.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker first took it; null before.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it finished; null before.',
    }),
    waitMs: t.float(between('createdAt', 'startedAt', 'From its acceptance to its start; null before.')),
    runMs: t.float(
      between(
        'startedAt',
        'completedAt',
        'From its first start to its end; null before, and for jobs that never started.',
      ),
    ),
    durationMs: t.float(between('createdAt', 'completedAt', 'From its acceptance to its end; null before.')),
    attempts: t.exposeInt('attempt', {
      description: 'How often a worker took it, or tried to and could not charge it.',
    }),
    cost: t.float({
      description: 'Credits that it costs: charged when a worker takes it, and given back where it fails after that.',
      resolve: ({ cost }) => Number(cost),
    }),
  }),
})

builder.interfaceFields(JobInterface, (t) => ({
  releases: t.int({
    description:
      'Of its attempts, those that do not count: their workers stopped, or lost the database, and gave it back.',
    resolve: async ({ id, attempt }, _args, ctx) =>
      attempt === 0 ? 0 : Math.min(attempt, (await releases.load(ctx, id)) ?? 0),
  }),
  queuePosition: t.int({
    nullable: true,
    description: "Its place among the account's jobs that wait for the same endpoint: 1 is the next. QUEUED only.",
    resolve: async ({ id, status }, _args, ctx) => (status === 'queued' ? queuePositions.load(ctx, id) : null),
  }),
  artifacts: t.prismaField({
    description: 'Its outputs, by name. Completed jobs only.',
    ...rowsOf([ArtifactRef], async ({ id, status }: Job, ctx) =>
      status === 'completed' ? ((await artifacts.load(ctx, id)) ?? []) : [],
    ),
  }),
  result: t.field({
    type: JobResultRef,
    nullable: true,
    description: 'The result as REST returns it. Completed jobs only.',
    resolve: (job, _args, ctx) => showResult(ctx, job),
  }),
  error: t.string({
    nullable: true,
    description: 'What to do next. Failed jobs only.',
    resolve: (job) => errorOf(job)?.message,
  }),
  errorCode: t.field({
    type: JobErrorCodeEnum,
    nullable: true,
    description: 'Failed jobs only.',
    resolve: (job) => errorOf(job)?.code,
  }),
}))

addNodeSource<Job>('job', {
  typeOf: ({ type }) => TYPE_NAMES[type],
  load: findVisibleJob,
})
