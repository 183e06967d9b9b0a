import { isOperator, requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { AnyFormat } from '../../audio/format.ts'
import { byType, type JobType } from '../../catalog/job-kinds.ts'
import type { MediaKind } from '../../companion/tag-media.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { jobNotFound, ServiceError } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { shownMessage } from '../../graphql/http/errors.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { NONE_OR_UNSEEN, queryOf, rowsOf, UNSEEN } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { findJob, findVisibleJobs, loadJobs } from '../job.ts'
import { FIELD_NAMES, type FieldType, fieldOf } from '../job-fields.ts'
import {
  ARTIFACT_VIEW,
  type Artifact,
  findArtifacts,
  loadArtifacts,
  loadQueuePositions,
  loadReleases,
} from '../job-parts.ts'
import { type JobResult, resultOf } from '../job-result.ts'
import { errorOf, type Job } from '../job-shape.ts'
import { JOB_ERRORS, type JobDecision, type JobErrorCode, type JobStatus } from '../job-states.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import type { StoredOutput } from '../sign-outputs.ts'

export const JobStatusEnum = describedEnum<JobStatus>('JobStatus', 'Status of a job. COMPLETED and FAILED are final.', {
  queued: 'The job waits for a worker.',
  processing: 'A worker performs the job.',
  completed: 'The job is done and its outputs are available.',
  failed: 'The job failed or was cancelled: see `errorCode`.',
})

export const JobErrorCodeEnum = describedEnum<JobErrorCode>('JobErrorCode', "Code of a job's failure, to branch on.", {
  ...JOB_ERRORS,
  INTERNAL_ERROR: shownMessage(JOB_ERRORS.INTERNAL_ERROR),
})

export const JobTypeEnum = describedEnum<JobType>(
  'JobType',
  'Type of a job: the operation that made it.',
  byType(({ graphql }) => graphql.origin),
)

export const JobDecisionEnum = describedEnum<JobDecision>('JobDecision', 'Verdict of moderation.', {
  pass: 'Moderation accepted the content.',
  reject: 'Moderation rejected the content.',
})

export const MediaKindEnum = describedEnum<MediaKind>('MediaKind', 'Kind of a medium.', {
  image: 'Picture.',
  video: 'Video.',
  audio: 'Recording of sound.',
})

export const AudioFormatEnum = describedEnum<AnyFormat>('AudioFormat', 'Format of audio.', {
  wav: 'WAV file of 16-bit PCM.',
  mp3: 'MP3 file of 64 kbit/s.',
  opus: 'Ogg file of Opus.',
  flac: 'FLAC file.',
  m4b: 'MPEG-4 audiobook: AAC of 64 kbit/s with the chapters of the text. Endpoints that list it store it; it is not made of other formats.',
  pcm: 'PCM samples without a header: 16 bits, little-endian, mono, 24 kHz. No job is stored in it.',
})

export const artifacts = new BatchLoader<GraphqlContext, Artifact[]>(loadArtifacts)

export const ArtifactRef = builder.prismaObject('Artifact', {
  description: 'Output of a job: a file.',
  interfaces: [NodeInterface],
  select: ARTIFACT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the artifact.' }),
    jobId: t.exposeID('jobId', { description: 'Id of the job that made the artifact.' }),
    output: t.exposeString('output', { description: "Name of the artifact among the job's outputs, such as `audio`." }),
    contentType: t.exposeString('contentType', { description: 'Media type of the file, such as `audio/mpeg`.' }),
    bytes: t.float({
      description: 'Size of the file in bytes: a whole number.',
      resolve: ({ bytes }) => Number(bytes),
    }),
    sha256: t.string({
      description: 'SHA-256 of the file in hexadecimal digits.',
      resolve: ({ sha256 }) => Buffer.from(sha256).toString('hex'),
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Length of the audio in milliseconds; null if the artifact is no audio.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the file was stored.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the file was deleted: its URL answers 410 since then. Null while it exists.',
    }),
    url: t.field({
      type: 'URL',
      description:
        "Signed URL of the file; signed by this query, valid for 15 minutes. Operators of another account than the job's are refused.",
      resolve: async ({ jobId, storageKey, contentType, deletedAt }, _args, ctx) => {
        if (!(await seesContent(ctx, jobId)))
          throw new ServiceError('FORBIDDEN', "Only callers of the job's account read its files.")
        return ctx.storage.signUrl(storageKey, { contentType, now: ctx.now(), isDeleted: deletedAt !== null })
      },
    }),
  }),
})

