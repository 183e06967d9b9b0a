import { z } from 'zod'
import { SCOPE_FORM } from '../../access/scopes.ts'
import { RESPONSE_FIELDS } from '../../context/catalog-snapshot.ts'
import { checkVoice } from '../../engines/check-voice.ts'
import { engineBlock } from '../../engines/engine-block.ts'
import { LANGUAGES } from '../../engines/espeak/detect-language.ts'
import { findUnstorable } from '../../values/storable-json.ts'
import { RESERVED_POOLS } from '../pool-of-job.ts'
import {
  audioBlock,
  captionsBlock,
  openaiBlock,
  wrongAudio,
  wrongCaptions,
  wrongLibrary,
  wrongOpenai,
} from './audio-blocks.ts'
import { MAX_TIME_LIMIT_SECONDS, prose, slug, text, wrongSchema } from './file-fields.ts'
import { wordsOf } from './issue-words.ts'
import { readYaml, rejectedFile } from './read-yaml.ts'
import { toViolations, type Violation } from './violations.ts'
import { type WorkflowSpec, workflowSpec } from './workflow-spec.ts'

const MAX_CREDITS_PER_CHARACTER = 1_000_000

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
    markup: z.enum(['none', 'pauses', 'ssml']).optional(),
    loudness: z.enum(['normal', 'as_is']).optional(),
  })
  .superRefine((value, issues) => {
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
    for (const wrongBlock of [wrongAudio(value), wrongCaptions(value), wrongOpenai(value), wrongLibrary(value)])
      if (wrongBlock !== null) issues.addIssue({ code: 'custom', ...wrongBlock })
    const twice = firstRepeated(value.voices.map((one) => one.slug))
    if (twice >= 0)
      issues.addIssue({
        code: 'custom',
        path: ['voices', twice, 'slug'],
        message: `is used twice: ${value.voices[twice]?.slug}`,
      })
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

export interface EndpointSpecs {
  readonly endpoints: readonly EndpointSpec[]
  readonly workflows: readonly WorkflowSpec[]
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
