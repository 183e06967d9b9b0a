import type { AnyFormat, CaptionFormat } from '../../audio/format.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { builder, OfItem, result } from '../../graphql/builder.ts'
import { submitVoiceJobs, type VoiceJobsInput } from '../../voice/submit-voice-jobs.ts'
import { storedOptions } from '../job-shape.ts'
import { AudioFormatEnum } from './job-graphql.ts'
import { type SubmitOptions, submitOptionFields } from './submit-options-graphql.ts'
import { CaptionFormatEnum, SubmissionRef } from './voice-job-graphql.ts'

interface SubmitVoiceJobsOptions extends SubmitOptions {
  readonly idempotencyKey?: string | null | undefined
  readonly webhookUrl?: string | null | undefined
  readonly audioFormat?: AnyFormat | null | undefined
  readonly captions?: readonly CaptionFormat[] | null | undefined
}

const OptionsInput = builder.inputRef<SubmitVoiceJobsOptions>('SubmitVoiceJobsOptions').implement({
  description: 'Options of a submission of several texts; each of their jobs keeps them.',
  fields: (t) => ({
    ...submitOptionFields(t),
    idempotencyKey: t.string({
      description:
        'Key of your own choice, at most 200 characters: for 24 hours the same key with the same input at the same place returns the same job. The key of each job is this one, a space and the place of its input, from 0 on.',
    }),
    webhookUrl: t.field({
      type: 'URL',
      description: "URL that is notified when a job ends, instead of the account's webhook.",
    }),
    audioFormat: t.field({
      type: AudioFormatEnum,
      description: "Format in which the audio is stored, instead of the endpoint's own.",
    }),
    captions: t.field({
      type: [CaptionFormatEnum],
      description: "Formats of the captions among the outputs, instead of the endpoint's own.",
    }),
  }),
})

interface Args {
  readonly slug: string
  readonly inputs: readonly unknown[]
  readonly options?: SubmitVoiceJobsOptions | null | undefined
}

const toInput = ({ slug, inputs, options }: Args): VoiceJobsInput => ({
  ...{ slug, inputs, tags: options?.tags, webhookUrl: options?.webhookUrl, idempotencyKey: options?.idempotencyKey },
  options: storedOptions({ format: options?.audioFormat, captions: options?.captions, priority: options?.priority }),
})

builder.mutationField('submitVoiceJobs', (t) =>
  t.field({
    type: [SubmissionRef],
    // The plugin makes one union for one name of a result, so this is the union of submitVoiceJob.
    itemErrors: {
      result: { name: 'MutationSubmitVoiceJobSuccess' },
      union: { name: 'SubmitVoiceJobResult', ...result('Accepted submission', 'no job was made').union },
    },
    description:
      'Submits up to 100 texts to one endpoint for speech synthesis. Each has its own result, in the order of `inputs`: one that is refused leaves the others. The `details` of a refusal are those of `submitVoiceJob`.',
    args: {
      slug: t.arg.string({ required: true, description: 'Slug of the voice endpoint.' }),
      inputs: t.arg({
        type: ['JSON'],
        required: true,
        description:
          "Inputs of each job by their names, as the endpoint's `schema` describes them, such as `text` and `voice`: 1 to 100.",
      }),
      options: t.arg({ type: OptionsInput, description: 'Options of all the jobs.' }),
    },
    extensions: { verb: submitVoiceJobs, length: 100 },
    resolve: async (_root, args, ctx) => (await submitVoiceJobs(ctx, toInput(args))).map(toItem) as never,
  }),
)

const toItem = <Item>(one: Item | ServiceError): Item | OfItem => (one instanceof ServiceError ? new OfItem(one) : one)