addNodeSource<Artifact>('art', {
  typeOf: () => 'Artifact',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => {
    requireScope(ctx, JOB_READ_SCOPE)
    return findArtifacts(ctx.db, requireAccount(ctx).accountId, ids, queryOf(ctx, info, 'Artifact'))
  },
})

/** A page loads the outputs of all its jobs together. */
export const storedOutputsOf = async (ctx: GraphqlContext, job: Job): Promise<readonly StoredOutput[] | null> =>
  job.storedOutputs === undefined ? ((await artifacts.load(ctx, job.id)) ?? null) : job.storedOutputs

async function showResult(ctx: GraphqlContext, job: Job): Promise<JobResult | null> {
  if (job.status !== 'completed') return null
  const result = await resultOf(ctx, job, await storedOutputsOf(ctx, job))
  return result === null || isOfCaller(ctx, job) ? result : { ...result, outputs: undefined, mediaUrl: undefined }
}

const JobResultRef = builder.objectRef<JobResult>('JobResult').implement({
  description: 'Result of a completed job. Each type of job fills its own fields; the others are null.',
  fields: (t) => ({
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the job was accepted. Voice and generation jobs.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when the job ended. Voice and generation jobs.',
    }),
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'URLs of the outputs by their names, signed by this query for 15 minutes. Voice and generation jobs; null for callers of other accounts.',
      resolve: (result) => result.outputs,
    }),
    endpointSlug: t.exposeString('endpointSlug', {
      nullable: true,
      description: 'Slug of the voice endpoint. Voice jobs.',
    }),
    workflowSlug: t.exposeString('workflowSlug', {
      nullable: true,
      description: 'Slug of the workflow. Generation jobs.',
    }),
  }),
})

builder.objectFields(JobResultRef, (t) => ({
  isProhibited: t.exposeBoolean('isProhibited', {
    nullable: true,
    description: 'True if moderation rejected the content. Companion jobs.',
  }),
  chatId: t.exposeID('chatId', { nullable: true, description: 'Id of the chat. Companion chat and retarget jobs.' }),
  mediaUrl: t.expose('mediaUrl', {
    type: 'URL',
    nullable: true,
    description: 'URL of the medium, as it was submitted. Media tag jobs; null for callers of other accounts.',
  }),
  mediaKind: t.field({
    type: MediaKindEnum,
    nullable: true,
    description: 'Kind of the medium. Media tag jobs.',
    resolve: (result) => result.mediaKind as MediaKind | null | undefined,
  }),
}))

export const TYPE_NAMES = byType(({ graphql }) => graphql.name)
const releases = new BatchLoader<GraphqlContext, number>(loadReleases)
const queuePositions = new BatchLoader<GraphqlContext, number>((ctx, ids) => loadQueuePositions(ctx.db.pool, ids))

/** Tells if the caller belongs to the account of a job; operators see others as well, without their text and sound. */
export const isOfCaller = ({ actor }: GraphqlContext, { accountId }: Job): boolean =>
  'accountId' in actor && actor.accountId === accountId

/** Tells the same of the job of a file. Only operators meet files of other accounts. */
export async function seesContent(ctx: GraphqlContext, jobId: string): Promise<boolean> {
  if (!isOperator(ctx)) return true
  const job = await seenJobs.load(ctx, jobId)
  return job !== undefined && isOfCaller(ctx, job)
}

/**
 * The job that the caller's mutation has just made; reading it needs no further scope. Null if an earlier one was deleted since.
 * @throws UNAUTHORIZED
 */
export const submittedJob = (ctx: GraphqlContext, { jobId }: { readonly jobId: string }): Promise<Job | null> =>
  findJob(ctx.db.pool, jobId, requireAccount(ctx).accountId)

/** @throws UNAUTHORIZED, NOT_FOUND */
export async function madeJob(ctx: GraphqlContext, submission: { readonly jobId: string }): Promise<Job> {
  const made = await submittedJob(ctx, submission)
  if (made === null) throw jobNotFound()
  return made
}

