import { isMap, LineCounter, parseDocument, type YAMLError } from 'yaml'
import { z } from 'zod'
import { SCOPE_FORM } from '../api-keys/api-key.ts'
import { ENGINE_KINDS } from '../engines/engines.ts'
import { invalidRequest } from '../errors.ts'
import { checkInputs } from './validate-inputs.ts'
import { RESERVED_SLUGS, RESPONSE_FIELDS } from './voice-endpoint.ts'

const SLUG_FORM = /^[a-z0-9][a-z0-9_-]{0,62}$/
const MAX_TIME_LIMIT_SECONDS = 86_400
const MAX_CREDITS_PER_CHARACTER = 1_000_000

const slug = z
  .string()
  .regex(SLUG_FORM, 'must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit')
  .refine(
    (value) => !RESERVED_SLUGS.includes(value),
    `must not be ${RESERVED_SLUGS.join(', ')}: that name is taken by a path`,
  )
const text = z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters')
const prose = z.string().max(5000, 'must have at most 5000 characters')

const voice = z
  .strictObject({
    slug,
    name: text,
    description: prose.default(''),
    kind: z.enum(['preset', 'reference']).default('preset'),
    engine_voice: text.optional(),
    reference_audio: text.optional(),
    reference_text: prose.optional(),
  })
  .superRefine((value, issues) => {
    const missing = value.kind === 'preset' ? 'engine_voice' : 'reference_audio'
    if (value[missing] === undefined)
      issues.addIssue({ code: 'custom', path: [missing], message: `is needed by a ${value.kind} voice` })
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
    engine: z.looseObject({ kind: z.enum(ENGINE_KINDS) }),
    time_limit_seconds: z.int().min(1).max(MAX_TIME_LIMIT_SECONDS).default(600),
    credits_per_character: z.int().min(0).max(MAX_CREDITS_PER_CHARACTER).default(1),
    voices: z.array(voice).min(1, 'must list at least one voice'),
  })
  .superRefine((value, issues) => {
    const wrong = wrongInputs(value.inputs, value.voice_input)
    if (wrong !== null) issues.addIssue({ code: 'custom', ...wrong })
    const twice = firstRepeated(value.voices.map((one) => one.slug))
    if (twice >= 0)
      issues.addIssue({
        code: 'custom',
        path: ['voices', twice, 'slug'],
        message: `is used twice: ${value.voices[twice]?.slug}`,
      })
  })

const file = z
  .strictObject({ endpoints: z.array(endpoint).min(1, 'must list at least one endpoint') })
  .superRefine((value, issues) => {
    const twice = firstRepeated(value.endpoints.map((one) => one.slug))
    if (twice >= 0)
      issues.addIssue({
        code: 'custom',
        path: ['endpoints', twice, 'slug'],
        message: `is used twice: ${value.endpoints[twice]?.slug}`,
      })
  })

export type EndpointSpec = z.output<typeof endpoint>

/**
 * Reads an endpoint file, YAML or JSON (contract.md section 9), whole or not at all.
 * @throws INVALID_REQUEST with a detail for each mistake; `path` is `line N`
 */
export function parseEndpointFile(source: string): EndpointSpec[] {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number) => `line ${lines.linePos(offset).line}`
  if (document.errors.length > 0) {
    throw refused(document.errors.map((error: YAMLError) => ({ path: lineAt(error.pos[0]), message: error.message })))
  }
  const parsed = file.safeParse(document.toJS({ maxAliasCount: 100 }))
  if (parsed.success) return parsed.data.endpoints
  throw refused(
    parsed.error.issues.flatMap(toMistakes).map(({ path, message }) => ({
      path: lineAt(offsetOf(document, path)),
      message: `${path.join('.') || 'the file'} ${message}`,
    })),
  )
}

const refused = (details: { path: string; message: string }[]) =>
  invalidRequest('Correct the endpoint file: nothing of it was applied.', details)

interface Mistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

const toMistakes = (issue: z.core.$ZodIssue): Mistake[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not a field that is known here' }))
    : [{ path: issue.path, message: issue.message }]

/** Where the deepest part of a path that is in the file starts. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const part = path.slice(0, length)
    const parent = length === 0 ? null : document.getIn(part.slice(0, -1), true)
    if (isMap(parent)) {
      const pair = parent.items.find((item) => String(item.key) === String(part.at(-1)))
      const key = pair?.key as { range?: [number, number, number] } | undefined
      if (key?.range) return key.range[0]
    }
    const node = document.getIn(part, true) as { range?: [number, number, number] } | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}

/** What keeps the inputs from working: they must compile, refuse unknown keys, and have a text and a voice. */
function wrongInputs(inputs: Record<string, unknown>, voiceInput: string): { path: string[]; message: string } | null {
  const properties = (inputs.properties ?? {}) as Record<string, unknown>
  const required = Array.isArray(inputs.required) ? inputs.required : []
  if (inputs.type !== 'object') return { path: ['inputs'], message: 'must have type: object' }
  if (inputs.additionalProperties !== false)
    return { path: ['inputs'], message: 'must have additionalProperties: false' }
  for (const [name, path] of [
    ['text', ['inputs']],
    [voiceInput, ['voice_input']],
  ] as const) {
    if (!Object.hasOwn(properties, name))
      return { path: [...path], message: `needs inputs with the property "${name}"` }
    if (!required.includes(name)) return { path: [...path], message: `needs inputs with "${name}" under required` }
  }
  try {
    checkInputs(inputs)
    return null
  } catch (error) {
    return { path: ['inputs'], message: `is not a valid JSON Schema: ${(error as Error).message}` }
  }
}

const firstRepeated = (values: readonly string[]): number =>
  values.findIndex((value, at) => values.indexOf(value) !== at)
