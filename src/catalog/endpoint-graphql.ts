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
import { type Markup, markupOf } from './markups.ts'
import { endpointKey, endpointPath, requestSchema, schemaVersion } from './voice-endpoint.ts'

const VoiceKindEnum = describedEnum<VoiceKind>('VoiceKind', 'Origin of a voice.', {
  preset: "A voice of the engine's own.",
  reference: 'A voice that is cloned from a recording.',
})

const MarkupEnum = describedEnum<Markup>('Markup', 'Markup that a text may hold besides what is spoken.', {
  none: 'No markup: a text is spoken as it is.',
  pauses: 'Pauses such as `[pause:1.5s]`.',
  ssml: 'Subset of SSML.',
  markdown: 'Markdown.',
})

/** Voice slugs are unique only within an endpoint. */
export interface EndpointVoice extends Voice {
  readonly endpointSlug: string
}

const voiceId = ({ endpointSlug, slug }: EndpointVoice): string => `${endpointKey(endpointSlug)}.${slug}`

export const VoiceRef = builder.objectRef<EndpointVoice>('Voice').implement({
  description: 'Voice that an endpoint accepts.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({
      description: 'Id of the voice: `voice.<endpoint>.<slug>`.',
      resolve: (voice) => voiceId(voice),
    }),
    slug: t.exposeString('slug', { description: 'Value to send in the voice input.' }),
    name: t.exposeString('name', { description: 'Name of the voice for people.' }),
    description: t.exposeString('description', { description: 'Description of the voice for people.' }),
    kind: t.field({
      type: VoiceKindEnum,
      description: 'Origin of the voice: a preset of the engine, or a recording.',
      resolve: (voice) => voice.kind,
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'Language for which the voice was made, such as `English`; null if that is not known.',
    }),
  }),
})

export const VoiceEndpointRef = builder.objectRef<VoiceEndpoint>('VoiceEndpoint').implement({
  description: 'Endpoint that turns text into speech.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({ description: 'Id of the endpoint, its key: `voice.<slug>`.', resolve: ({ slug }) => endpointKey(slug) }),
    slug: t.exposeString('slug', { description: 'Slug of the endpoint: its name in requests.' }),
    name: t.exposeString('name', { description: 'Name of the endpoint for people.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the endpoint for people.',
    }),
    endpointKey: t.string({
      description: 'Key of the endpoint: `voice.<slug>`.',
      resolve: ({ slug }) => endpointKey(slug),
    }),
    method: t.string({ description: "HTTP method of the endpoint's REST route.", resolve: () => 'POST' }),
    path: t.string({ description: "Path of the endpoint's REST route.", resolve: ({ slug }) => endpointPath(slug) }),
    scope: t.string({ description: 'Scope that a key needs to submit to the endpoint.', resolve: () => VOICE_SCOPE }),
  }),
})

builder.objectFields(VoiceEndpointRef, (t) => ({
  schemaVersion: t.string({
    description: "Version of the schema; it changes only if the endpoint's contract does.",
    resolve: schemaVersion,
  }),
  schema: t.field({
    type: 'JSON',
    description: 'JSON Schema (2020-12) of a submission in REST.',
    resolve: requestSchema,
  }),
  responseFields: t.stringList({
    description: "Names of the fields that the endpoint's jobs have in REST besides status and outputs.",
    resolve: ({ responseFields }) => [...responseFields],
  }),
  creditsPerCharacter: t.exposeInt('creditsPerCharacter', {
    description: 'Credits that a character (a Unicode code point) of text costs.',
  }),
  updatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time when the endpoint was last applied; null if that is not known.',
    resolve: ({ updatedAt }) => updatedAt,
  }),
  voiceInput: t.exposeString('voiceInput', { description: 'Name of the input that selects the voice.' }),
  libraryVoices: t.boolean({
    description: "True if the endpoint accepts voices of the account's library, by their ids.",
    resolve: ({ libraryVoices }) => libraryVoices === true,
  }),
  markup: t.field({
    type: MarkupEnum,
    description: 'Markup that the texts may hold besides what is spoken.',
    resolve: ({ markup }) => markupOf(markup),
  }),
  voices: t.field({
    type: [VoiceRef],
    description: 'Voices that the endpoint accepts.',
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
  idOf: (node) => ('endpointSlug' in node ? voiceId(node) : endpointKey(node.slug)),
  load: (ctx, ids) =>
    ids.flatMap((id): readonly (VoiceEndpoint | EndpointVoice)[] => {
      const [, slug = '', ...rest] = id.split('.')
      const endpoint = findVisibleEndpoint(ctx, slug)
      return rest.length === 0 ? [endpoint] : voicesOf(endpoint).filter((voice) => voice.slug === rest.join('.'))
    }),
})

const CatalogRef = builder.objectRef<CatalogView>('Catalog').implement({
  description: 'Voice endpoints that are published and open to every key.',
  fields: (t) => ({
    catalogVersion: t.exposeString('catalogVersion', {
      description: 'Version of the catalog; it changes whenever anything in the catalog does.',
    }),
    endpoints: t.field({
      type: [VoiceEndpointRef],
      description: 'Voice endpoints in the order of their slugs.',
      resolve: ({ endpoints }) => [...endpoints],
      extensions: { length: endpointsInAll },
    }),
  }),
})

const SLUG = 'Slug of a voice endpoint.'

builder.queryFields((t) => ({
  catalog: t.field({
    type: CatalogRef,
    description: 'Public catalog. Needs no key.',
    ...resolvedBy(catalog, () => undefined),
  }),
  catalogEndpoint: t.field({
    type: VoiceEndpointRef,
    description: 'Voice endpoint of the public catalog. Needs no key.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    resolve: (_root, args, ctx) => catalogEndpoint(ctx, args).endpoint,
    extensions: { verb: catalogEndpoint },
  }),
  myEndpoints: t.field({
    type: [VoiceEndpointRef],
    description:
      'Voice endpoints to which the caller can submit: public ones and those that its scopes open, in the order of their slugs. Those whose engine cannot be reached come last.',
    resolve: (_root, _args, ctx) => awayLast(ctx, myEndpoints(ctx)),
    extensions: { verb: myEndpoints, length: endpointsInAll },
  }),
  endpointVoices: t.field({
    type: VoiceEndpointRef,
    description: 'Voice endpoint that the caller may use, for its voices.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    ...resolvedBy(endpointVoices, (args: { slug: string }) => args),
  }),
  endpointSchema: t.field({
    type: VoiceEndpointRef,
    description: 'Voice endpoint that the caller may use, for its schema.',
    args: { slug: t.arg.string({ required: true, description: SLUG }) },
    ...resolvedBy(endpointSchema, (args: { slug: string }) => args),
  }),
}))
