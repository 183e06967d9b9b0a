import { builder, result } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { type HeardSpeech, hearEngine } from './hear-engine.ts'
import { type EngineProposal, type ProposedVoice, proposeEngine } from './propose-engine.ts'

const NEEDS = 'Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.'

const ProposedVoiceRef = builder.objectRef<ProposedVoice>('ProposedVoice').implement({
  description: 'Voice that a speech server lists.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'Slug that the voice would have in the endpoint.' }),
    name: t.exposeString('name', { description: 'Name for readers.' }),
    engineVoice: t.exposeString('engineVoice', { description: 'Name of the voice in the engine.' }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'Language of the voice, such as `English`; null if it speaks several, or if that is not known.',
    }),
  }),
})

const EngineProposalRef = builder.objectRef<EngineProposal>('EngineProposal').implement({
  description: 'Speech server as it was found, with an endpoint file for it. Nothing is stored.',
  fields: (t) => ({
    server: t.exposeString('server', { description: 'Address of the server, as the endpoint file has it.' }),
    profile: t.exposeString('profile', { description: 'Profile of the server, as the engine block names it.' }),
    kindName: t.exposeString('kindName', { description: 'Name of the kind of server, for readers.' }),
    isLoading: t.exposeBoolean('isLoading', { description: 'True if the server still loads its model.' }),
    models: t.stringList({
      description: 'Models of the server that speak, as far as it tells.',
      resolve: ({ models }) => [...models],
    }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'Model of the endpoint file; null if the server lists none and none was given.',
    }),
    voices: t.field({
      type: [ProposedVoiceRef],
      description:
        'Voices that the server lists for the model, then others that were given, each at most 500; empty if there are none.',
      resolve: ({ voices }) => [...voices],
    }),
    name: t.exposeString('name', { description: 'Name of the endpoint.' }),
    slug: t.exposeString('slug', { description: 'Slug of the endpoint, which no other one has.' }),
    source: t.exposeString('source', {
      nullable: true,
      description:
        'Endpoint file in YAML, for `hearEngine` and `applyEndpoints`. A key is in it encrypted, for this server alone. Null until a model and a voice are known.',
    }),
  }),
})

const HeardSpeechRef = builder.objectRef<HeardSpeech>('HeardSpeech').implement({
  description: 'Sentence that an engine was to speak for a trial. Nothing is charged.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Text of the sentence.' }),
    audio: t.string({
      nullable: true,
      description: 'Speech as a `data:` URL of an MP3 file; null if the engine did not speak.',
      resolve: ({ speech }) => speech && `data:audio/mpeg;base64,${Buffer.from(speech.mp3).toString('base64')}`,
    }),
    speechMs: t.int({
      nullable: true,
      description: 'Milliseconds that the engine took; null if it did not speak.',
      resolve: ({ speech }) => speech?.tookMs,
    }),
    audioMs: t.int({
      nullable: true,
      description: 'Length of the speech in milliseconds; null without any.',
      resolve: ({ speech }) => speech?.durationMs,
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Reason why the engine did not speak, and what to do, in one sentence; null if it spoke.',
    }),
  }),
})

interface ProposeArgs {
  readonly address: string
  readonly apiKey?: string | null | undefined
  readonly model?: string | null | undefined
  readonly voices?: readonly string[] | null | undefined
  readonly name?: string | null | undefined
}

interface HearArgs {
  readonly slug?: string | null | undefined
  readonly source?: string | null | undefined
  readonly voice?: string | null | undefined
  readonly text?: string | null | undefined
}

builder.mutationFields((t) => ({
  proposeEngine: t.field({
    type: EngineProposalRef,
    errors: result('Endpoint file for the speech server', 'none could be written'),
    description: `Asks a speech server, within 10 seconds, what it is and which models and voices it has, and writes an endpoint file for it. It changes nothing. ${NEEDS}`,
    args: {
      address: t.arg.string({ required: true, description: 'Address of the server, such as `http://gpu-1:8880`.' }),
      apiKey: t.arg.string({ description: 'Key of the server. Absent: it wants none.' }),
      model: t.arg.string({ description: "Model of the endpoint. Absent: the server's first." }),
      voices: t.arg.stringList({
        description:
          'Names of the voices in the engine, also of some that it does not list. Absent: all that it lists.',
      }),
      name: t.arg.string({ description: 'Name of the endpoint. Absent: after the model.' }),
    },
    ...resolvedBy(proposeEngine, (args: ProposeArgs) => args),
  }),
  hearEngine: t.field({
    type: HeardSpeechRef,
    errors: result('Sentence that the engine spoke', 'there was none'),
    description: `Has a voice endpoint, or the first one of an endpoint file, speak a sentence, within 20 seconds. It changes nothing. ${NEEDS}`,
    args: {
      slug: t.arg.string({ description: 'Slug of a voice endpoint. Absent: `source` is given.' }),
      source: t.arg.string({ description: 'Content of an endpoint file, YAML or JSON. Absent: `slug` is given.' }),
      voice: t.arg.string({
        description: 'Slug of a voice of the endpoint, in a file of a preset one. Absent: its first.',
      }),
      text: t.arg.string({
        description: 'Text of at most 300 characters. Absent: a sentence in the language of the voice.',
      }),
    },
    ...resolvedBy(hearEngine, (args: HearArgs) => args),
  }),
}))
