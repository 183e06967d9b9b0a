const EVERYWHERE =
  'Latin Armenian Bengali Devanagari Georgian Gujarati Gurmukhi Hangul Kannada Malayalam Sinhala Tamil'.split(' ')
/** Scripts and the only languages that read them; a test compares this with the engine. */
const SOME: Readonly<Record<string, string>> = {
  Arabic: 'ar fa sd ug ur',
  Bopomofo: 'cmn',
  Cherokee: 'chr',
  Cyrillic: 'ba be bg bs cv hr kaa kk ky mk nog ru sr tt uk uz',
  Ethiopic: 'am ti',
  Han: 'cmn ja yue',
  Hebrew: 'he',
  Hiragana: 'ja',
  Katakana: 'ja',
  Myanmar: 'my shn',
  Oriya: 'or',
  Telugu: 'te',
  Thai: 'th',
}
const NAME_GREEK = 'af bs en hr lt mk sr vi'

export const SCRIPTS: readonly string[] = [...EVERYWHERE, 'Greek', ...Object.keys(SOME)]

/** Pictures only: the Emoji property also holds digits and ©. */
const EMOJI =
  /[\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}\u{E0020}-\u{E007F}]|(?![©®™])\p{Extended_Pictographic}/u
const EMOJI_PART = /\u200d|\u20e3|\ufe0e|\ufe0f/u
const GREEK_WORD = /\p{Script=Greek}{2,}/gu
const KANA_SIGN = /\u3099|\u309a|[\u309b\u309c\u30fb\u30fc\u301c〆々]/u

type Utterance = 'letter' | 'symbol' | 'silent'

const letters = new Map<string, RegExp>()

export function utteranceOf(character: string, language: string): Utterance {
  if (character <= 'ɏ') return /[\p{L}\p{N}]/u.test(character) ? 'letter' : 'symbol'
  if (EMOJI.test(character) || EMOJI_PART.test(character) || /[\p{Script=Braille}\p{Cn}]/u.test(character))
    return 'silent'
  if (KANA_SIGN.test(character)) return familyOf(language) === 'ja' ? 'symbol' : 'silent'
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return 'symbol'
  return lettersOf(language).test(character) ? 'letter' : 'silent'
}

/** Replaces Greek words that eSpeak would spell by spaces of the same length. */
export const withoutNamedWords = (text: string, language: string): string =>
  NAME_GREEK.split(' ').includes(familyOf(language))
    ? text.replace(GREEK_WORD, (word) => ' '.repeat(word.length))
    : text

export const familyOf = (language: string): string => language.toLowerCase().split('-')[0] ?? ''

function lettersOf(language: string): RegExp {
  const family = familyOf(language)
  const known = letters.get(family)
  if (known !== undefined) return known
  const some = Object.keys(SOME).filter((script) => SOME[script]?.split(' ').includes(family))
  const scripts = [...EVERYWHERE, 'Greek', 'Inherited', ...some].map((script) => `\\p{Script=${script}}`)
  const made = new RegExp(`[${scripts.join('')}]`, 'u')
  letters.set(family, made)
  return made
}
