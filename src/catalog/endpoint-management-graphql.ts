import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { PageInput } from '../db/page.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, forOperator, OPERATORS_PART, resolvedBy } from '../graphql/resolved-by.ts'
import { engineWarnings } from '../voice/trials/engine-warnings.ts'
import { type Application, applyEndpoints } from './apply-endpoints.ts'
import { deleteEndpoint } from './change-catalog.ts'
import { VoiceEndpointRef, VoiceRef } from './endpoint-graphql.ts'
import { endpoints } from './endpoints.ts'
import { shownEngine, withoutPassword } from './files/hidden-password.ts'
import { type EntryChange, endpointFile, type FieldChange } from './files/write-endpoint.ts'
import { poolOf } from './voice-endpoint.ts'

const AUDIO_URL = /^data:audio\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/

/** Security: a remote caller must not read files of this machine. */
async function readInlineAudio(path: string): Promise<Uint8Array> {
  const [, content] = AUDIO_URL.exec(path) ?? []
  if (content === undefined) throw Object.assign(new Error('not inline'), { code: 'send a data: URL of audio' })
  return Buffer.from(content, 'base64')
}

const shownValue =
  (side: 'before' | 'after') =>
  (change: FieldChange): string | null => {
    const value = change[side]
    return value !== null && change.path === 'engine.base_url'
      ? JSON.stringify(withoutPassword(JSON.parse(value) as string))
      : value
  }

const FieldChangeRef = builder.objectRef<FieldChange>('EndpointFieldChange').implement({
  description: 'One value that an endpoint file changes.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Where it stands in its entry: `engine.base_url`, `voices.aria.name`.',
    }),
    before: t.string({
      nullable: true,
      description: 'As JSON; null where there was none.',
      resolve: shownValue('before'),
    }),
    after: t.string({
      nullable: true,
      description: 'As JSON; null where there is none.',
      resolve: shownValue('after'),
    }),
  }),
})

const EntryChangeRef = builder.objectRef<EntryChange>('EndpointChange').implement({
  description: 'What an endpoint file changes of one endpoint or workflow.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'Its slug.' }),
    isWorkflow: t.boolean({ description: 'Whether it is a workflow.', resolve: ({ kind }) => kind === 'workflow' }),
    isNew: t.exposeBoolean('isNew', { description: 'Whether there was none of that slug.' }),
    fields: t.field({
      type: [FieldChangeRef],
      description: 'By path; none where it stays as it is.',
      resolve: ({ fields }) => [...fields],
    }),
  }),
})

const ApplicationRef = builder.objectRef<Application>('ApplyEndpointsSuccess').implement({
  description: 'An endpoint file that is live in every process within a second, or, after a dry run, would be.',
  fields: (t) => ({
    changes: t.field({
      type: [EntryChangeRef],
      description: 'What it changes, in the order of its endpoints, then of its workflows.',
      resolve: ({ changes }) => [...changes],
    }),
    slugs: t.stringList({
      description: 'Of its endpoints, then of its workflows.',
      resolve: ({ applied }) => [...applied],
    }),
    warnings: t.stringList({
      description:
        'A sentence for each endpoint and workflow whose engine is not there, as seen from the API: applied all the same.',
      resolve: ({ specs }, _args, ctx) => engineWarnings(ctx, specs),
    }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly deleted: string }>('DeleteEndpointSuccess').implement({
  description: 'A deleted endpoint or workflow. Its jobs stay.',
  fields: (t) => ({
    slug: t.exposeString('deleted', { description: 'The slug of the deleted endpoint or workflow.' }),
  }),
})

interface ApplyArgs {
  readonly source: string
  readonly dryRun?: boolean | null | undefined
}

builder.queryField('endpointFile', (t) =>
  t.field({
    type: 'String',
    description:
      'A voice endpoint or, where none has that slug, a workflow as the YAML of an endpoint file; passwords in addresses are hidden, recordings left out. Needs the scope operator, or a signed-in operator.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    ...resolvedBy(endpointFile, (args: { slug: string }) => args),
  }),
)

builder.mutationFields((t) => ({
  applyEndpoints: t.field({
    type: ApplicationRef,
    errors: {},
    description:
      'Makes or replaces the endpoints and workflows of an endpoint file, all or none. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      source: t.arg.string({ required: true, description: 'YAML or JSON; a reference_audio is a data: URL of audio.' }),
      dryRun: t.arg.boolean({
        description: 'Changes nothing, and needs no password: it says what would change, or what is wrong.',
      }),
    },
    ...resolvedBy(applyEndpoints, ({ source, dryRun }: ApplyArgs) => ({
      source,
      readAudio: readInlineAudio,
      dryRun: dryRun === true,
    })),
  }),
  deleteEndpoint: t.field({
    type: DeletionRef,
    errors: {},
    description:
      'Deletes a voice endpoint or, where none has that slug, a workflow. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    ...resolvedBy(deleteEndpoint, (args: { slug: string }) => args),
  }),
}))

const EndpointSettingsRef = builder.objectRef<VoiceEndpoint>('EndpointSettings').implement({
  description: 'Settings of an endpoint that only operators see.',
  fields: (t) => ({
    published: t.exposeBoolean('published', { description: 'Whether callers can use it.' }),
    requiredScope: t.exposeString('requiredScope', {
      nullable: true,
      description: 'The extra scope that restricts it: to every other key it looks missing.',
    }),
    engine: t.field({
      type: 'JSON',
      description: 'The engine block of its endpoint file, without a password.',
      resolve: ({ engine }) => shownEngine(engine),
    }),
    pool: t.string({ description: 'Its jobs wait in the queue of this pool.', resolve: poolOf }),
    timeLimitSeconds: t.exposeInt('timeLimitSeconds', { description: 'How long a job may take.' }),
    creditsPerCharacter: t.exposeInt('creditsPerCharacter', { description: 'Credits per character of text.' }),
  }),
})

const VoiceSettingsRef = builder.objectRef<Voice>('VoiceSettings').implement({
  description: 'Settings of a voice that only operators see.',
  fields: (t) => ({
    engineVoice: t.exposeString('engineVoice', { nullable: true, description: "The engine's own name of it." }),
    referenceText: t.exposeString('referenceText', {
      nullable: true,
      description: 'The text that its recording speaks.',
    }),
  }),
})

builder.objectField(VoiceEndpointRef, 'settings', (t) =>
  t.field({ type: EndpointSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
)

builder.objectField(VoiceRef, 'settings', (t) =>
  t.field({ type: VoiceSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
)

builder.queryField('endpoints', (t) =>
  t.connection(
    {
      type: VoiceEndpointRef,
      description:
        'All voice endpoints by slug, unpublished and restricted ones included. Needs the scope operator, or a signed-in operator.',
      ...resolvedBy(endpoints, (args: PageInput) => args),
    },
    ...connectionOf('VoiceEndpoint', 'voice endpoints'),
  ),
)
