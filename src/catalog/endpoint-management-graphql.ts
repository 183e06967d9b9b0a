import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { PageInput } from '../db/page.ts'
import { WorkflowRef } from '../generation/generation-graphql.ts'
import { builder, result } from '../graphql/builder.ts'
import { connectionOf, forOperator, OPERATORS_PART, resolvedBy } from '../graphql/resolved-by.ts'
import { engineWarnings } from '../voice/trials/engine-warnings.ts'
import { type Application, applyEndpoints } from './apply-endpoints.ts'
import { type DeletedEndpoint, deleteEndpoint } from './change-catalog.ts'
import { VoiceEndpointRef, VoiceRef } from './endpoint-graphql.ts'
import { endpoints } from './endpoints.ts'
import { shownEngine, withoutPassword } from './files/hidden-password.ts'
import { type EntryChange, endpointFile, type FieldChange } from './files/write-endpoint.ts'
import { endpointKey, poolOf } from './voice-endpoint.ts'
import { workflowKey } from './workflows.ts'

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
  description: 'Value that an endpoint file changes.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Place of the value in its entry, such as `engine.base_url` or `voices.aria.name`.',
    }),
    before: t.string({
      nullable: true,
      description: 'Value before the change, as JSON; null if there was none.',
      resolve: shownValue('before'),
    }),
    after: t.string({
      nullable: true,
      description: 'Value after the change, as JSON; null if there is none.',
      resolve: shownValue('after'),
    }),
  }),
})

const EntryChangeRef = builder.objectRef<EntryChange>('EndpointChange').implement({
  description: 'Changes of one endpoint or workflow by an endpoint file.',
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'Slug of the endpoint or workflow.' }),
    isWorkflow: t.boolean({ description: 'True if it is a workflow.', resolve: ({ kind }) => kind === 'workflow' }),
    isNew: t.exposeBoolean('isNew', { description: 'True if there was none of that slug.' }),
    fields: t.field({
      type: [FieldChangeRef],
      description: 'Values that change, in the order of their paths; empty if it stays as it is.',
      resolve: ({ fields }) => [...fields],
    }),
  }),
})

const catalogEntries = <Entry>(
  known: ReadonlyMap<string, Entry>,
  specs: readonly { readonly slug: string }[],
): Entry[] => specs.flatMap(({ slug }) => known.get(slug) ?? [])

const ApplicationRef = builder.objectRef<Application>('ApplyEndpointsSuccess').implement({
  description: 'Endpoint file that is live in every process within a second, or, after a dry run, would be.',
  fields: (t) => ({
    changes: t.field({
      type: [EntryChangeRef],
      description: 'Changes by the file: its endpoints in their order, then its workflows.',
      resolve: ({ changes }) => [...changes],
    }),
    endpoints: t.field({
      type: [VoiceEndpointRef],
      description: 'Voice endpoints of the file as they are now; after a dry run as they were.',
      resolve: ({ specs }, _args, { catalog }) => catalogEntries(catalog.current.endpoints, specs.endpoints),
    }),
    workflows: t.field({
      type: [WorkflowRef],
      description: 'Workflows of the file as they are now; after a dry run as they were.',
      resolve: ({ specs }, _args, { catalog }) => catalogEntries(catalog.current.workflows, specs.workflows),
    }),
    slugs: t.stringList({
      description: "Slugs of the file's endpoints, then of its workflows.",
      resolve: ({ applied }) => [...applied],
    }),
    warnings: t.stringList({
      description:
        'Sentences about endpoints and workflows whose engine the API cannot reach; they are applied all the same.',
      resolve: ({ specs }, _args, ctx) => engineWarnings(ctx, specs),
    }),
  }),
})

const DeletionRef = builder.objectRef<DeletedEndpoint>('DeleteEndpointSuccess').implement({
  description: 'Endpoint or workflow that was deleted. Its jobs stay.',
  fields: (t) => ({
    id: t.id({
      description: 'Id of the deleted endpoint or workflow: `voice.<slug>` or `generate.<slug>`.',
      resolve: ({ deleted, isWorkflow }) => (isWorkflow ? workflowKey(deleted) : endpointKey(deleted)),
    }),
    slug: t.exposeString('deleted', { description: 'Slug of the deleted endpoint or workflow.' }),
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
      'YAML of the endpoint file of a voice endpoint or, if none has that slug, of a workflow; passwords in addresses are hidden, recordings left out. Needs the scope operator, or a signed-in operator.',
    args: { slug: t.arg.string({ required: true, description: 'Slug of the endpoint or workflow.' }) },
    ...resolvedBy(endpointFile, (args: { slug: string }) => args),
  }),
)

builder.mutationFields((t) => ({
  applyEndpoints: t.field({
    type: ApplicationRef,
    errors: result('Endpoint file that was applied', 'nothing was'),
    description:
      'Makes or replaces the endpoints and workflows of an endpoint file, all or none. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      source: t.arg.string({
        required: true,
        description: 'Content of the endpoint file: YAML or JSON. A `reference_audio` is a `data:` URL of audio.',
      }),
      dryRun: t.arg.boolean({
        description: 'True to change nothing: the answer says what would change, or what is wrong. Needs no password.',
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
    errors: result('Deleted endpoint or workflow', 'nothing was deleted'),
    description:
      'Deletes a voice endpoint or, if none has that slug, a workflow. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: { slug: t.arg.string({ required: true, description: 'Slug of the endpoint or workflow.' }) },
    ...resolvedBy(deleteEndpoint, (args: { slug: string }) => args),
  }),
}))

const EndpointSettingsRef = builder.objectRef<VoiceEndpoint>('EndpointSettings').implement({
  description: 'Settings of an endpoint that only operators see.',
  fields: (t) => ({
    published: t.exposeBoolean('published', { description: 'True if callers can use the endpoint.' }),
    requiredScope: t.exposeString('requiredScope', {
      nullable: true,
      description:
        'Extra scope that restricts the endpoint: for other keys it does not exist. Null if it is open to every key.',
    }),
    engine: t.field({
      type: 'JSON',
      description: 'Engine block of the endpoint file, without a password.',
      resolve: ({ engine }) => shownEngine(engine),
    }),
    pool: t.string({ description: 'Name of the pool in whose queue the jobs wait.', resolve: poolOf }),
    timeLimitSeconds: t.exposeInt('timeLimitSeconds', { description: 'Longest time that a job may take, in seconds.' }),
    creditsPerCharacter: t.exposeInt('creditsPerCharacter', {
      description: 'Credits that a character (a Unicode code point) of text costs.',
    }),
  }),
})

const VoiceSettingsRef = builder.objectRef<Voice>('VoiceSettings').implement({
  description: 'Settings of a voice that only operators see.',
  fields: (t) => ({
    engineVoice: t.exposeString('engineVoice', {
      nullable: true,
      description: 'Name of the voice in the engine; null if it has none there.',
    }),
    referenceText: t.exposeString('referenceText', {
      nullable: true,
      description: 'Text that the recording of the voice says; null without one.',
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
        'Voice endpoints of the service in the order of their slugs, unpublished and restricted ones included. Needs the scope operator, or a signed-in operator.',
      ...resolvedBy(endpoints, (args: PageInput) => args),
    },
    ...connectionOf('VoiceEndpoint', 'voice endpoints'),
  ),
)
