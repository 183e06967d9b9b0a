import { ownerOf } from '../access/actor.ts'
import { findLibraryVoices } from '../catalog/library-voices.ts'
import { CODES, MARKUPS } from '../catalog/markups.ts'
import { codePoints, endpointKey, slugOfKey } from '../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { FASTEST_PACE, SLOWEST_PACE } from '../engines/engine.ts'
import { LANGUAGES, type Language } from '../engines/espeak/detect-language.ts'
import { TEXT_NORMALIZATIONS } from '../engines/text-normalization.ts'
import { toServiceError } from '../errors/describe-error.ts'
import type { Detail } from '../errors/service-error.ts'
import { storedOptions } from '../jobs/job-shape.ts'
import { endpointOfReplay } from '../jobs/lifecycle/check-submission.ts'
import type { PartTiming } from '../jobs/live-parts.ts'
import { noteRejection } from '../jobs/notes/note-submission.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import type { VoiceJobInput } from '../voice/submit-voice-job.ts'
import { findModel, requireSpeaker } from './reach-models.ts'
import { SpeechViolation, violationCode } from './speech-violation.ts'

const MAX_SEED = 2 ** 31 - 1
const NO_INSTRUCTIONS: readonly unknown[] = [undefined, null, '', 'None']

const ISO_CODES: Readonly<Record<Language, string>> = {
  Chinese: 'zh zho chi cmn',
  English: 'en eng',
  Japanese: 'ja jpn',
  Korean: 'ko kor',
  French: 'fr fra fre',
  German: 'de deu ger',
  Italian: 'it ita',
  Spanish: 'es spa',
  Portuguese: 'pt por',
  Russian: 'ru rus',
}

export interface SpeechRequest {
  readonly submission: VoiceJobInput
  /** Unicode code points; the price depends on them. */
  readonly characters: number
  readonly fieldOf: (detail: Detail) => string
  /** Told of the parts of a text in pieces, if the request submits its job. */
  readonly onPart?: (part: PartTiming) => void
}

/** Fields by OpenAI's names; other doors translate theirs. */
type Body = Readonly<Record<string, unknown>>

interface Door<Delivery> {
  /** Names of voices that every endpoint speaks, each always by the same voice. */
  readonly standIns: readonly string[]
  /** Reads how the speech is sent. @throws SpeechViolation */
  readonly deliveryOf: (body: Body) => Delivery
}

/**
 * Reads a request for speech. A replay under its Idempotency-Key succeeds even if the model or voice has changed since.
 * @throws SpeechViolation, IDEMPOTENCY_MISMATCH
 */
export async function readSpeechRequest<Delivery>(
  ctx: Context & MeasuredParts,
  body: Body,
  idempotencyKey: string | undefined,
  door: Door<Delivery>,
): Promise<SpeechRequest & Delivery> {
  try {
    const delivered = (read: SpeechRequest) => ({ ...read, ...door.deliveryOf(body) })
    return await readNew(ctx, body, idempotencyKey, door.standIns)
      .then(delivered)
      .catch(async (error: unknown) => delivered(await readReplay(ctx, body, idempotencyKey, error)))
  } catch (error) {
    const code = error instanceof SpeechViolation ? violationCode(error) : toServiceError(error).code
    noteRejection(ctx, { type: 'voice', endpointKey: endpointKey(slugNamedIn(ctx, body)) }, code)
    throw error
  }
}

/** @throws the given error if this repeats no request; IDEMPOTENCY_MISMATCH */
async function readReplay(
  ctx: Context,
  body: Body,
  idempotencyKey: string | undefined,
  error: unknown,
): Promise<SpeechRequest> {
  const key = error instanceof SpeechViolation ? await endpointOfReplay(ctx, idempotencyKey, sentIn(body)) : null
  if (key === null) throw error
  return {
    submission: { slug: slugOfKey(key), inputs: {}, sent: sentIn(body), idempotencyKey },
    characters: codePoints(String(body.input)),
    fieldOf: ({ path }) => path,
  }
}

function slugNamedIn(ctx: Context, { model = null }: Body): string {
  if (model !== null && typeof model !== 'string') return ''
  return findModel(ctx, model || undefined)?.slug ?? ''
}

