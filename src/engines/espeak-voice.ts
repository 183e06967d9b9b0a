import { detectLanguage, hasChineseForms, type Language } from './detect-language.ts'
import { familyOf } from './espeak-scripts.ts'

/** What eSpeak NG calls each language of spec 2.5. */
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
}

/**
 * The speaker of `engineVoice` (`en-us+f3`) in the wanted language. A voice's own accent (`en-gb`) stays when it is of that
 * language, or when there is none to change to. Null when the name is not of that form.
 */
export function pickVoice(engineVoice: string, language: Language | undefined): EspeakVoice | null {
  const [, own, variant] = /^([a-z][a-z0-9-]*)(?:\+(\w[\w ]*))?$/i.exec(engineVoice) ?? []
  if (own === undefined) return null
  const wanted = language === undefined ? own : ESPEAK_LANGUAGES[language]
  return { language: familyOf(wanted) === familyOf(own) ? own : wanted, variant: variant ?? null }
}

/**
 * The language that a text is spoken in: the one asked for, else the one that it is in. Kanji alone may be of either language: a Japanese
 * voice reads them in Japanese where nothing in them is Chinese alone. undefined: the voice's own. Pure.
 */
export function spokenLanguage(engineVoice: string, asked: Language | 'auto', text: string): Language | undefined {
  if (asked !== 'auto') return asked
  const detected = detectLanguage(text)
  const isOwn = detected === 'Chinese' && familyOf(engineVoice.split('+')[0] ?? '') === 'ja'
  return isOwn && !hasChineseForms(text) ? 'Japanese' : detected
}
