import type { EngineVoice } from '../engine.ts'
import { detectLanguage, LANGUAGE_CODES, LANGUAGES, type Language } from './detect-language.ts'
import { familyOf } from './espeak-scripts.ts'

export const ESPEAK_LANGUAGES: Readonly<Record<Language, string>> = {
  ...LANGUAGE_CODES,
  Chinese: 'cmn',
  English: 'en-us',
}

interface EspeakVoice {
  readonly language: string
  /** Null: the language's plain voice. */
  readonly variant: string | null
  /** 0 to 99; 50 is the speaker's own. */
  readonly pitch: number
}

export const OWN_PITCH = 50
const WHISPER = { woman: 'whisperf', man: 'whisper' } as const
const WOMEN = /^(?:f\d|Alicia|Andrea|Annie|anika|anikaRobot|aunty|belinda|grandma|linda|shelby|steph\d?|whisperf)$/

export const whispererFor = (variant: string | null): string =>
  variant !== null && WOMEN.test(variant) ? WHISPER.woman : WHISPER.man

/**
 * Picks the speaker of `en-us+f3` or `en-us+f3@60` (pitch) in a language; null for another form.
 * A voice's accent stays if it is of that language.
 */
export function pickVoice(engineVoice: string, language: Language | undefined): EspeakVoice | null {
  const [, own, variant, pitch = OWN_PITCH] =
    /^([a-z][a-z0-9-]*)(?:\+(\w[\w ]*))?(?:@(\d{1,2}))?$/i.exec(engineVoice) ?? []
  if (own === undefined) return null
  const wanted = language === undefined ? own : ESPEAK_LANGUAGES[language]
  return { language: familyOf(wanted) === familyOf(own) ? own : wanted, variant: variant ?? null, pitch: Number(pitch) }
}

const NAMED_LANGUAGE = /^([a-z]{2,3})(?:[-_+@]|$)/i

/** The language that a voice's file states, else that of its engine's name. Pure. */
export function ownLanguage({
  engineVoice,
  language,
}: Pick<EngineVoice, 'engineVoice' | 'language'>): Language | undefined {
  const said = LANGUAGES.find((known) => known === language)
  if (said !== undefined) return said
  const family = NAMED_LANGUAGE.exec(engineVoice ?? '')?.[1]
    ?.toLowerCase()
    .replace(/^zh$/, 'cmn')
  return LANGUAGES.find((known) => familyOf(ESPEAK_LANGUAGES[known]) === family)
}

/** The requested language, else the detected one; undefined: the voice's own. Pure. */
export const spokenLanguage = (
  voice: Pick<EngineVoice, 'engineVoice' | 'language'>,
  asked: Language | 'auto',
  text: string,
): Language | undefined => (asked === 'auto' ? detectLanguage(text, ownLanguage(voice)) : asked)
