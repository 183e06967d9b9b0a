import { builder, result } from '../graphql/builder.ts'
import { shownMessage } from '../graphql/http/errors.ts'
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
  description: 'Answer to a request to the companion.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'Id of the job that records the request.' }),
    status: t.field({
      type: JobStatusEnum,
      description: 'Status of the job: COMPLETED or FAILED.',
      resolve: ({ status }) => status,
    }),
    isProhibited: t.exposeBoolean('isProhibited', {
      nullable: true,
      description: 'True if moderation rejected the content; null if the job failed.',
    }),
    error: t.string({
      nullable: true,
      description: 'Sentence for a person about the failure and what to do next; null unless the job failed.',
      resolve: ({ failure }) => failure && shownMessage(failure.message),
    }),
    errorCode: t.field({
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Code of the failure; null unless the job failed.',
      resolve: ({ failure }) => failure?.code,
    }),
    replayed: t.exposeBoolean('replayed', {
      description: 'True if the idempotency key was used before: the answer is that of the earlier request.',
    }),
  }),
})

const ChatRef = builder.objectRef<CompanionView<ChatResult>>('CompanionChatAnswer').implement({
  description: 'Reply of the companion.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_chat,
      description: 'Job that records the request.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    chatId: t.id({
      nullable: true,
      description: 'Id of the chat, to continue it; null if the job failed.',
      resolve: ({ result }) => result?.chatId,
    }),
    reply: t.string({
      nullable: true,
      description:
        'Reply of the companion; null if the message was rejected, if no model is configured, and if the job failed.',
      resolve: ({ result }) => result?.reply,
    }),
  }),
})

const RetargetRef = builder.objectRef<CompanionView<RetargetResult>>('CompanionRetargetAnswer').implement({
  description: 'Result of a change of persona.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_retarget,
      description: 'Job that records the request.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    chatId: t.id({
      nullable: true,
      description: 'Id of the chat; null if the job failed.',
      resolve: ({ result }) => result?.chatId,
    }),
  }),
})

const MediaTagRef = builder.objectRef<CompanionView<MediaTagResult>>('CompanionMediaTagAnswer').implement({
  description: 'Tags of a medium.',
  interfaces: [AnswerInterface],
  fields: (t) => ({
    job: t.field({
      type: JOB_REFS.companion_media_tag,
      description: 'Job that records the request.',
      resolve: (view, _args, ctx) => madeJob(ctx, view),
    }),
    mediaUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'URL of the medium, as it was sent; null if the job failed.',
      resolve: ({ result }) => result?.mediaUrl,
    }),
    mediaKind: t.field({
      type: MediaKindEnum,
      nullable: true,
      description: 'Kind of the medium, as it was sent; null if the job failed.',
      resolve: ({ result }) => result?.mediaKind,
    }),
    tags: t.stringList({
      nullable: true,
      description: 'Tags of the medium; empty if it was rejected or no model is configured, null if the job failed.',
      resolve: ({ result }) => (result === null ? null : [...result.tags]),
    }),
  }),
})

const IDEMPOTENCY_KEY =
  'Key of your own choice: for 24 hours the same key with the same request returns the same answer.'

builder.mutationFields((t) => ({
  chatWithCompanion: t.field({
    type: ChatRef,
    errors: result("Companion's answer", 'nothing was sent'),
    description: 'Sends a message to the companion. Needs the scope companion:chat.',
    args: {
      chatId: t.arg.id({ description: 'Id of the chat to continue; a new one begins unless given.' }),
      message: t.arg.string({ required: true, description: 'Message to the companion: at most 8,000 characters.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(chatWithCompanion, (args: ChatInput) => args),
  }),
  retargetCompanion: t.field({
    type: RetargetRef,
    errors: result('Result of the change of persona', 'the persona stays as it is'),
    description: "Gives a chat's companion another persona. Needs the scope companion:retarget.",
    args: {
      chatId: t.arg.id({ required: true, description: 'Id of the chat.' }),
      persona: t.arg.string({
        required: true,
        description: 'Description of the new persona: at most 4,000 characters.',
      }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(retargetCompanion, (args: RetargetInput) => args),
  }),
  tagMedia: t.field({
    type: MediaTagRef,
    errors: result('Tags of the medium', 'nothing was tagged'),
    description: 'Tags a medium. Needs the scope companion:media_tag.',
    args: {
      mediaUrl: t.arg({ type: 'URL', required: true, description: 'URL of the medium, which must be public.' }),
      mediaKind: t.arg({ type: MediaKindEnum, required: true, description: 'Kind of the medium.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY }),
    },
    ...resolvedBy(tagMedia, (args: MediaTagInput) => args),
  }),
}))
