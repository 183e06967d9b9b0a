import { ownerOf } from '../access/actor.ts'
import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { requireEndpoint } from '../catalog/endpoints.ts'
import { findLibraryVoice } from '../catalog/library-voices.ts'
import { checkSpokenText, textLimit } from '../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import type { EngineVoice } from '../engines/engine.ts'
import { detectLanguage, knownLanguage, LANGUAGES } from '../engines/espeak/detect-language.ts'
import { ownLanguage } from '../engines/espeak/espeak-voice.ts'
import { isNormalized } from '../engines/text-normalization.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { lexiconRevision } from '../lexicon/account-lexicon.ts'
import { checkScript, type ScriptContext } from './markup/check-script.ts'
import { jobScript } from './markup/job-script.ts'
import { withMarkup } from './submit-voice-job.ts'
import type { OffsetMap } from './timing/offset-map.ts'

const DETECT = 'auto'

export interface ReadingContext extends Context, ScriptContext {}

export interface ReadingInput {
  readonly text: string
  /** One of LANGUAGES, or `auto`, which is the default. */
  readonly language?: string | null | undefined
  /** The endpoint that is to speak the text. */
  readonly slug?: string | null | undefined
  /** One of the endpoint's voices, not without `slug`; its first one if not given. */
  readonly voice?: string | null | undefined
}

export interface ReadingToken {
  /** In code points of the submitted text. */
  readonly start: number
  readonly length: number
  readonly kind: string
  readonly spoken: string
}

export interface LanguageReading {
  readonly spoken: string
  /** One of LANGUAGES; `auto` if the engine is to decide. */
  readonly language: string
  readonly tokens: readonly ReadingToken[]
}

type Wrong = Readonly<Record<string, string | null>>

/**
 * Gives a text the words in which it is spoken; charges nothing. An endpoint's reading is that of its jobs: with its markup, the caller's
 * lexicon and the endpoint's `text_normalization`.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function reading(ctx: ReadingContext, input: ReadingInput): Promise<LanguageReading> {
  requireScope(ctx, VOICE_SCOPE)
  const endpoint = input.slug == null ? null : requireEndpoint(ctx, input.slug)
  const limit = endpoint === null ? ctx.settings.maxTextCharacters : textLimit(endpoint)
  refuse({
    text: checkSpokenText(input.text, { maxTextCharacters: limit }),
    language: wrongLanguage(input.language),
    voice: endpoint === null && input.voice != null ? 'needs the slug of its endpoint' : null,
  })
  return endpoint === null ? plainReading(ctx, input) : endpointReading(ctx, endpoint, input)
}

/** @throws INVALID_REQUEST if a field has a violation */
function refuse(wrong: Wrong): void {
  const details = Object.entries(wrong).flatMap(([field, message]) =>
    message === null ? [] : [{ path: `/${field}`, message }],
  )
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}

const wrongLanguage = (language: string | null | undefined): string | null =>
  language == null || language === DETECT || knownLanguage(language) !== undefined
    ? null
    : `must be one of ${[DETECT, ...LANGUAGES].join(', ')}`

async function plainReading(ctx: ReadingContext, { text, language: asked }: ReadingInput): Promise<LanguageReading> {
  const language = knownLanguage(asked) ?? detectLanguage(text, 'English') ?? 'English'
  const claim = { accountId: '', options: {}, lexicon: null }
  const { map } = await jobScript(ctx, claim, { text, language }, true, async () => null)
  return { spoken: map.spoken, language, tokens: tokensOf(map) }
}

async function endpointReading(
  ctx: ReadingContext,
  endpoint: VoiceEndpoint,
  { text, language, voice: asked }: ReadingInput,
): Promise<LanguageReading> {
  const slug = asked ?? endpoint.voices[0]?.slug
  const voice = slug === undefined ? null : await findVoice(ctx, endpoint, slug)
  refuse({ voice: voice === null && asked != null ? 'unknown voice' : null })
  await checkText(ctx, endpoint, { text, language, voice })
  const request = { text, ...(language != null && { language }), ...(voice && { voice: forEngine(voice) }) }
  const isRead = isNormalized(endpoint.engine, endpoint.textNormalization)
  const otherVoice = (name: string) => findVoice(ctx, endpoint, name).then((found) => found && forEngine(found))
  const script = await jobScript(ctx, await claimFor(ctx, endpoint), request, isRead, otherVoice).catch(refuseFailure)
  const own = voice === null ? undefined : ownLanguage(voice)
  const { spoken } = script.map
  const spokenIn = script.language ?? knownLanguage(language) ?? detectLanguage(spoken, own) ?? own ?? DETECT
  return { spoken, language: spokenIn, tokens: tokensOf(script.map) }
}

async function findVoice(ctx: ReadingContext, endpoint: VoiceEndpoint, slug: string): Promise<Voice | null> {
  const own = endpoint.voices.find((voice) => voice.slug === slug)
  return own ?? findLibraryVoice(ctx.db, accountOf(ctx), endpoint, slug)
}

/** The recording says nothing about how a text is read. */
const forEngine = (voice: Voice): EngineVoice => ({ ...voice, referenceAudio: null })

interface CheckedInput extends Pick<ReadingInput, 'text' | 'language'> {
  readonly voice: Voice | null
}

/** @throws INVALID_REQUEST if a submission of the text would be refused */
async function checkText(ctx: ReadingContext, endpoint: VoiceEndpoint, { text, language, voice }: CheckedInput) {
  const inputs = { text, ...(language != null && { language }), [endpoint.voiceInput]: voice?.slug }
  const { violation, unspeakable } = await checkScript(ctx, accountOf(ctx), endpoint, inputs)
  refuse({ text: violation ?? (voice === null ? null : unspeakable(voice, language)) })
}

/** The parts of a job's claim that decide how its text is read. */
async function claimFor(ctx: ReadingContext, endpoint: VoiceEndpoint) {
  const accountId = accountOf(ctx)
  return { accountId, options: withMarkup(endpoint, null) ?? {}, lexicon: await lexiconRevision(ctx.db, accountId) }
}

/** An operator without an account has neither voices nor a lexicon. */
const accountOf = ({ actor }: ReadingContext): string => ownerOf(actor) ?? ''

/** @throws INVALID_REQUEST if a job of the text would fail */
function refuseFailure(error: unknown): never {
  if (error instanceof JobFailure) refuse({ text: error.message })
  throw error
}

function tokensOf(map: OffsetMap): ReadingToken[] {
  const pointAt = pointCounter(map.submitted)
  return map.changed().map(({ start, end, kind = '', spoken }) => {
    const from = pointAt(start)
    return { start: from, length: pointAt(end) - from, kind, spoken: spoken.trim() }
  })
}

/** Returns the code point at a UTF-16 offset, which may only grow from call to call. */
function pointCounter(text: string): (unit: number) => number {
  let [points, units] = [0, 0]
  return (unit) => {
    for (; units < unit; points++) units += text.codePointAt(units)! > 0xffff ? 2 : 1
    return points
  }
}