/** The fields that identify a repeated request; the format is not one of them. Older releases wrote the first eight. */
const sentIn = ({ model, input, voice, instructions, language, speed, seed, ...more }: Body): readonly unknown[] => [
  ...['speech', model, input, voice, instructions, language, speed, seed].map((value) => value ?? null),
  ...[more.apply_text_normalization, more.markup, more.code].filter((value) => (value ?? null) !== null),
]

async function readNew(
  ctx: Context,
  body: Body,
  idempotencyKey: string | undefined,
  standIns: readonly string[],
): Promise<SpeechRequest> {
  const hasVoice = (endpoint: VoiceEndpoint) =>
    requireVoice(ctx, endpoint, body.voice, standIns).then(
      () => true,
      () => false,
    )
  const endpoint = await requireSpeaker(ctx, textOf(body, 'model'), hasVoice)
  const text = textOf(body, 'input', true)
  if (text === undefined || text === '')
    throw new SpeechViolation('input', 'Send the text to speak as input.', 'missing_required_parameter')
  const voice = await requireVoice(ctx, endpoint, body.voice, standIns)
  const options = storedOptions({
    speed: speedOf(endpoint, numberIn(body.speed)),
    seed: seedOf(numberIn(body.seed)),
    textNormalization: normalizationOf(body.apply_text_normalization),
    live: true,
  })
  return {
    submission: {
      slug: endpoint.slug,
      inputs: inputsOf(endpoint, text, voice, body),
      ...{ options, sent: sentIn(body), idempotencyKey },
      markup: oneOf('markup', MARKUPS, body.markup),
      code: oneOf('code', CODES, body.code),
    },
    characters: codePoints(text),
    fieldOf: ({ path }) => fieldOf(endpoint, path),
  }
}

function inputsOf(endpoint: VoiceEndpoint, text: string, voice: string, body: Body): Record<string, unknown> {
  const properties = (endpoint.inputs.properties ?? {}) as Readonly<
    Record<string, { readonly type?: unknown; readonly enum?: unknown } | undefined>
  >
  const takes = (name: string) => Object.hasOwn(properties, name)
  const takesNumber = (name: string) => takes(name) && [properties[name]?.type ?? 'number'].flat().some(isNumeric)
  const instructions = NO_INSTRUCTIONS.includes(body.instructions) ? undefined : body.instructions
  const language = namedAs(textOf(body, 'language'), properties.language?.enum)
  const own = ['speed', 'seed'].filter((name) => takesNumber(name) && (body[name] ?? null) !== null)
  return {
    text,
    [endpoint.voiceInput]: voice,
    ...(instructions !== undefined && takes('style_instruction') && { style_instruction: instructions }),
    ...(language !== undefined && takes('language') && { language }),
    ...Object.fromEntries(own.map((name) => [name, numberIn(body[name])])),
  }
}

const isNumeric = (type: unknown): boolean => type === 'number' || type === 'integer'

/** @throws SpeechViolation */
function textOf(body: Body, name: string, keepEmpty = false): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || (value === '' && !keepEmpty)) return undefined
  if (typeof value !== 'string') throw new SpeechViolation(name, `Send ${name} as a string.`)
  return value
}

export const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,10}(\.\d{1,10})?$/.test(value.trim()) ? Number(value) : value

function speedOf({ engine }: VoiceEndpoint, value: unknown): number | undefined {
  if (value === undefined || value === null || value === 1) return undefined
  if (typeof value !== 'number' || value < SLOWEST_PACE || value > FASTEST_PACE)
    throw new SpeechViolation('speed', `Send a speed from ${SLOWEST_PACE} to ${FASTEST_PACE}.`)
  if (engine.profile === 'nari')
    throw new SpeechViolation('speed', 'This model speaks at its own pace: leave out speed.')
  return value
}

function seedOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SEED) return value
  throw new SpeechViolation('seed', `Send a whole number from 0 to ${MAX_SEED} as seed.`)
}

/** `auto` is the endpoint's own choice. */
function normalizationOf(value: unknown): 'on' | 'off' | undefined {
  const choice = oneOf('apply_text_normalization', TEXT_NORMALIZATIONS, value)
  return choice === 'auto' ? undefined : choice
}