/** A replayed submission may be of a job that runs or has ended. */
export const submittedStatus = {
  type: JobStatusEnum,
  description: 'Status of the job: QUEUED for a new one.',
  resolve: async (submission: Submission, _args: object, ctx: GraphqlContext): Promise<JobStatus> =>
    (submission.replayed ? await submittedJob(ctx, submission) : null)?.status ?? submission.status,
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

/** The fields that a type has as they are in the table of fields. Callers of other accounts get no content. */
export const columnsOn = <Ref>(t: Exposing<Ref>, type: string): Record<string, Ref> =>
  Object.fromEntries(
    FIELD_NAMES.map(fieldOf)
      .filter(({ graphql }) => type in graphql)
      .map(({ name, type: of, isNullable: nullable, isContent, graphql }) => {
        const seenBy = isContent ? { seenBy: isOfCaller } : {}
        const options = { type: ENUMS[of] ?? of, nullable, description: graphql[type], ...seenBy }
        return [name, t.expose(name as never, options as never)]
      }),
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
  description: 'Job of any type.',
  interfaces: [NodeInterface],
  resolveType: ({ type }) => TYPE_NAMES[type],
  fields: (t) => ({
    ...columnsOn(t, 'Job'),
    waitMs: t.float(
      between('createdAt', 'startedAt', "Milliseconds from the job's acceptance to its start; null before its start."),
    ),
    runMs: t.float(
      between(
        'startedAt',
        'completedAt',
        "Milliseconds from the job's first start to its end; null before its end, and for jobs that never started.",
      ),
    ),
    durationMs: t.float(
      between('createdAt', 'completedAt', "Milliseconds from the job's acceptance to its end; null before its end."),
    ),
    attempts: t.exposeInt('attempt', {
      description: 'Number of times that a worker took the job, or tried to and could not charge it.',
    }),
    tags: t.stringList({
      description: 'Tags that the job was submitted with.',
      resolve: ({ tags }) => [...(tags ?? [])],
    }),
    cost: t.float({
      description: 'Credits that the job costs: charged when a worker takes it, and given back if it fails after that.',
      resolve: ({ cost }) => Number(cost),
    }),
  }),
})

builder.interfaceFields(JobInterface, (t) => ({
  releases: t.int({
    description:
      'Number of the attempts that do not count: their workers stopped, or lost the database, and gave the job back.',
    resolve: async ({ id, attempt }, _args, ctx) =>
      attempt === 0 ? 0 : Math.min(attempt, (await releases.load(ctx, id)) ?? 0),
  }),
  queuePosition: t.int({
    nullable: true,
    description:
      "Place of the job among the account's jobs that wait for the same endpoint: 1 is the next. Null unless the job is QUEUED.",
    resolve: async ({ id, status }, _args, ctx) => (status === 'queued' ? queuePositions.load(ctx, id) : null),
  }),
  artifacts: t.prismaField({
    description: 'Outputs of the job, in the order of their names; empty unless it is completed.',
    ...rowsOf([ArtifactRef], async ({ id, status }: Job, ctx) =>
      status === 'completed' ? ((await artifacts.load(ctx, id)) ?? []) : [],
    ),
  }),
  result: t.field({
    type: JobResultRef,
    nullable: true,
    description: 'Result of the job as REST returns it; null unless it is completed.',
    resolve: (job, _args, ctx) => showResult(ctx, job),
  }),
  error: t.string({
    nullable: true,
    description: 'Sentence for a person about the failure and what to do next; null unless the job failed.',
    resolve(job) {
      const error = errorOf(job)
      return error && shownMessage(error.message)
    },
  }),
  errorCode: t.field({
    type: JobErrorCodeEnum,
    nullable: true,
    description: 'Code of the failure; null unless the job failed.',
    resolve: (job) => errorOf(job)?.code,
  }),
}))

const seenJobs = new BatchLoader<GraphqlContext, Job>(loadJobs)

/** An edge to a job. The jobs of a page are loaded together. */
export const toJob = <Parent>(
  idOf: (parent: Parent) => string | null,
  description: string,
  nulls = NONE_OR_UNSEEN,
) => ({
  type: JobInterface,
  nullable: true as const,
  description: `${description} ${nulls}`,
  resolve: async (parent: Parent, _args: object, ctx: GraphqlContext): Promise<Job | null> => {
    const id = idOf(parent)
    return id === null ? null : ((await seenJobs.load(ctx, id)) ?? null)
  },
})

builder.prismaObjectField(ArtifactRef, 'job', (t) =>
  t.field(toJob(({ jobId }: Artifact) => jobId, 'Job that made the output.', UNSEEN)),
)

addNodeSource<Job>('job', {
  typeOf: ({ type }) => TYPE_NAMES[type],
  idOf: ({ id }) => id,
  load: findVisibleJobs,
})
