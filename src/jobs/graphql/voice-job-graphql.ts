import type { CaptionFormat } from '../../audio/caption-format.ts'
import type { AudioFormat } from '../../audio/format.ts'
import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { submitVoiceJob, type VoiceJobInput } from '../../voice/submit-voice-job.ts'
import { storedOptions } from '../job-options.ts'
import type { Job } from '../job-shape.ts'
import { cancelJob } from '../lifecycle/cancel-job.ts'
import type { Submission } from '../lifecycle/queue-job.ts'
import { voiceJob } from '../voice-job.ts'
import { AudioFormatEnum } from './audio-format-graphql.ts'
import { JobStatusEnum } from './job-enums-graphql.ts'
import { TYPE_NAMES } from './job-interface-graphql.ts'
import { GenerationJobRef, VoiceJobRef } from './job-types-graphql.ts'
import { CaptionFormatEnum } from './speech-times-graphql.ts'

const SubmissionRef = builder.objectRef<Submission>('VoiceJobSubmission').implement({
  description: 'An accepted submission.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The job to poll.' }),
    status: t.field({ type: JobStatusEnum, description: 'QUEUED.', resolve: (submission) => submission.status }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether the idempotency key belongs to an earlier job, which is this one.',
    }),
    job: t.field({
      type: VoiceJobRef,
      nullable: true,
      description: 'The job as it is now. Null where an earlier one was deleted since.',
      resolve: ({ jobId }, _args, ctx) => voiceJob(ctx, { jobId }),
    }),
  }),
})

builder.queryField('voiceJob', (t) =>
  t.field({
    type: VoiceJobRef,
    description: "One voice job of the key's account.",
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(voiceJob, (args: { jobId: string }) => args),
  }),
)

type SubmissionArgs = Omit<VoiceJobInput, 'inputs' | 'options'> & {
  readonly inputs?: unknown
  readonly audioFormat?: AudioFormat | null
  readonly captions?: readonly CaptionFormat[] | null
  readonly live?: boolean | null
}

const toVoiceJobInput = ({ audioFormat, captions, live, ...args }: SubmissionArgs): VoiceJobInput => ({
  inputs: undefined,
  ...args,
  options: storedOptions({ format: audioFormat, captions, live: live === true ? live : undefined }),
})

builder.mutationField('submitVoiceJob', (t) =>
  t.field({
    type: SubmissionRef,
    errors: {},
    description: 'Submits a text for speech synthesis.',
    args: {
      slug: t.arg.string({ required: true, description: 'The slug of the voice endpoint.' }),
      inputs: t.arg({ type: 'JSON', required: true, description: "The endpoint's own named inputs." }),
      webhookUrl: t.arg({
        type: 'URL',
        description: "Notified when the job finishes, instead of the account's webhook.",
      }),
      idempotencyKey: t.arg.string({
        description: 'The same key with the same request returns the same job for 24 hours.',
      }),
      audioFormat: t.arg({
        type: AudioFormatEnum,
        description: "What its audio is stored in, instead of the endpoint's own format.",
      }),
      captions: t.arg({
        type: [CaptionFormatEnum],
        description: "Which captions are among its outputs, instead of the endpoint's own.",
      }),
      live: t.arg.boolean({
        description: 'Whether liveUrl is going to be played while it is spoken: its first chunk is then a short one.',
      }),
    },
    ...resolvedBy(submitVoiceJob, toVoiceJobInput),
  }),
)

builder.mutationField('cancelJob', (t) =>
  t.errorUnionField({
    types: [VoiceJobRef, GenerationJobRef],
    union: { resolveType: ({ type }: Job) => TYPE_NAMES[type] },
    description:
      'Cancels an unfinished job: it fails as JOB_CANCELLED, its charge is given back and its engine stops. A finished job stays as it is.',
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(cancelJob, (args: { jobId: string }) => args),
  }),
)
