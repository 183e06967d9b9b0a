import type { ActorView } from '../../accounts/audit-entries.ts'
import { ActorRef } from '../../accounts/audit-graphql.ts'
import { byType } from '../../catalog/job-kinds.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { NodeInterface } from '../../graphql/node.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
import { emailsById } from '../../users/users.ts'
import { audioUrlOf, liveUrlOf } from '../job-result.ts'
import type { Job } from '../job-shape.ts'
import { signOutputs } from '../sign-outputs.ts'
import { ArtifactRef, AudioFormatEnum, artifacts, columnsOn, JobInterface, storedOutputsOf } from './job-graphql.ts'

const INTERFACES = [NodeInterface, JobInterface]
const OUTPUTS = 'Output name to URL; each is signed at this read and lives 15 minutes. Completed jobs only.'

const outputsOf = async (ctx: GraphqlContext, job: Job): Promise<Record<string, string> | null> =>
  job.status === 'completed' ? signOutputs(ctx, job.id, await storedOutputsOf(ctx, job)) : null

export const JOB_REFS = byType(({ graphql: { name, description }, queued }) => {
  const ref = builder.objectRef<Job>(name)
  ref.implement({ description, interfaces: INTERFACES, fields: (t) => columnsOn(t, name) })
  if (queued === undefined) return ref
  builder.objectField(ref, 'outputs', (t) =>
    t.field({
      type: 'JSON',
      nullable: true,
      description: OUTPUTS,
      resolve: (job, _args, ctx) => outputsOf(ctx, job),
    }),
  )
  return ref
})

builder.objectFields(JOB_REFS.voice, (t) => ({
  chunksDone: t.int({
    nullable: true,
    description: 'How many chunks of the text are rendered; null before a worker has cut it up.',
    resolve: (job) => (job.chunksTotal === null ? null : (job.chunksDone ?? 0)),
  }),
  audio: t.prismaField({
    nullable: true,
    description: 'The output that is its audio. Completed jobs only.',
    ...rowsOf(ArtifactRef, async ({ id, status }: Job, ctx) =>
      status === 'completed'
        ? ((await artifacts.load(ctx, id))?.find(({ output }) => output === 'audio') ?? null)
        : null,
    ),
  }),
  audioMs: t.int({
    nullable: true,
    description: 'How long the speech plays. Completed jobs only.',
    resolve: async ({ id, status }, _args, ctx) =>
      status === 'completed' ? ((await artifacts.load(ctx, id))?.[0]?.durationMs ?? null) : null,
  }),
  audioUrl: t.field({
    type: 'URL',
    nullable: true,
    description: 'A signed URL of its audio in any format; lives 15 minutes. Completed jobs only.',
    args: { format: t.arg({ type: AudioFormatEnum, description: 'As it is stored unless given.' }) },
    resolve: async (job, { format }, ctx) => audioUrlOf(ctx, job, await storedOutputsOf(ctx, job), format ?? null),
  }),
  liveUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'A signed URL that plays from the first finished sentence on, while the job is queued, processing or completed; null once it has failed. Lives 15 minutes.',
    args: { format: t.arg({ type: AudioFormatEnum, description: 'MP3 unless given.' }) },
    resolve: (job, { format }, ctx) => liveUrlOf(ctx, job, format ?? 'mp3'),
  }),
}))

const addresses = new BatchLoader<GraphqlContext, string>(emailsById)

async function submittedBy(ctx: GraphqlContext, job: Job): Promise<ActorView | null> {
  if (!('accountId' in ctx.actor) || ctx.actor.accountId !== job.accountId) return null
  if (job.apiKeyId !== null) return { kind: 'key', of: job.id, callerId: job.apiKeyId, name: job.apiKeyName }
  if (job.userId === null) return null
  return { kind: 'user', of: job.id, callerId: job.userId, name: (await addresses.load(ctx, job.userId)) ?? null }
}

builder.interfaceField(JobInterface, 'submittedBy', (t) =>
  t.field({
    type: ActorRef,
    nullable: true,
    description: 'The key or user that submitted it. Null outside of its account, and where the command line did.',
    resolve: (job, _args, ctx) => submittedBy(ctx, job),
  }),
)
