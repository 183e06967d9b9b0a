import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { JobErrorCodeEnum, JobStatusEnum, MediaKindEnum, madeJob } from '../jobs/graphql/job-graphql.ts'
import { JOB_REFS } from '../jobs/graphql/job-types-graphql.ts'
import {
  type ChatInput,
  type ChatResult,
  chatWithCompanion,
  type RetargetInput,
  type RetargetResult,
  retargetCompanion,
} from './chat-with-companion.ts'
import type { CompanionView } from './companion-job.ts'
import { type MediaTagInput, type MediaTagResult, tagMedia } from './tag-media.ts'

const AnswerInterface = builder.interfaceRef<CompanionView<unknown>>('CompanionAnswer').implement({
  description: 'A finished request to the companion.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The id of the job that records the request.' }),
    status: t.field({ type: JobStatusEnum, description: 'COMPLETED or FAILED.', resolve: ({ status }) => status }),
    isProhibited: t.exposeBoolean('isProhibited', {
      nullable: true,
      description: 'Whether moderation rejected it; null on failed jobs.',
    }),
    error: t.string({
      nullable: true,
      description: 'What to do next. Failed jobs only.',
      resolve: ({ failure }) => failure?.message,
    }),
    errorCode: t.field({
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Failed jobs only.',
      resolve: ({ failure }) => failure?.code,
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether the idempotency key belongs to an earlier job, which is this one.',
    }),
  }),
})

const ChatRef = builder.objectRef<CompanionView<ChatResult>>('CompanionChatAnswer').implement({
  description: 'A reply of the companion.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_chat,
      description: 'All of its fields.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    chatId: t.id({ nullable: true, description: 'Continues the chat.', resolve: ({ result }) => result?.chatId }),
    reply: t.string({
      nullable: true,
      description: 'null when rejected or when no model is configured.',
      resolve: ({ result }) => result?.reply,
    }),
  }),
})

const RetargetRef = builder.objectRef<CompanionView<RetargetResult>>('CompanionRetargetAnswer').implement({
  description: 'The result of a change of persona.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_retarget,
      description: 'All of its fields.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    chatId: t.id({ nullable: true, description: 'The chat.', resolve: ({ result }) => result?.chatId }),
  }),
})

const MediaTagRef = builder.objectRef<CompanionView<MediaTagResult>>('CompanionMediaTagAnswer').implement({
  description: 'The tags of a medium.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_media_tag,
      description: 'All of its fields.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    mediaUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'The URL as it was sent.',
      resolve: ({ result }) => result?.mediaUrl,
    }),
    mediaKind: t.field({
      type: MediaKindEnum,
      nullable: true,
      description: 'The URL as it was sent.',
      resolve: ({ result }) => result?.mediaKind,
    }),
    tags: t.stringList({
      nullable: true,
      description: 'Empty when rejected or when no model is configured; null on failed jobs.',
      resolve: ({ result }) => (result === null ? null : [...result.tags]),
    }),
  }),
})

const IDEMPOTENCY_KEY = 'The same key with the same request returns the same answer for 24 hours.'

builder.mutationFields((t) => ({
  chatWithCompanion: t.field({
    type: ChatRef,
    errors: {},
    description: 'Sends a message to the companion. Needs the scope companion:chat.',
    args: {
      chatId: t.arg.id({ description: 'Continues a chat; absent: a new one.' }),
      message: t.arg.string({ required: true, description: 'At most 8,000 characters.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(chatWithCompanion, (args: ChatInput) => args),
  }),
  retargetCompanion: t.field({
    type: RetargetRef,
    errors: {},
    description: "Gives a chat's companion another persona. Needs the scope companion:retarget.",
    args: {
      chatId: t.arg.id({ required: true, description: 'The chat.' }),
      persona: t.arg.string({ required: true, description: 'At most 4,000 characters.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(retargetCompanion, (args: RetargetInput) => args),
  }),
  tagMedia: t.field({
    type: MediaTagRef,
    errors: {},
    description: 'Tags a medium. Needs the scope companion:media_tag.',
    args: {
      mediaUrl: t.arg({ type: 'URL', required: true, description: 'Its public address.' }),
      mediaKind: t.arg({ type: MediaKindEnum, required: true, description: 'The kind of medium.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(tagMedia, (args: MediaTagInput) => args),
  }),
}))
