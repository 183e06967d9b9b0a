import type { Gender } from '../european/words.ts'
import { END, endsSentence, listRule, oneOf, romanValue, rule, wordRule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

const NUMERAL = '[IVXLCDM]{1,12}'
/** Words in capitals that are numerals too. */
const NO_NUMERALS = /^(?:CD|DC|DI|DM|MC|MD|MI|CC|LCD|XXX|MM|DVD|CV|LI|CI|CM|II?D|VI?P|MIX|DIM|LIV|CIVIC)$/

/** Roman numerals of centuries, chapters, kings and events. */
export function romanRules(words: RomanceWords): Rule[] {
  const { cardinal, ordinal, genderOf, largestOrdinal, ordinalNouns, cardinalNouns, rulers, queens } = words
  const mixed = (value: number, gender: Gender): string =>
    value > largestOrdinal ? cardinal(value) : ordinal(value, gender)
  const behind: Read = ({ word = '', numeral = '' }) => {
    const value = romanValue(numeral)
    if (value === null) return null
    const isOrdinal = new RegExp(`^(?:${ordinalNouns})$`).test(word)
    return `${word} ${isOrdinal ? mixed(value, genderOf(word.toLowerCase())) : cardinal(value)}`
  }
  const king: Read = ({ name = '', numeral = '' }, { after }, match) => {
    const value = romanValue(numeral)
    if (value === null) return null
    const spoken = `${name} ${mixed(value, new RegExp(`^(?:${queens})$`).test(name) ? 'feminine' : 'masculine')}`
    return match.endsWith('.') && endsSentence(after) ? { spoken, length: match.length - 1 } : spoken
  }
  return [
    ...shortenedRules(words, mixed),
    wordRule(
      'roman',
      startsOf(`${ordinalNouns}|${cardinalNouns}`),
      String.raw`(?<word>${ordinalNouns}|${cardinalNouns}) (?<numeral>${NUMERAL})${END}(?!\.?º|ª)`,
      behind,
    ),
    wordRule(
      'roman',
      startsOf(`${rulers}|${queens}`),
      String.raw`(?<name>${rulers}|${queens}) (?<numeral>[IVX]{1,7})${END}(?:\.(?!º))?`,
      king,
    ),
    ...numeralRules(words, mixed),
  ]
}

/** Numerals before a noun, "II Guerra Mundial", and by themselves. */
function numeralRules(words: RomanceWords, mixed: (value: number, gender: Gender) => string): Rule[] {
  const { cardinal, ordinal, genderOf, articles, noNouns, months, numeralNouns, to } = words
  const ARTICLE = new RegExp(`(?:^|\\s)(?:${articles})\\s$`, 'i')
  const COUNTED = new RegExp(`^(?:${numeralNouns})$`, 'u')
  const names = new Set(months.map(([name = '']) => name))
  const event: Read = ({ numeral = '', noun = '' }, { before }) => {
    const value = romanValue(numeral)
    if (value === null || NO_NUMERALS.test(numeral) || noNouns.has(noun)) return null
    if (/[LC]/.test(numeral) && (numeral.length < 3 || !/^\p{Lu}/u.test(noun))) return null
    // Streets have the names of days: via XX Settembre.
    if (names.has(noun.toLowerCase())) return cardinal(value)
    const isCounted = ARTICLE.test(before)
      ? /^\p{Lu}/u.test(noun) || COUNTED.test(noun)
      : COUNTED.test(noun) && /(?:^|[.:;,«"(–-])\s*$/.test(before)
    return numeral.length > 1 || isCounted ? ordinal(value, genderOf(noun.toLowerCase()), true) : null
  }
  return [
    wordRule('roman', Array.from('IVXLC'), String.raw`(?<numeral>[IVXLC]{1,7})(?= (?<noun>\p{L}{3,20}))`, event),
    wordRule(
      'roman',
      Array.from('IVXLCM'),
      `(?<numeral>[IVXLC]{2,8}|M{1,3}[IVXLCDM]{3,10})${END}`,
      aloneReader(words, mixed),
    ),
    rule('range', 'symbol', ` ?[-–] ?(?=[IVX]{1,8}${END})`, (_groups, { before }) =>
      /(?:^|[^\p{L}])[IVX]{1,8}$/u.test(before) ? ` ${to} ` : null,
    ),
  ]
}

/** Numerals in lists of centuries and chapters have the form of the first one. */
function aloneReader(
  { cardinal, ordinalNouns, centuries, and }: RomanceWords,
  mixed: (value: number, gender: Gender) => string,
): Read {
  const NOUNS = [ordinalNouns, ...centuries.map(([abbreviation]) => abbreviation)].join('|')
  const ERA = String.raw`(?: [ad]\. ?(?:de )?C\.?)?`
  const LISTED = new RegExp(`(?:${NOUNS}) ${NUMERAL}${ERA}(?:,|,? (?:${and})| ?[-–])\\s?$`)
  const NEXT = new RegExp(`^(?:,| (?:${and})| ?[-–]) ?${NUMERAL} (?:${NOUNS})`)
  return ({ numeral = '' }, { before, after }) => {
    const value = romanValue(numeral)
    if (value === null || NO_NUMERALS.test(numeral)) return null
    return LISTED.test(before) || NEXT.test(after) ? mixed(value, 'masculine') : cardinal(value)
  }
}

/** The characters that alternatives of a pattern begin with, such as `[Ss]iglo`. */
const startsOf = (alternatives: string): string[] =>
  alternatives
    .split('|')
    .flatMap((one) => Array.from(one.startsWith('[') ? one.slice(1, one.indexOf(']')) : one.slice(0, 1)))

/** "s. XIX", "cap. XII". */
function shortenedRules(
  { centuries, beforeNumbers, cardinal }: RomanceWords,
  mixed: (value: number, gender: Gender) => string,
): Rule[] {
  return [
    ...centuries.map(([abbreviation, word]) =>
      wordRule(
        'roman',
        startsOf(abbreviation),
        `(?:${abbreviation}) (?<numeral>[IVX]{1,6})${END}`,
        ({ numeral = '' }) => {
          const value = romanValue(numeral)
          return value === null ? null : `${word} ${mixed(value, 'masculine')}`
        },
      ),
    ),
    listRule(
      'roman',
      Object.keys(beforeNumbers),
      `(?<word>${oneOf(Object.keys(beforeNumbers))}) (?<numeral>[IVXLC]{1,8})${END}`,
      ({ word: written = '', numeral = '' }) => {
        const value = romanValue(numeral)
        return value === null ? null : `${beforeNumbers[written]} ${cardinal(value)}`
      },
    ),
  ]
}
