import type { ActorView } from '../../accounts/audit-entries.ts'
import { ActorRef } from '../../accounts/audit-graphql.ts'
import { keyNameLoader } from '../../api-keys/api-keys.ts'
import { byType } from '../../catalog/job-kinds.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { NodeInterface } from '../../graphql/node.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
import { emailLoader } from '../../users/users.ts'
import { audioUrlOf, liveUrlOf } from '../job-result.ts'
import { isVoiceLoading, type Job } from '../job-shape.ts'
import { signOutputs } from '../sign-outputs.ts'
import {
  ArtifactRef,
  AudioFormatEnum,
  artifacts,
  columnsOn,
  isOfCaller,
  JobInterface,
  storedOutputsOf,
} from './job-graphql.ts'

const INTERFACES = [NodeInterface, JobInterface]
const OUTPUTS =
  'URLs of the outputs by their names, signed by this query for 15 minutes; null unless the job is completed, and for callers of other accounts.'

const outputsOf = async (ctx: GraphqlContext, job: Job): Promise<Record<string, string> | null> =>
  job.status === 'completed' && isOfCaller(ctx, job) ? signOutputs(ctx, job.id, await storedOutputsOf(ctx, job)) : null

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

builder.objectField(JOB_REFS.voice, 'isVoiceLoading', (t) =>
  t.boolean({
    description:
      'True while a worker performs the job and its engine loads the model of the voice into memory, which the first sentence waits for.',
    resolve: isVoiceLoading,
  }),
)

builder.objectFields(JOB_REFS.voice, (t) => ({
  chunksDone: t.int({
    nullable: true,
    description: 'Number of chunks of the text that are rendered; null before a worker has split it.',
    resolve: (job) => (job.chunksTotal === null ? null : (job.chunksDone ?? 0)),
  }),
  audio: t.prismaField({
    nullable: true,
    description: 'Output that is the audio of the job. Null unless the job is completed.',
    ...rowsOf(ArtifactRef, async ({ id, status }: Job, ctx) =>
      status === 'completed'
        ? ((await artifacts.load(ctx, id))?.find(({ output }) => output === 'audio') ?? null)
        : null,
    ),
  }),
  audioMs: t.int({
    nullable: true,
    description: 'Length of the audio in milliseconds; null unless the job is completed.',
    resolve: async ({ id, status }, _args, ctx) =>
      status === 'completed' ? ((await artifacts.load(ctx, id))?.[0]?.durationMs ?? null) : null,
  }),
}))

builder.objectFields(JOB_REFS.voice, (t) => ({
  audioUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'Signed URL of the audio in any format, valid for 15 minutes; null unless the job is completed, as M4B unless it is stored so, and for callers of other accounts.',
    args: {
      format: t.arg({ type: AudioFormatEnum, description: 'Format of the audio; the stored one unless given.' }),
    },
    resolve: async (job, { format }, ctx) =>
      isOfCaller(ctx, job) ? audioUrlOf(ctx, job, await storedOutputsOf(ctx, job), format ?? null) : null,
  }),
  liveUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'Signed URL that plays the speech while it is still being made, from the first finished sentence on; valid for 15 minutes. Null if the job has failed, as M4B, and for callers of other accounts.',
    args: { format: t.arg({ type: AudioFormatEnum, description: 'Format of the audio; MP3 unless given.' }) },
    resolve: (job, { format }, ctx) => (isOfCaller(ctx, job) ? liveUrlOf(ctx, job, format ?? 'mp3') : null),
  }),
}))

async function submittedBy(ctx: GraphqlContext, job: Job): Promise<ActorView | null> {
  if (!isOfCaller(ctx, job)) return null
  if (job.apiKeyId !== null) {
    const name = job.apiKeyName ?? (await keyNameLoader.load(ctx, job.apiKeyId))?.name ?? null
    return { kind: 'key', of: job.id, callerId: job.apiKeyId, name }
  }
  if (job.userId === null) return null
  return { kind: 'user', of: job.id, callerId: job.userId, name: (await emailLoader.load(ctx, job.userId)) ?? null }
}

builder.interfaceField(JobInterface, 'submittedBy', (t) =>
  t.field({
    type: ActorRef,
    nullable: true,
    description:
      'API key or user that submitted the job. Null for callers of other accounts, and if the command line submitted it.',
    resolve: (job, _args, ctx) => submittedBy(ctx, job),
  }),
)
