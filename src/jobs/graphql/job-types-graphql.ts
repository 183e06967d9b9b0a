import type { MediaKind } from '../../companion/tag-media.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { NodeInterface } from '../../graphql/node.ts'
import { audioUrlOf, liveUrlOf } from '../audio-urls.ts'
import type { Job } from '../job-shape.ts'
import { signOutputs } from '../sign-outputs.ts'
import { artifacts } from './artifact-graphql.ts'
import { AudioFormatEnum } from './audio-format-graphql.ts'
import { JobInterface } from './job-interface-graphql.ts'
import { storedOutputsOf } from './job-result-graphql.ts'
import { MediaKindEnum } from './media-kind-graphql.ts'

const INTERFACES = [NodeInterface, JobInterface]
const OUTPUTS = 'Output name to URL; each is signed at this read and lives 15 minutes. Completed jobs only.'
const REASON = 'Why it was rejected; null unless it was.'
const CHAT = 'The chat that it belongs to.'

const outputsOf = async (ctx: GraphqlContext, job: Job): Promise<Record<string, string> | null> =>
  job.status === 'completed' ? signOutputs(ctx, job.id, await storedOutputsOf(ctx, job)) : null

export const VoiceJobRef = builder.objectRef<Job>('VoiceJob').implement({
  description: 'A speech synthesis job.',
  interfaces: INTERFACES,
  fields: (t) => ({
    chunksDone: t.int({
      nullable: true,
      description: 'How many chunks of the text are rendered; null before a worker has cut it up.',
      resolve: (job) => (job.chunksTotal === null ? null : (job.chunksDone ?? 0)),
    }),
    chunksTotal: t.exposeInt('chunksTotal', { nullable: true, description: 'Into how many chunks the text was cut.' }),
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
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description: OUTPUTS,
      resolve: (job, _args, ctx) => outputsOf(ctx, job),
    }),
  }),
})

export const GenerationJobRef = builder.objectRef<Job>('GenerationJob').implement({
  description: 'A run of a workflow.',
  interfaces: INTERFACES,
  fields: (t) => ({
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description: OUTPUTS,
      resolve: (job, _args, ctx) => outputsOf(ctx, job),
    }),
    providerJobId: t.exposeString('providerJobId', { nullable: true, description: "The server's own id of it." }),
    gpuExecutionTimeMs: t.exposeInt('gpuExecutionTimeMs', {
      nullable: true,
      description: 'GPU time in milliseconds, as the server reports it.',
    }),
  }),
})

export const ChatJobRef = builder.objectRef<Job>('CompanionChatJob').implement({
  description: 'A companion chat job.',
  interfaces: INTERFACES,
  fields: (t) => ({
    chatId: t.exposeID('chatId', { nullable: true, description: CHAT }),
    reason: t.exposeString('reason', { nullable: true, description: REASON }),
  }),
})

export const RetargetJobRef = builder.objectRef<Job>('CompanionRetargetJob').implement({
  description: 'A companion retarget job.',
  interfaces: INTERFACES,
  fields: (t) => ({
    chatId: t.exposeID('chatId', { nullable: true, description: CHAT }),
    reason: t.exposeString('reason', { nullable: true, description: REASON }),
  }),
})

export const MediaTagJobRef = builder.objectRef<Job>('CompanionMediaTagJob').implement({
  description: 'The tagging of a medium.',
  interfaces: INTERFACES,
  fields: (t) => ({
    mediaUrl: t.expose('mediaUrl', { type: 'URL', nullable: true, description: 'The URL as it was submitted.' }),
    mediaKind: t.field({
      type: MediaKindEnum,
      nullable: true,
      description: 'The kind of medium.',
      resolve: (job) => job.mediaKind as MediaKind | null,
    }),
    reason: t.exposeString('reason', { nullable: true, description: REASON }),
  }),
})
