import { isMostlyLatin, knownLanguage, type Language } from './espeak/detect-language.ts'
import { pickVoice, SCRIPTS, spokenLanguage, withoutNamedWords } from './espeak/espeak-voice.ts'
import { mayBeKnown } from './espeak/japanese/ordinary-kanji.ts'
import { type SpokenPart, spokenText } from './espeak/spoken-part.ts'
import { isSilent, KANJI, toSpokenText } from './espeak/spoken-text.ts'

interface Utterance {
  readonly kind: string
  /** Null if the voice is a recording. */
  readonly engineVoice: string | null
  readonly own?: string | null
  readonly language: unknown
  readonly text: string
}

const LETTERS_PER_SYLLABLE = 3
const SYLLABLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const LETTER = /[\p{L}\p{N}]/u
const HAN = /\p{Script=Han}/u
const SAMPLE_UNITS = 2000
const MOST_NAMED = 3
const PLAIN = /^[\s\p{P}]*[\p{Script=Latin}\d][\p{Script=Latin}\p{P}\p{M}\s\d]*$/u

/**
 * Returns why the embedded engine cannot speak a text, or null. Pure.
 * It refuses texts mostly in letters that the language would spell in English.
 */
export function checkSpeakable({ kind, engineVoice, own = null, language, text }: Utterance): string | null {
  if (kind !== 'espeak' || engineVoice === null || PLAIN.test(text)) return null
  const asked = knownLanguage(language) ?? 'auto'
  const voice = pickVoice(engineVoice, languageToRead({ engineVoice, language: own }, asked, text))
  if (voice === null) return null
  const { read, unread, isSilent: isWholeSilent, letters } = weigh(text, voice.language)
  if (unread > read)
    return `is written in ${letters}, which this voice does not read in ${languageName(voice.language)}`
  return isWholeSilent ? 'must hold a letter, a digit or a symbol that can be spoken' : null
}

const languageToRead = (
  voice: Parameters<typeof spokenLanguage>[0],
  asked: Language | 'auto',
  text: string,
): Language | undefined => (asked === 'auto' && isMostlyLatin(text) ? 'English' : spokenLanguage(voice, asked, text))

function weigh(text: string, language: string) {
  const total = { read: 0, unread: 0, isSilent: text.length <= SAMPLE_UNITS }
  const foreign = new Set<string>()
  for (const [character, { count, isNamed }] of countCharacters(text.slice(0, SAMPLE_UNITS), language)) {
    const parts = isNamed ? [] : toSpokenText(character, language, kanjiAsKana)
    if (!isSilent(parts)) total.isSilent = false
    if (!LETTER.test(character)) continue
    const weight = count * (SYLLABLE.test(character) ? LETTERS_PER_SYLLABLE : 1)
    const outcome = LETTER.test(spokenText(parts)) ? 'read' : 'unread'
    total[outcome] += weight
    if (outcome === 'unread' && foreign.size < MOST_NAMED) foreign.add(lettersOf(character))
  }
  return { ...total, letters: [...foreign].join(' and ') }
}

function countCharacters(text: string, language: string): Map<string, { count: number; isNamed: boolean }> {
  const counts = new Map<string, { count: number; isNamed: boolean }>()
  const plain = withoutNamedWords(text, language)
  let at = 0
  for (const character of text) {
    const known = counts.get(character) ?? { count: 0, isNamed: false }
    counts.set(character, { count: known.count + 1, isNamed: known.isNamed || plain[at] !== text[at] })
    at += character.length
  }
  return counts
}

/** Only the opened dictionary knows its kanji, so possible ones count as known. */
const kanjiAsKana = (text: string): SpokenPart[] =>
  Array.from(text, (character, start) => {
    const isKnown = KANJI.test(character) && mayBeKnown(character)
    return { spoken: isKnown ? 'カ' : character, start, length: 1 }
  })

function lettersOf(letter: string): string {
  if (HAN.test(letter)) return 'Chinese characters'
  const script = SCRIPTS.find((name) => new RegExp(`\\p{Script=${name}}`, 'u').test(letter))
  return script === undefined ? 'letters of another script' : `${script} letters`
}

const languageName = (code: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code
