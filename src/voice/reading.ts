import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { requireEndpoint } from '../catalog/endpoints.ts'
import { checkSpokenText, textLimit } from '../catalog/voice-endpoint.ts'
import type { Context } from '../context/context.ts'
import { detectLanguage, knownLanguage, LANGUAGES, type Language } from '../engines/espeak/detect-language.ts'
import { ownLanguage } from '../engines/espeak/espeak-voice.ts'
import { type Detail, invalidRequest } from '../errors/service-error.ts'
import type { Reading } from '../reading/scan.ts'
import { isComposed, readScript } from './markup/read-script.ts'
import { OffsetMap } from './timing/offset-map.ts'

const DETECT = 'auto'

export interface ReadingInput {
  readonly text: string
  /** One of LANGUAGES, or `auto`, which is the default. */
  readonly language?: string | null | undefined
  /** The endpoint that is to speak the text. */
  readonly slug?: string | null | undefined
}

export interface LanguageReading extends Reading {
  readonly language: Language
}

/**
 * Gives a text the words in which it is spoken; charges nothing. Tokens count in code points of `text`.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function reading(ctx: Context, { text, language, slug }: ReadingInput): Promise<LanguageReading> {
  requireScope(ctx, VOICE_SCOPE)
  const endpoint = slug == null ? null : requireEndpoint(ctx, slug)
  const limit = endpoint === null ? ctx.settings.maxTextCharacters : textLimit(endpoint)
  checkInput(text, language, limit)
  const composed = text.normalize('NFC')
  const [voice] = endpoint?.voices ?? []
  const own = voice && ownLanguage(voice)
  const spoken = knownLanguage(language) ?? detectLanguage(composed, own) ?? own ?? 'English'
  const { read } = await import('../reading/read.ts')
  const found = read(composed, spoken)
  return { language: spoken, ...(isComposed(text) ? found : { ...found, tokens: inSubmitted(found.tokens, text) }) }
}

/** @throws INVALID_REQUEST */
function checkInput(text: string, language: string | null | undefined, maxTextCharacters: number): void {
  const details: Detail[] = []
  const wrongText = checkSpokenText(text, { maxTextCharacters })
  if (wrongText !== null) details.push({ path: '/text', message: wrongText })
  if (language != null && language !== DETECT && knownLanguage(language) === undefined)
    details.push({ path: '/language', message: `must be one of ${[DETECT, ...LANGUAGES].join(', ')}` })
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}

/** Leads tokens of the composed text back to the submitted one. */
function inSubmitted(tokens: Reading['tokens'], text: string): Reading['tokens'] {
  const map = new OffsetMap(
    text,
    readScript(text, 'none').segments.flatMap(({ spans }) => spans),
  )
  const units = unitsOf(map.spoken)
  const points = new Map(unitsOf(text).map((unit, point) => [unit, point]))
  return tokens.map((token) => {
    const range = map.toSubmitted({ start: units[token.start]!, end: units[token.start + token.length]! })
    const start = points.get(range.start)!
    return { ...token, start, length: points.get(range.end)! - start }
  })
}

/** The UTF-16 offset of each code point, and of the end. */
function unitsOf(text: string): number[] {
  const units = [0]
  for (const character of text) units.push(units.at(-1)! + character.length)
  return units
}