/** @throws SpeechViolation */
function oneOf<Value extends string>(name: string, values: readonly Value[], value: unknown): Value | undefined {
  if (value === undefined || value === null) return undefined
  const found = values.find((one) => one === value)
  if (found === undefined) throw new SpeechViolation(name, `Send ${name} as one of ${values.join(', ')}.`)
  return found
}

function fieldOf({ voiceInput }: VoiceEndpoint, path: string): string {
  const name = path.replace(/^\/inputs\//, '')
  if (name === voiceInput) return 'voice'
  const fields: Readonly<Record<string, string>> = { text: 'input', style_instruction: 'instructions' }
  return fields[name] ?? name
}

/**
 * Maps an ISO 639 code, a tag such as `en-US` or a name in any case to the endpoint's language name.
 * Values that the endpoint's schema lists, and unknown ones, stay unchanged.
 */
function namedAs(sent: string | undefined, listed: unknown): string | undefined {
  if (sent === undefined || (Array.isArray(listed) && listed.includes(sent))) return sent
  const meant = meaningOf(sent)
  if (meant === null) return sent
  if (!Array.isArray(listed)) return meant
  return listed.find((value): value is string => typeof value === 'string' && meaningOf(value) === meant) ?? sent
}

/** Null: a code or name of no known language. */
export function meaningOf(name: string): Language | 'auto' | null {
  const lower = name.trim().toLowerCase()
  if (lower === 'auto') return 'auto'
  const [code = ''] = lower.split(/[-_]/, 1)
  return LANGUAGES.find((known) => known.toLowerCase() === lower || ISO_CODES[known].split(' ').includes(code)) ?? null
}

/**
 * Resolves a client's voice to a value of the endpoint's voice input; absent means the first voice.
 * Names of other services map by the endpoint's file, or else to a fixed voice.
 * @throws SpeechViolation, the same for an unknown voice and another account's
 */
async function requireVoice(
  ctx: Context,
  endpoint: VoiceEndpoint,
  asked: unknown,
  standIns: readonly string[],
): Promise<string> {
  const name = nameOf(asked)?.trim() ?? null
  const found = await findSpeaker(ctx, endpoint, name)
  if (found !== null) return found.slug
  const { voices } = endpoint
  const known = standIns.indexOf(name?.toLowerCase() ?? '')
  const stand = known < 0 ? undefined : voices[known % voices.length]
  if (stand !== undefined) return stand.slug
  const some = voices.slice(0, 20).map(({ slug }) => slug)
  throw new SpeechViolation('voice', `Unknown voice. Send one of: ${some.join(', ')}.`)
}

/** A voice of the endpoint by its slug or alias, or of the caller's library by its id. */
export async function findSpeaker(ctx: Context, endpoint: VoiceEndpoint, name: string | null): Promise<Voice | null> {
  const [found = null] = await findSpeakers(ctx, endpoint, [name])
  return found
}

/** The voices of these names, in their order. */
export async function findSpeakers(
  ctx: Context,
  endpoint: VoiceEndpoint,
  names: readonly (string | null)[],
): Promise<(Voice | null)[]> {
  const own = names.map((name) => findOwn(endpoint, name))
  const others = new Set(names.filter((_, index) => own[index] === null))
  const library = await findLibraryVoices(ctx.db, ownerOf(ctx.actor) ?? '', endpoint, [...others])
  return own.map((voice, index) => voice ?? library.get(names[index]) ?? null)
}

function findOwn({ voices, openai }: VoiceEndpoint, name: string | null): Voice | null {
  if (name === null) return voices[0] ?? null
  const find = (slug: string | undefined) => voices.find((voice) => voice.slug === slug)
  const lower = name.toLowerCase()
  const [, alias] = Object.entries(openai?.voices ?? {}).find(([alike]) => alike.toLowerCase() === lower) ?? []
  return find(name) ?? find(openai?.voices?.[name]) ?? find(alias) ?? voices.find(isCalled(lower)) ?? null
}

const isCalled =
  (lower: string) =>
  ({ slug }: Voice): boolean =>
    slug.toLowerCase() === lower

/** @throws SpeechViolation */
function nameOf(asked: unknown): string | null {
  if (asked === undefined || asked === null || asked === '') return null
  if (typeof asked === 'string') return asked
  if (typeof asked === 'object' && 'id' in asked && typeof asked.id === 'string') return asked.id
  throw new SpeechViolation('voice', 'Send the voice as a string, or as an object with an id.')
}
