import { isMostlyLatin, LANGUAGES, type Language } from './espeak/detect-language.ts'
import { SCRIPTS, withoutNamedWords } from './espeak/espeak-scripts.ts'
import { pickVoice, spokenLanguage } from './espeak/espeak-voice.ts'
import { mayBeKnown } from './espeak/japanese/ordinary-kanji.ts'
import { type SpokenPart, spokenText } from './espeak/spoken-part.ts'
import { isSilent, KANJI, toSpokenText } from './espeak/spoken-text.ts'

/** What a check needs of an endpoint's engine and of the job's inputs. */
interface Utterance {
  readonly kind: string
  /** Of the chosen voice; null where it is a recording. */
  readonly engineVoice: string | null
  /** The language of the voice. */
  readonly own?: string | null
  readonly language: unknown
  readonly text: string
}

/** One ideograph, kana or syllable carries about as much speech as this many letters. */
const LETTERS_PER_SYLLABLE = 3
const SYLLABLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const LETTER = /[\p{L}\p{N}]/u
const HAN = /\p{Script=Han}/u
/** So much of a text is judged: what is behind it is found out when it is spoken. */
const SAMPLE_UNITS = 2000
/** Of many scripts some are named. */
const MOST_NAMED = 3
/** Nothing else is in a text that any language reads: one look decides for most texts. */
const PLAIN = /^[\s\p{P}]*[\p{Script=Latin}\d][\p{Script=Latin}\p{P}\p{M}\s\d]*$/u

/**
 * What keeps the embedded engine from speaking a text, as far as is known without speaking it, or null. A text is refused where most of
 * it, or all, is in letters that the language does not read: they would be named one by one, in English. To Japanese, kanji that no
 * dictionary can have are such letters. Emoji, and a foreign word here and there, are passed over in silence. Other engines are asked when they speak. Pure.
 */
export function checkSpeakable({ kind, engineVoice, own = null, language, text }: Utterance): string | null {
  if (kind !== 'espeak' || engineVoice === null || PLAIN.test(text)) return null
  const asked = knownLanguage(language)
  const voice = pickVoice(engineVoice, languageToRead({ engineVoice, language: own }, asked, text))
  if (voice === null) return null
  const { read, unread, isSilent: isWholeSilent, letters } = weigh(text, voice.language)
  if (unread > read)
    return `is written in ${letters}, which this voice does not read in ${languageName(voice.language)}`
  return isWholeSilent ? 'must hold a letter, a digit or a symbol that can be spoken' : null
}

/** Which of the languages in Latin letters it is makes no difference to what is read. */
const languageToRead = (
  voice: Parameters<typeof spokenLanguage>[0],
  asked: Language | 'auto',
  text: string,
): Language | undefined => (asked === 'auto' && isMostlyLatin(text) ? 'English' : spokenLanguage(voice, asked, text))

/** How much of a text is read and how much is not, in letters' time. Digits count as letters: they are read everywhere. */
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

/** Each character of a text once: a long text has few different ones. */
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

/** Which kanji a dictionary knows is found out when it is opened: those that it may know are taken as known. */
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

const knownLanguage = (language: unknown): Language | 'auto' => LANGUAGES.find((name) => name === language) ?? 'auto'
