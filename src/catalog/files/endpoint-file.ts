import { z } from 'zod'
import { SCOPE_FORM } from '../../access/scopes.ts'
import { CAPTION_FORMATS, FILE_FORMATS, USUAL_FORMATS } from '../../audio/format.ts'
import { RESPONSE_FIELDS } from '../../context/catalog-snapshot.ts'
import { checkPace, checkRecording, checkVoice } from '../../engines/check-voice.ts'
import { serverAddress } from '../../engines/engine.ts'
import { engineBlock, OWNED_SERVER, retrySeconds } from '../../engines/engine-block.ts'
import { LANGUAGES } from '../../engines/espeak/detect-language.ts'
import { TEXT_NORMALIZATIONS } from '../../engines/text-normalization.ts'
import { findUnstorable } from '../../values/json.ts'
import { hasControl, hasUnseen } from '../../values/printable.ts'
import { RESERVED_POOLS } from '../job-kinds.ts'
import { CODES, MARKUPS } from '../markups.ts'
import { checkInputs } from '../validate-inputs.ts'
import { RESERVED_SLUGS } from '../voice-endpoint.ts'
import { hidesPassword } from './hidden-password.ts'
import { readYaml, rejectedFile, toViolations, type Violation, wordsOf } from './read-yaml.ts'

const MAX_CREDITS_PER_CHARACTER = 1_000_000
const SLUG_FORM = /^[a-z0-9][a-z0-9_-]{0,62}$/

const slug = z
  .string()
  .regex(SLUG_FORM, 'must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit')
  .refine(
    (value) => !RESERVED_SLUGS.includes(value),
    `must not be ${RESERVED_SLUGS.join(', ')}: that name is taken by a path`,
  )
const text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((value) => !hasUnseen(value), 'must not hold control or invisible characters')
const prose = z
  .string()
  .max(5000, 'must have at most 5000 characters')
  .refine((value) => !hasControl(value), 'must not hold control characters')

const voice = z
  .strictObject({
    slug,
    name: text,
    description: prose.default(''),
    kind: z.enum(['preset', 'reference']).default('preset'),
    engine_voice: text.optional(),
    reference_audio: text.optional(),
    reference_text: prose.optional(),
    language: z.enum(LANGUAGES).optional(),
  })
  .superRefine((value, issues) => {
    const missing = value.kind === 'preset' ? 'engine_voice' : 'reference_audio'
    if (value[missing] === undefined)
      issues.addIssue({ code: 'custom', path: [missing], message: `is needed by a ${value.kind} voice` })
  })

const MAX_TIME_LIMIT_SECONDS = 86_400

const audioBlock = z.strictObject({
  formats: z
    .array(z.enum(FILE_FORMATS))
    .min(1, 'must list at least one format')
    .refine((formats) => new Set(formats).size === formats.length, 'must list each format once'),
  format_input: text.optional(),
})

const captionsBlock = z.strictObject({
  formats: z
    .array(z.enum(CAPTION_FORMATS))
    .min(1, 'must list at least one format')
    .refine((formats) => new Set(formats).size === formats.length, 'must list each format once'),
  captions_input: text.optional(),
})

const MAX_NAMES = 100

const openaiBlock = z.strictObject({
  models: z.array(text).max(MAX_NAMES).optional(),
  voices: z.record(text, text).optional(),
})

const endpoint = z
  .strictObject({
    slug,
    name: text,
    description: prose.nullish().transform((value) => value ?? null),
    published: z.boolean().default(false),
    required_scope: z
      .string()
      .regex(SCOPE_FORM, 'must be a scope such as voice:studio')
      .nullish()
      .transform((value) => value ?? null),
    voice_input: z.string().min(1).max(100).default('voice'),
    inputs: z.record(z.string(), z.unknown()),
    response_fields: z.array(z.enum(RESPONSE_FIELDS)).default([...RESPONSE_FIELDS]),
    engine: engineBlock,
    time_limit_seconds: z.int().min(1).max(MAX_TIME_LIMIT_SECONDS).default(600),
    credits_per_character: z.int().min(0).max(MAX_CREDITS_PER_CHARACTER).default(1),
    voices: z.array(voice).min(1, 'must list at least one voice'),
    audio: audioBlock.optional(),
    captions: captionsBlock.optional(),
    openai: openaiBlock.optional(),
    library_voices: z.boolean().optional(),
    markup: z.enum(MARKUPS).optional(),
    code: z.enum(CODES).optional(),
    loudness: z.enum(['normal', 'as_is']).optional(),
    text_normalization: z.enum(TEXT_NORMALIZATIONS).optional(),
  })
  .superRefine((value, issues) => {
    if (value.code !== undefined && value.markup !== 'markdown')
      issues.addIssue({ code: 'custom', path: ['code'], message: 'needs markup: markdown' })
    const wrong = wrongInputs(value.inputs, value.voice_input)
    if (wrong !== null) issues.addIssue({ code: 'custom', ...wrong })
    for (const [at, one] of value.voices.entries()) {
      const message = checkVoice(value.engine, {
        kind: one.kind,
        engineVoice: one.engine_voice,
        referenceText: one.reference_text,
      })
      const field = one.kind === 'preset' ? 'engine_voice' : 'kind'
      if (message !== null) issues.addIssue({ code: 'custom', path: ['voices', at, field], message })
    }
    for (const wrongBlock of [
      wrongAudio(value),
      wrongCaptions(value),
      wrongOpenai(value),
      wrongLibrary(value),
      wrongPace(value),
    ])
      if (wrongBlock !== null) issues.addIssue({ code: 'custom', ...wrongBlock })
    const twice = firstRepeated(value.voices.map((one) => one.slug))
    if (twice >= 0)
      issues.addIssue({
        code: 'custom',
        path: ['voices', twice, 'slug'],
        message: `is used twice: ${value.voices[twice]?.slug}`,
      })
  })

