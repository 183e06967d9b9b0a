import { requireAccount } from '../../access/require.ts'
import { jobNotFound } from '../../errors/service-error.ts'
import { batched } from '../../graphql/batch.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../../graphql/node.ts'
import { job } from '../job.ts'
import { loadQueuePositions } from '../job-parts.ts'
import { type JobRecord, loadRecords } from '../job-record.ts'
import { JOB_ERRORS, type JobType } from '../job-states.ts'
import { ArtifactRef, artifactsOf } from './artifact-graphql.ts'
import { JobErrorCodeEnum, JobStatusEnum, JobTypeEnum } from './job-enums-graphql.ts'
import { JobResultRef, showResult } from './job-result-graphql.ts'

export const TYPE_NAMES: Readonly<Record<JobType, string>> = {
  voice: 'VoiceJob',
  generate: 'GenerationJob',
  companion_chat: 'CompanionChatJob',
  companion_retarget: 'CompanionRetargetJob',
  companion_media_tag: 'CompanionMediaTagJob',
}
const queuePositionOf = batched<number>((ctx, ids) => loadQueuePositions(ctx.db.pool, ids))
const recordOf = batched<JobRecord>(async (ctx, ids) => {
  const records = await loadRecords(ctx.db.pool, requireAccount(ctx).accountId, ids)
  return new Map(records.map((record) => [record.id, record]))
})

/** All of a job that a verb let the caller see. */
export async function showRecord(ctx: GraphqlContext, { jobId }: { readonly jobId: string }): Promise<JobRecord> {
  const record = await recordOf(ctx, jobId)
  if (record === undefined) throw jobNotFound()
  return record
}

type Moment = 'created_at' | 'started_at' | 'completed_at'

/** A field with the milliseconds between two moments of a job; null before the later one. */
const between = (begin: Moment, end: Moment, description: string) =>
  ({
    nullable: true,
    description,
    resolve: ({ [begin]: from, [end]: to }: JobRecord): number | null =>
      from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime()),
  }) as const

export const JobInterface = builder.interfaceRef<JobRecord>('Job').implement({
  description: 'A job of any type.',
  interfaces: [NodeInterface],
  resolveType: ({ type }) => TYPE_NAMES[type],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The job id.' }),
    type: t.field({ type: JobTypeEnum, description: 'Its type.', resolve: ({ type }) => type }),
    endpointKey: t.exposeString('endpoint_key', { description: 'Its type and slug: `voice.tts`.' }),
    status: t.field({ type: JobStatusEnum, description: 'Its status.', resolve: ({ status }) => status }),
    isProhibited: t.exposeBoolean('is_prohibited', {
      nullable: true,
      description: 'The verdict. Null for jobs that are not moderated, and until it is decided.',
    }),
    apiKeyId: t.exposeID('api_key_id', { nullable: true, description: 'The key that it was submitted with.' }),
    apiKeyName: t.exposeString('api_key_name', { nullable: true, description: 'Null after that key is deleted.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was accepted.' }),
    startedAt: t.expose('started_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker took it last; null before.',
    }),
    completedAt: t.expose('completed_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it finished; null before.',
    }),
    waitMs: t.float(between('created_at', 'started_at', 'From its acceptance to its start; null before.')),
    runMs: t.float(
      between(
        'started_at',
        'completed_at',
        'From its last start to its end; null before, and for jobs that never started.',
      ),
    ),
    durationMs: t.float(between('created_at', 'completed_at', 'From its acceptance to its end; null before.')),
    attempts: t.exposeInt('attempt', { description: 'How often a worker took it.' }),
    cost: t.float({
      description: 'Credits that it was charged, refunded or not.',
      resolve: ({ cost }) => Number(cost),
    }),
  }),
})

// What is more than its row says.
builder.interfaceFields(JobInterface, (t) => ({
  queuePosition: t.int({
    nullable: true,
    description: "Its place among the account's jobs that wait for the same endpoint: 1 is the next. QUEUED only.",
    resolve: async ({ id, status }, _args, ctx) => (status === 'queued' ? queuePositionOf(ctx, id) : null),
  }),
  artifacts: t.field({
    type: [ArtifactRef],
    description: 'Its outputs, by name. Completed jobs only.',
    resolve: async ({ id, status }, _args, ctx) => (status === 'completed' ? ((await artifactsOf(ctx, id)) ?? []) : []),
  }),
  result: t.field({
    type: JobResultRef,
    nullable: true,
    description: 'The result as REST returns it. Completed jobs only.',
    resolve: (row, _args, ctx) => showResult(ctx, row),
  }),
  error: t.string({
    nullable: true,
    description: 'What to do next. Failed jobs only.',
    resolve: ({ status, error_code: code }) => (status === 'failed' ? JOB_ERRORS[code ?? 'INTERNAL_ERROR'] : null),
  }),
  errorCode: t.field({
    type: JobErrorCodeEnum,
    nullable: true,
    description: 'Failed jobs only.',
    resolve: ({ status, error_code: code }) => (status === 'failed' ? (code ?? 'INTERNAL_ERROR') : null),
  }),
}))

addNodeSource<JobRecord>('job', {
  typeOf: ({ type }) => TYPE_NAMES[type],
  load: async (ctx, id) => showRecord(ctx, await job(ctx, { jobId: id })),
})
