import { VoiceEndpointRef } from '../catalog/endpoint-graphql.ts'
import { builder, result } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { type ListedModel, models } from './installed-models.ts'
import { type Pulled, pullModel } from './pull-model.ts'

const LONGEST_PULL_MS = 24 * 3_600_000

const SpeechModelRef = builder.objectRef<ListedModel>('SpeechModel').implement({
  description: 'Model of sherpa-onnx for natural voices on the processor, as `sonant models list` has it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name that a pull takes.' }),
    languages: t.stringList({
      description: 'Languages that the model speaks; empty if they are not known.',
      resolve: ({ languages }) => [...languages],
    }),
    voices: t.stringList({
      description: 'Slugs of its voices; empty if it has none, or they are not known.',
      resolve: ({ voices }) => [...voices],
    }),
    needsRecording: t.exposeBoolean('needsRecording', {
      description: 'True if it has no voices of its own and speaks like a recording that it is given.',
    }),
    licence: t.string({
      nullable: true,
      description: 'Name of the licence; null if it is not known.',
      resolve: ({ licence }) => licence?.name,
    }),
    licenceUrl: t.field({
      type: 'URL',
      nullable: true,
      description: 'URL of the licence; null if it is not known.',
      resolve: ({ licence }) => licence?.url,
    }),
    restriction: t.string({
      nullable: true,
      description: 'Reason why a pull asks for consent; null if it asks for none.',
      resolve: ({ licence }) => licence?.restriction,
    }),
    quality: t.exposeString('quality', {
      nullable: true,
      description: 'Precision and sample rate; null if they are not known.',
    }),
    speed: t.exposeString('speed', {
      nullable: true,
      description: 'Speed as its authors give it; null if they give none.',
    }),
  }),
})

builder.objectFields(SpeechModelRef, (t) => ({
  sizeBytes: t.exposeFloat('sizeBytes', {
    nullable: true,
    description: 'Size of the download in bytes; null if it is not known.',
  }),
  downloadedBytes: t.exposeFloat('downloadedBytes', {
    description: 'Bytes that a pull under way, or one that was broken off, has downloaded; 0 without one.',
  }),
  isInstalled: t.exposeBoolean('isInstalled', {
    description: 'True if the model is in the data directory of the process that answers.',
  }),
  isPullable: t.boolean({
    description: 'True if `pullModel` may install models: a worker runs in the process that answers.',
    resolve: (_model, _args, { hasWorker }) => hasWorker,
  }),
}))

const PulledModelRef = builder.objectRef<Pulled>('PulledModel').implement({
  description: 'Model that a pull has installed, or found installed.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the model.' }),
    endpoint: t.field({
      type: VoiceEndpointRef,
      nullable: true,
      description: 'Voice endpoint that speaks with it; null if it needs a recording first.',
      resolve: ({ endpoint }, _args, { catalog }) =>
        endpoint === null ? null : catalog.current.endpoints.get(endpoint),
    }),
    isNew: t.exposeBoolean('isNew', { description: 'False if the model was installed before.' }),
    warnings: t.stringList({
      description: 'Sentences that the operator should read; empty if all went well.',
      resolve: ({ warnings }) => [...warnings],
    }),
  }),
})

builder.queryField('models', (t) =>
  t.field({
    type: [SpeechModelRef],
    description:
      'Models that `pullModel` knows, and others that are installed where the process that answers runs. Needs the scope operator, or a signed-in operator.',
    ...resolvedBy(
      async (ctx, _input: object) => [...(await models(ctx))],
      () => ({}),
    ),
    extensions: { verb: models, length: 30 },
  }),
)

builder.mutationField('pullModel', (t) =>
  t.field({
    type: PulledModelRef,
    errors: result('Model that was pulled', 'it was not'),
    description:
      'Downloads a model to the data directory of the process that answers, checks and unpacks it, has it speak, and applies its endpoint. It answers when all is done, which may take minutes, and goes on if its caller leaves; `models` tells how far it is. A process without a worker refuses: `sonant models pull` installs where the workers run. Needs the scope operator, or a signed-in operator.',
    args: {
      name: t.arg.string({ required: true, description: 'Name of a model.' }),
      acceptLicence: t.arg.boolean({ description: 'True if the licence is restricted and the caller may use it.' }),
    },
    ...resolvedBy(pullModel, ({ name, acceptLicence }: { name: string; acceptLicence?: boolean | null }) => ({
      ...{ name, acceptLicence: acceptLicence === true, signal: AbortSignal.timeout(LONGEST_PULL_MS) },
    })),
  }),
)
