import { VOICE_SCOPE } from '../access/scopes.ts'
import type { Voice, VoiceEndpoint, VoiceKind } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { describedEnum } from '../graphql/scalars.ts'
import { awayLast } from '../worker/served-pools.ts'
import {
  type CatalogView,
  catalog,
  catalogEndpoint,
  endpointSchema,
  endpointVoices,
  findVisibleEndpoint,
  myEndpoints,
} from './endpoints.ts'
import { endpointKey, endpointPath, requestSchema, schemaVersion } from './voice-endpoint.ts'

const VoiceKindEnum = describedEnum<VoiceKind>('VoiceKind', 'Where a voice comes from.', {
  preset: "One of the engine's own.",
  reference: 'Cloned from a recording.',
})

const MarkupEnum = describedEnum<'none' | 'pauses' | 'ssml'>(
  'Markup',
  'What may stand in a text besides what is spoken.',
  {
    none: 'Nothing: a text is spoken as it is.',
    pauses: 'Pauses such as `[pause:1.5s]`.',
    ssml: 'A subset of SSML.',
  },
)

/** Voice slugs are unique only within an endpoint. */
export interface EndpointVoice extends Voice {
  readonly endpointSlug: string
}

export const VoiceRef = builder.objectRef<EndpointVoice>('Voice').implement({
  description: 'A voice that an endpoint accepts.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({
      description: '`voice.<endpoint>.<slug>`.',
      resolve: ({ endpointSlug, slug }) => `${endpointKey(endpointSlug)}.${slug}`,
    }),
    slug: t.exposeString('slug', { description: 'The value to send in the voice input.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    description: t.exposeString('description', { description: 'Free text.' }),
    kind: t.field({
      type: VoiceKindEnum,
      description: 'Whether it is a preset of the engine or made from a reference recording.',
      resolve: (voice) => voice.kind,
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'The language that it was made for, such as English; null where that is not said.',
    }),
  }),
})

export const VoiceEndpointRef = builder.objectRef<VoiceEndpoint>('VoiceEndpoint').implement({
  description: 'An endpoint that turns text into speech.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({ description: 'Its endpoint key: `voice.<slug>`.', resolve: ({ slug }) => endpointKey(slug) }),
    slug: t.exposeString('slug', { description: 'Identifies the endpoint.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it does.' }),
    endpointKey: t.string({ description: '`voice.<slug>`.', resolve: ({ slug }) => endpointKey(slug) }),
    method: t.string({ description: 'The HTTP method of its REST route.', resolve: () => 'POST' }),
    path: t.string({ description: 'The path of its REST route.', resolve: ({ slug }) => endpointPath(slug) }),
    scope: t.string({ description: 'The scope that a key needs.', resolve: () => VOICE_SCOPE }),
  }),
})

builder.objectFields(VoiceEndpointRef, (t) => ({
  schemaVersion: t.string({
    description: "Changes only when the endpoint's contract changes.",
    resolve: schemaVersion,
  }),
  schema: t.field({ type: 'JSON', description: 'JSON Schema (2020-12) of a submission.', resolve: requestSchema }),
  responseFields: t.stringList({
    description: 'Fields that its jobs carry besides status and outputs, as REST spells them.',
    resolve: ({ responseFields }) => [...responseFields],
  }),
  creditsPerCharacter: t.exposeInt('creditsPerCharacter', {
    description: 'What a character (a Unicode code point) of text costs.',
  }),
  updatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it was applied last.',
    resolve: ({ updatedAt }) => updatedAt,
  }),
  voiceInput: t.exposeString('voiceInput', { description: 'The input that selects the voice.' }),
  libraryVoices: t.boolean({
    description: "Whether it takes voices of the account's own, by their ids.",
    resolve: ({ libraryVoices }) => libraryVoices === true,
  }),
  markup: t.field({
    type: MarkupEnum,
    description: 'What its texts may hold besides what is spoken.',
    resolve: ({ markup }) => (markup === 'pauses' || markup === 'ssml' ? markup : 'none'),
  }),
  voices: t.field({
    type: [VoiceRef],
    description: 'The voices that it accepts.',
    resolve: voicesOf,
    extensions: { length: voicesOfEach },
  }),
}))

type CatalogHolder = Pick<Context, 'catalog'>

const MOST_COUNTED_VOICES = 2000

/** Security: a query's cost must not reveal restricted endpoints. */
const openEndpoints = (ctx?: CatalogHolder) => ctx?.catalog.current.open ?? []

function voicesOfEach(_args: unknown, ctx?: CatalogHolder): number {
  const open = openEndpoints(ctx)
  const voices = open.reduce((count, endpoint) => count + endpoint.voices.length, 0)
  return Math.min(voices, MOST_COUNTED_VOICES) / Math.max(1, open.length)
}

const endpointsInAll = (_args: unknown, ctx?: CatalogHolder): number => openEndpoints(ctx).length

const voicesOf = ({ slug, voices }: VoiceEndpoint): EndpointVoice[] =>
  voices.map((voice) => ({ ...voice, endpointSlug: slug }))

addNodeSource<VoiceEndpoint | EndpointVoice>('voice', {
  typeOf: (node) => ('endpointSlug' in node ? 'Voice' : 'VoiceEndpoint'),
  load: (ctx, id) => {
    const [, slug = '', ...rest] = id.split('.')
    const endpoint = findVisibleEndpoint(ctx, slug)
    if (rest.length === 0) return endpoint
    return voicesOf(endpoint).find((voice) => voice.slug === rest.join('.')) ?? null
  },
})

const CatalogRef = builder.objectRef<CatalogView>('Catalog').implement({
  description: 'All voice endpoints that are published and open to every key.',
  fields: (t) => ({
    catalogVersion: t.exposeString('catalogVersion', { description: 'Changes whenever anything in the catalog does.' }),
    endpoints: t.field({
      type: [VoiceEndpointRef],
      description: 'By slug.',
      resolve: ({ endpoints }) => [...endpoints],
      extensions: { length: endpointsInAll },
    }),
  }),
})

const SLUG = 'The slug of a voice endpoint.'

builder.queryFields((t) => ({
  catalog: t.field({
    type: CatalogRef,
    description: 'The public catalog. Needs no key.',
    ...resolvedBy(catalog, () => undefined),
  }),
  catalogEndpoint: t.field({
    type: VoiceEndpointRef,
    description: 'One entry of the public catalog. Needs no key.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    resolve: (_root, args, ctx) => catalogEndpoint(ctx, args).endpoint,
    extensions: { verb: catalogEndpoint },
  }),
  myEndpoints: t.field({
    type: [VoiceEndpointRef],
    description:
      'The voice endpoints that the caller can submit to, by slug: public ones and those that its scopes open. Those whose engine is away come last.',
    resolve: (_root, _args, ctx) => awayLast(ctx, myEndpoints(ctx)),
    extensions: { verb: myEndpoints, length: endpointsInAll },
  }),
  endpointVoices: t.field({
    type: VoiceEndpointRef,
    description: 'An endpoint that the key may use, with its voices.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    ...resolvedBy(endpointVoices, (args: { slug: string }) => args),
  }),
  endpointSchema: t.field({
    type: VoiceEndpointRef,
    description: 'An endpoint that the key may use, with its schema.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    ...resolvedBy(endpointSchema, (args: { slug: string }) => args),
  }),
}))
