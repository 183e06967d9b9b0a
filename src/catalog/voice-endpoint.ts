import { createHash } from 'node:crypto'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { captionOutput } from '../audio/format.ts'
import type { JsonSchema, Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { WEBHOOK_URL_MAX_CHARACTERS } from '../egress/check-webhook-url.ts'
import { canonicalJson } from '../values/json.ts'

export const RESERVED_SLUGS: readonly string[] = ['jobs']
export const MAX_TEXT_CHARACTERS = 10_000
const UNITS_PER_CHARACTER = 2
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/u

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

/** The schema's `maxLength` of `text`; undefined: none. */
export function givenLimit(inputs: JsonSchema): number | undefined {
  const { text } = (inputs.properties ?? {}) as Readonly<Record<string, { readonly maxLength?: unknown } | undefined>>
  return typeof text?.maxLength === 'number' ? text.maxLength : undefined
}

export const textLimit = ({ inputs, maxTextCharacters = MAX_TEXT_CHARACTERS }: TextEndpoint): number =>
  Math.min(givenLimit(inputs) ?? maxTextCharacters, maxTextCharacters)

type TextEndpoint = Pick<VoiceEndpoint, 'inputs' | 'maxTextCharacters'>
type Limited = Pick<VoiceEndpoint, 'maxTextCharacters'>

/** Why no endpoint can speak this text, or null. */
export function checkSpokenText(text: unknown, endpoint: Limited = {}): string | null {
  if (typeof text !== 'string') return 'must be string'
  const violation = checkTextLength(text, endpoint)
  if (violation !== null) return violation
  return VISIBLE.test(text) ? null : 'must hold a character that is not white space'
}

/** Why a text is too long, or null. */
export function checkTextLength(
  text: string,
  { maxTextCharacters: most = MAX_TEXT_CHARACTERS }: Limited = {},
): string | null {
  const isLong = text.length > UNITS_PER_CHARACTER * most || (text.length > most && codePoints(text) > most)
  return isLong ? `must NOT have more than ${most} characters` : null
}

/** Truncates a text that is far too long, so that the schema need not count it. */
export function withJudgedText(inputs: Record<string, unknown>, endpoint: Limited = {}): Record<string, unknown> {
  const { text } = inputs
  return isFarTooLong(text, endpoint) ? { ...inputs, text: text.slice(0, mostUnits(endpoint) + 1) } : inputs
}

export const isFarTooLong = (text: unknown, endpoint: Limited): text is string =>
  typeof text === 'string' && text.length > mostUnits(endpoint)

const mostUnits = ({ maxTextCharacters: most = MAX_TEXT_CHARACTERS }: Limited = {}): number =>
  UNITS_PER_CHARACTER * most

export function codePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))) count--
  return count
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
