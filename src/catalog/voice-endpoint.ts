import { createHash } from 'node:crypto'

/** The scope that every voice endpoint asks for (spec 5). */
export const VOICE_SCOPE = 'generate:voice'
/** Paths under /api/v1/voice that are not endpoints. */
export const RESERVED_SLUGS: readonly string[] = ['jobs']
/** Fields of the poll body that an endpoint may declare in `response_fields`. */
export const RESPONSE_FIELDS = ['created_at', 'completed_at'] as const
export type ResponseField = (typeof RESPONSE_FIELDS)[number]
/** Spec 2.4; the length is contract.md section 3. */
export const WEBHOOK_URL_MAX_CHARACTERS = 2048

export type JsonSchema = Readonly<Record<string, unknown>>
export type VoiceKind = 'preset' | 'reference'

/** Spec 2.3, and what the engine needs of it. */
export interface Voice {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly kind: VoiceKind
  readonly engineVoice: string | null
  readonly referenceText: string | null
}

/** A voice endpoint as every process holds it in memory (spec 2.2, contract.md section 9). */
export interface VoiceEndpoint {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly published: boolean
  readonly requiredScope: string | null
  readonly voiceInput: string
  readonly inputs: JsonSchema
  readonly responseFields: readonly ResponseField[]
  readonly engine: Readonly<{ kind: string; pool?: string } & Record<string, unknown>>
  readonly timeLimitSeconds: number
  readonly creditsPerCharacter: number
  readonly voices: readonly Voice[]
}

export const endpointKey = (slug: string): string => `voice.${slug}`
export const endpointPath = (slug: string): string => `/api/v1/voice/${slug}`

/** The queue that its jobs wait in: endpoints on one GPU machine share one, the kind of engine is the default. */
export const poolOf = (endpoint: Pick<VoiceEndpoint, 'engine'>): string => endpoint.engine.pool ?? endpoint.engine.kind

/** Open to every key: what the public catalog lists. */
export const isPublic = (endpoint: VoiceEndpoint): boolean => endpoint.published && endpoint.requiredScope === null

/** The request body's JSON Schema and the outputs it leads to (spec 2.2, 2.4). */
export const requestSchema = (endpoint: VoiceEndpoint): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['inputs'],
  properties: {
    inputs: endpoint.inputs,
    webhook_url: {
      type: 'string',
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]://',
      maxLength: WEBHOOK_URL_MAX_CHARACTERS,
      description: 'Notified when the job finishes. Falls back to the account-level webhook.',
    },
  },
  'x-outputs': { audio: { type: 'string', format: 'uri', media_type: 'audio' } },
})

/** What a caller depends on; a change of anything else leaves the schema_version as it is (spec 9.3). */
const contractOf = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  endpoint_key: endpointKey(endpoint.slug),
  method: 'POST',
  path: endpointPath(endpoint.slug),
  scope: VOICE_SCOPE,
  schema: requestSchema(endpoint),
  response_fields: endpoint.responseFields,
  voice_input: endpoint.voiceInput,
})

export const schemaVersion = (endpoint: VoiceEndpoint): string => {
  const contract = contractOf(endpoint)
  return versionOf({ ...contract, schema: withoutAnnotations(contract.schema) })
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'examples', '$comment'])
/** Keywords whose value maps names to schemas: a property may well be called `description`. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const LITERALS: ReadonlySet<string> = new Set(['const', 'enum', 'default'])

function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations)
  if (schema === null || typeof schema !== 'object') return schema
  const kept = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutAnnotationsOf(keyword, value)]))
}

function withoutAnnotationsOf(keyword: string, value: unknown): unknown {
  if (LITERALS.has(keyword)) return value
  if (!NAMED_SCHEMAS.has(keyword) || value === null || typeof value !== 'object') return withoutAnnotations(value)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutAnnotations(part)]))
}

/** The body of the authenticated schema endpoint (spec 4.4, contract.md section 3). */
export const schemaDocument = (endpoint: VoiceEndpoint) => ({
  ...contractOf(endpoint),
  schema_version: schemaVersion(endpoint),
})

/** The body of the voices endpoint (spec 4.3, contract.md section 3). */
export const voicesDocument = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  voice_input: endpoint.voiceInput,
  voices: endpoint.voices.map(voiceEntry),
})

/** One entry of the public catalog (spec 2.2). */
export const catalogEntry = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  name: endpoint.name,
  description: endpoint.description,
  endpoint_key: endpointKey(endpoint.slug),
  method: 'POST',
  path: endpointPath(endpoint.slug),
  scope: VOICE_SCOPE,
  schema_version: schemaVersion(endpoint),
  schema: requestSchema(endpoint),
  response_fields: endpoint.responseFields,
  voices: endpoint.voices.map(voiceEntry),
  voice_input: endpoint.voiceInput,
})

const voiceEntry = (voice: Voice) => ({
  slug: voice.slug,
  name: voice.name,
  description: voice.description,
  kind: voice.kind,
})

/** A short hash that is the same for the same content, whatever the order of its keys. */
export const versionOf = (content: unknown): string =>
  createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16)

/** JSON with sorted keys: equal content, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )
}
