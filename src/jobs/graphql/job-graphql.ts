import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { AudioFormat } from '../../audio/format.ts'
import { byType, type JobType } from '../../catalog/job-kinds.ts'
import type { MediaKind } from '../../companion/tag-media.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { jobNotFound } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { queryOf, rowsOf } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { findJob, findVisibleJob } from '../job.ts'
import { FIELD_NAMES, type FieldType, fieldOf } from '../job-fields.ts'
import {
  ARTIFACT_VIEW,
  type Artifact,
  findArtifact,
  loadArtifacts,
  loadQueuePositions,
  loadReleases,
} from '../job-parts.ts'
import { type JobResult, resultOf } from '../job-result.ts'
import { errorOf, type Job } from '../job-shape.ts'
import { JOB_ERRORS, type JobDecision, type JobErrorCode, type JobStatus } from '../job-states.ts'
import type { StoredOutput } from '../sign-outputs.ts'

export const JobStatusEnum = describedEnum<JobStatus>(
  'JobStatus',
  'The status of a job. COMPLETED and FAILED are final.',
  {
    queued: 'It waits for a worker.',
    processing: 'A worker is performing it.',
    completed: 'Its outputs are available.',
    failed: 'It failed; see errorCode.',
  },
)

export const JobErrorCodeEnum = describedEnum<JobErrorCode>(
  'JobErrorCode',
  'Why a job failed: the value to branch on.',
  JOB_ERRORS,
)

export const JobTypeEnum = describedEnum<JobType>(
  'JobType',
  'The type of a job: the operation that made it.',
  byType(({ graphql }) => graphql.origin),
)

export const JobDecisionEnum = describedEnum<JobDecision>('JobDecision', 'The moderation verdict.', {
  pass: 'The content was accepted.',
  reject: 'The content was rejected.',
})

export const MediaKindEnum = describedEnum<MediaKind>('MediaKind', 'The kind of a medium.', {
  image: 'A picture.',
  video: 'Moving pictures.',
  audio: 'A recording.',
})

export const AudioFormatEnum = describedEnum<AudioFormat>('AudioFormat', 'A format of audio.', {
  wav: 'PCM of 16 bits in a WAV file.',
  mp3: 'MP3 of 64 kbit/s.',
  opus: 'Opus in an Ogg file.',
  flac: 'FLAC.',
  pcm: '16-bit little-endian mono at 24 kHz, without a header. No job is stored in it.',
})

export const artifacts = new BatchLoader<GraphqlContext, Artifact[]>(loadArtifacts)

export const ArtifactRef = builder.prismaObject('Artifact', {
  description: 'One output of a job.',
  interfaces: [NodeInterface],
  select: ARTIFACT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    jobId: t.exposeID('jobId', { description: 'The job that made it.' }),
    output: t.exposeString('output', { description: 'Its name among the outputs: `audio`.' }),
    contentType: t.exposeString('contentType', { description: 'Its media type.' }),
    bytes: t.float({ description: 'Its size: a whole number.', resolve: ({ bytes }) => Number(bytes) }),
    sha256: t.string({
      description: 'The SHA-256 of its bytes in hexadecimal digits.',
      resolve: ({ sha256 }) => Buffer.from(sha256).toString('hex'),
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'How long it plays; null unless it is audio.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its bytes were deleted: its URL answers 410. Null while they are there.',
    }),
    url: t.field({
      type: 'URL',
      description: 'A signed URL of its bytes; signed at this read, valid for 15 minutes.',
      resolve: ({ storageKey, contentType, deletedAt }, _args, ctx) =>
        ctx.storage.signUrl(storageKey, { contentType, now: ctx.now(), isDeleted: deletedAt !== null }),
    }),
  }),
})

addNodeSource<Artifact>('art', {
  typeOf: () => 'Artifact',
  load: (ctx, id, info) => {
    requireScope(ctx, JOB_READ_SCOPE)
    return findArtifact(ctx.db, requireAccount(ctx).accountId, id, queryOf(ctx, info, 'Artifact'))
  },
})

/** A page loads the outputs of all its jobs together. */
export const storedOutputsOf = async (ctx: GraphqlContext, job: Job): Promise<readonly StoredOutput[] | null> =>
  job.storedOutputs === undefined ? ((await artifacts.load(ctx, job.id)) ?? null) : job.storedOutputs

const showResult = async (ctx: GraphqlContext, job: Job): Promise<JobResult | null> =>
  job.status === 'completed' ? resultOf(ctx, job, await storedOutputsOf(ctx, job)) : null

const JobResultRef = builder.objectRef<JobResult>('JobResult').implement({
  description: 'The result of a completed job. Each type of job fills its own fields.',
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
    chatId: t.exposeID('chatId', { nullable: true, description: 'Companion chat and retarget.' }),
    mediaUrl: t.expose('mediaUrl', {
      type: 'URL',
      nullable: true,
      description: 'Companion media tag: as it was submitted.',
    }),
    mediaKind: t.field({
      type: MediaKindEnum,
      nullable: true,
      description: 'Companion media tag.',
      resolve: (result) => result.mediaKind as MediaKind | null | undefined,
    }),
  }),
})

export const TYPE_NAMES = byType(({ graphql }) => graphql.name)
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

const ENUMS: Partial<Record<FieldType, unknown>> = {
  JobType: JobTypeEnum,
  JobStatus: JobStatusEnum,
  JobErrorCode: JobErrorCodeEnum,
  MediaKind: MediaKindEnum,
}

interface Exposing<Ref> {
  expose(name: never, options: never): Ref
}

/** The fields that a type has as they are in the table of fields. */
export const columnsOn = <Ref>(t: Exposing<Ref>, type: string): Record<string, Ref> =>
  Object.fromEntries(
    FIELD_NAMES.map(fieldOf)
      .filter(({ graphql }) => type in graphql)
      .map(({ name, type: of, isNullable: nullable, graphql }) => [
        name,
        t.expose(name as never, { type: ENUMS[of] ?? of, nullable, description: graphql[type] } as never),
      ]),
  )

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
    ...columnsOn(t, 'Job'),
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
    tags: t.stringList({
      description: 'The tags that its submission gave it.',
      resolve: ({ tags }) => [...(tags ?? [])],
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
