import { createHash } from 'node:crypto'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { captionOutput } from '../audio/caption-format.ts'
import type { JsonSchema, Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { WEBHOOK_URL_MAX_CHARACTERS } from '../egress/check-webhook-url.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { textLimit } from './check-spoken-text.ts'

export const RESERVED_SLUGS: readonly string[] = ['jobs']
export const endpointKey = (slug: string): string => `voice.${slug}`
export const slugOfKey = (key: string): string => key.slice('voice.'.length)
export const endpointPath = (slug: string): string => `/api/v1/voice/${slug}`

/** The queue name of its jobs; the engine's kind by default. */
export const poolOf = (endpoint: Pick<VoiceEndpoint, 'engine'>): string => endpoint.engine.pool ?? endpoint.engine.kind

export const isPublic = (endpoint: VoiceEndpoint): boolean => endpoint.published && endpoint.requiredScope === null

export const requestSchema = (endpoint: VoiceEndpoint): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['inputs'],
  properties: {
    inputs: publishedInputs(endpoint),
    webhook_url: {
      type: 'string',
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]://',
      maxLength: WEBHOOK_URL_MAX_CHARACTERS,
      description: 'Notified when the job finishes. Falls back to the account-level webhook.',
    },
  },
  'x-outputs': { audio: { type: 'string', format: 'uri', media_type: 'audio' }, ...captionOutputs(endpoint) },
})

function publishedInputs(endpoint: VoiceEndpoint): JsonSchema {
  const { inputs } = endpoint
  const properties = (inputs.properties ?? {}) as Readonly<Record<string, JsonSchema | undefined>>
  const { text } = properties
  const maxLength = textLimit(endpoint)
  if (typeof text !== 'object' || text === null || text.maxLength === maxLength) return inputs
  return { ...inputs, properties: { ...properties, text: { ...text, maxLength } } }
}

const captionOutputs = ({ captions }: VoiceEndpoint) =>
  Object.fromEntries(
    (captions?.formats ?? []).map((format) => [
      captionOutput(format),
      { type: 'string', format: 'uri', media_type: 'text' },
    ]),
  )

/** Only these fields change the schema_version. */
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
/** Keywords that map names to schemas: a property may be called `description`. */
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

export const schemaDocument = (endpoint: VoiceEndpoint) => ({
  ...contractOf(endpoint),
  schema_version: schemaVersion(endpoint),
})

export const voicesDocument = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  voice_input: endpoint.voiceInput,
  voices: endpoint.voices.map(voiceEntry),
})

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

/** A short hash that ignores the order of keys. */
export const versionOf = (content: unknown): string =>
  createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16)