const MAX_CREDITS_PER_JOB = 1_000_000_000

const workflowSpec = z
  .strictObject({
    slug,
    name: text,
    description: prose.nullish().transform((value) => value ?? null),
    inputs: z.record(z.string(), z.unknown()),
    engine: z.strictObject({
      kind: z.literal('cog'),
      base_url: z
        .string()
        .refine(
          (value) => value === OWNED_SERVER || (/^https?:\/\//i.test(value) && URL.canParse(value)),
          'must be a URL that starts with http(s)://, or worker',
        )
        .refine((value) => !hidesPassword(value), 'must hold the password itself, which is not shown')
        .transform(serverAddress),
      max_in_flight: z.int().min(1).max(64).default(1),
      busy_patience_seconds: z.int().min(0).max(MAX_TIME_LIMIT_SECONDS).default(30),
      retry_seconds: retrySeconds,
    }),
    time_limit_seconds: z.int().min(1).max(MAX_TIME_LIMIT_SECONDS).default(600),
    credits_per_job: z.int().min(0).max(MAX_CREDITS_PER_JOB).default(1),
  })
  .superRefine((value, issues) => {
    const wrong = wrongSchema(value.inputs)
    if (wrong !== null) issues.addIssue({ code: 'custom', path: ['inputs'], message: wrong })
  })

const file = z
  .strictObject({ endpoints: z.array(endpoint).default([]), workflows: z.array(workflowSpec).default([]) })
  .superRefine((value, issues) => {
    if (value.endpoints.length + value.workflows.length === 0)
      issues.addIssue({ code: 'custom', path: ['endpoints'], message: 'must list at least one endpoint or workflow' })
    for (const list of ['endpoints', 'workflows'] as const) {
      const slugs = value[list].map((one) => one.slug)
      const twice = firstRepeated(slugs)
      if (twice >= 0)
        issues.addIssue({ code: 'custom', path: [list, twice, 'slug'], message: `is used twice: ${slugs[twice]}` })
    }
  })

export type EndpointSpec = z.output<typeof endpoint>

export type WorkflowSpec = z.output<typeof workflowSpec>

export interface EndpointSpecs {
  readonly endpoints: readonly EndpointSpec[]
  readonly workflows: readonly WorkflowSpec[]
}

interface Wrong {
  readonly path: string[]
  readonly message: string
}

interface Inputs {
  readonly inputs: Readonly<Record<string, unknown>>
}

/**
 * Parses an endpoint file, YAML or JSON, whole or not at all.
 * @param poolsInUse existing pools that may keep a reserved name
 * @throws INVALID_REQUEST with a detail per violation; `path` is `line N`
 */
export function parseEndpointFile(source: string, poolsInUse: ReadonlySet<string> = new Set()): EndpointSpecs {
  const { value, lineOf } = readYaml(source)
  const rejected = (violations: readonly Violation[]) =>
    rejectedFile(
      violations.map(({ path, message }) => ({
        path: lineOf(path),
        message: `${path.join('.') || 'the file'} ${message}`,
      })),
    )
  const unstorable = findUnstorable(value)
  if (unstorable !== null) throw rejected([unstorable])
  const parsed = file.safeParse(value, { error: wordsOf })
  if (!parsed.success) throw rejected(parsed.error.issues.flatMap(toViolations))
  const wrong = wrongPools(parsed.data, poolsInUse)
  if (wrong.length > 0) throw rejected(wrong)
  return parsed.data
}

const wrongPools = ({ endpoints }: EndpointSpecs, inUse: ReadonlySet<string>): Violation[] =>
  endpoints.flatMap(({ engine: { pool } }, at) => {
    if (pool === undefined || inUse.has(pool) || !RESERVED_POOLS.includes(pool)) return []
    const message = `must not be ${RESERVED_POOLS.join(', ')}: that name is taken by measurements`
    return [{ path: ['endpoints', at, 'engine', 'pool'], message }]
  })

function wrongInputs(inputs: Record<string, unknown>, voiceInput: string): { path: string[]; message: string } | null {
  const properties = (inputs.properties ?? {}) as Record<string, unknown>
  const required = Array.isArray(inputs.required) ? inputs.required : []
  const wrong = wrongSchema(inputs)
  if (wrong !== null) return { path: ['inputs'], message: wrong }
  for (const [name, path] of [
    ['text', ['inputs']],
    [voiceInput, ['voice_input']],
  ] as const) {
    if (!Object.hasOwn(properties, name))
      return { path: [...path], message: `needs inputs with the property "${name}"` }
    if (!required.includes(name)) return { path: [...path], message: `needs inputs with "${name}" under required` }
    if (typeOf(properties[name]) !== 'string')
      return { path: ['inputs', 'properties', name], message: 'must have type: string' }
  }
  return null
}

const typeOf = (schema: unknown): unknown =>
  schema !== null && typeof schema === 'object' && 'type' in schema ? schema.type : undefined

const firstRepeated = (values: readonly string[]): number =>
  values.findIndex((value, at) => values.indexOf(value) !== at)

function wrongSchema(inputs: Record<string, unknown>): string | null {
  if (isAsync(inputs)) return 'must not have $async: asynchronous schemas are not supported'
  if (inputs.type !== 'object') return 'must have type: object'
  if (inputs.additionalProperties !== false) return 'must have additionalProperties: false'
  try {
    checkInputs(inputs)
    return null
  } catch (error) {
    return `is not a valid JSON Schema: ${(error as Error).message}`
  }
}

/** `$async` would make the validator return a promise. A property of that name holds a schema instead. */
function isAsync(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(
    ([keyword, value]) => (keyword === '$async' && typeof value !== 'object') || isAsync(value),
  )
}

const wrongAudio = (spec: Inputs & { audio?: z.output<typeof audioBlock> | undefined }): Wrong | null =>
  wrongInput(spec, ['audio', 'format_input'], spec.audio?.format_input) ??
  wrongDefault(spec, spec.audio?.format_input, spec.audio?.formats ?? USUAL_FORMATS)

const wrongCaptions = (spec: Inputs & { captions?: z.output<typeof captionsBlock> | undefined }): Wrong | null =>
  wrongInput(spec, ['captions', 'captions_input'], spec.captions?.captions_input) ??
  wrongDefault(spec, spec.captions?.captions_input, [...(spec.captions?.formats ?? CAPTION_FORMATS), true, false, null])

function wrongInput({ inputs }: Inputs, path: string[], input: string | undefined): Wrong | null {
  if (input === undefined || Object.hasOwn((inputs.properties ?? {}) as object, input)) return null
  return { path, message: `needs inputs with the property "${input}"` }
}

function wrongDefault({ inputs }: Inputs, input: string | undefined, allowed: readonly unknown[]): Wrong | null {
  const properties = (inputs.properties ?? {}) as Record<string, { readonly default?: unknown } | boolean>
  const property = input === undefined ? undefined : properties[input]
  const value = typeof property === 'object' ? property.default : undefined
  if (value === undefined || [value].flat().every((one) => allowed.includes(one))) return null
  const message = `must be among ${allowed.filter((one) => typeof one === 'string').join(', ')}`
  return { path: ['inputs', 'properties', input ?? '', 'default'], message }
}

function wrongOpenai(spec: {
  readonly openai?: z.output<typeof openaiBlock> | undefined
  readonly voices: readonly { readonly slug: string }[]
}): Wrong | null {
  const known = new Set(spec.voices.map(({ slug }) => slug))
  const wrong = Object.entries(spec.openai?.voices ?? {}).find(([, slug]) => !known.has(slug))
  return wrong === undefined ? null : { path: ['openai', 'voices', wrong[0]], message: `names no voice: ${wrong[1]}` }
}

function wrongLibrary(spec: {
  readonly library_voices?: boolean | undefined
  readonly engine: Readonly<Record<string, unknown>>
}): Wrong | null {
  if (spec.library_voices !== true || checkRecording(spec.engine, 'said') === null) return null
  return { path: ['library_voices'], message: 'must be false: this engine cannot speak like a recording' }
}

function wrongPace({ engine, inputs }: Inputs & { readonly engine: Parameters<typeof checkPace>[0] }): Wrong | null {
  const message = checkPace(engine, ((inputs.properties ?? {}) as Record<string, unknown>).speed)
  return message === null ? null : { path: ['inputs', 'properties', 'speed'], message }
}
