import { detectLanguage, hasChineseForms, type Language } from './detect-language.ts'
import { familyOf } from './espeak-scripts.ts'

/** What eSpeak NG calls each of `LANGUAGES`. */
export const ESPEAK_LANGUAGES: Readonly<Record<Language, string>> = {
  Chinese: 'cmn',
  English: 'en-us',
  Japanese: 'ja',
  Korean: 'ko',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Spanish: 'es',
  Portuguese: 'pt',
  Russian: 'ru',
}

interface EspeakVoice {
  readonly language: string
  /** The speaker, one of eSpeak's variants; null for the language's plain voice. */
  readonly variant: string | null
  /** 0 to 99; 50 is the speaker's own. */
  readonly pitch: number
}

export const OWN_PITCH = 50
/** The speakers that whisper, and the others by whom a woman is recognised. */
const WHISPER = { woman: 'whisperf', man: 'whisper' } as const
const WOMEN = /^(?:f\d|Alicia|Andrea|Annie|anika|anikaRobot|aunty|belinda|grandma|linda|shelby|steph\d?|whisperf)$/

/** The speaker that whispers in place of another one. */
export const whispererFor = (variant: string | null): string =>
  variant !== null && WOMEN.test(variant) ? WHISPER.woman : WHISPER.man

/**
 * The speaker of `engineVoice` (`en-us+f3`, or `en-us+f3@60` for a higher pitch of 0 to 99) in the wanted language. A voice's own accent (`en-gb`) stays when it is of that
 * language, or when there is none to change to. Null when the name is not of that form.
 */
export function pickVoice(engineVoice: string, language: Language | undefined): EspeakVoice | null {
  const [, own, variant, pitch = OWN_PITCH] =
    /^([a-z][a-z0-9-]*)(?:\+(\w[\w ]*))?(?:@(\d{1,2}))?$/i.exec(engineVoice) ?? []
  if (own === undefined) return null
  const wanted = language === undefined ? own : ESPEAK_LANGUAGES[language]
  return { language: familyOf(wanted) === familyOf(own) ? own : wanted, variant: variant ?? null, pitch: Number(pitch) }
}

/**
 * The language that a text is spoken in: the one asked for, else the one that it is in. Kanji alone may be of either language: a Japanese
 * voice reads them in Japanese where nothing in them is Chinese alone. undefined: the voice's own. Pure.
 */
export function spokenLanguage(engineVoice: string, asked: Language | 'auto', text: string): Language | undefined {
  if (asked !== 'auto') return asked
  const detected = detectLanguage(text)
  const isOwn = detected === 'Chinese' && familyOf(engineVoice.split(/[+@]/)[0] ?? '') === 'ja'
  return isOwn && !hasChineseForms(text) ? 'Japanese' : detected
}
