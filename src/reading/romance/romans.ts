import type { Gender } from '../european/words.ts'
import { END, endsSentence, oneOf, romanValue, wordRule } from '../rules.ts'
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
function numeralRules(
  { cardinal, ordinal, genderOf, ordinalNouns, and, articles }: RomanceWords,
  mixed: (value: number, gender: Gender) => string,
): Rule[] {
  const event: Read = ({ numeral = '', noun = '' }, { before }) => {
    const value = romanValue(numeral)
    if (value === null || NO_NUMERALS.test(numeral)) return null
    if (numeral.length < 2 && !new RegExp(`(?:^|\\s)(?:${articles})\\s$`, 'i').test(before)) return null
    return ordinal(value, genderOf(noun.toLowerCase()), true)
  }
  const LISTED = new RegExp(`(?:${ordinalNouns}) ${NUMERAL}(?:,|,? (?:${and})| ?[-–])\\s?$`)
  const NEXT = new RegExp(`^(?:,| (?:${and})| ?[-–]) ?${NUMERAL} (?:${ordinalNouns})`)
  const alone: Read = ({ numeral = '' }, { before, after }) => {
    const value = romanValue(numeral)
    if (value === null || NO_NUMERALS.test(numeral)) return null
    const isListed = LISTED.test(before) || NEXT.test(after)
    return isListed ? mixed(value, 'masculine') : cardinal(value)
  }
  return [
    wordRule('roman', Array.from('IVX'), String.raw`(?<numeral>[IVX]{1,7})(?= (?<noun>\p{L}{3,20}))`, event),
    wordRule('roman', Array.from('IVXLC'), `(?<numeral>[IVXLC]{2,8})${END}`, alone),
  ]
}

/** The characters that alternatives of a pattern begin with, such as `[Ss]iglo`. */
const startsOf = (alternatives: string): string[] =>
  alternatives
    .split('|')
    .flatMap((one) => Array.from(one.startsWith('[') ? one.slice(1, one.indexOf(']')) : one.slice(0, 1)))

/** "s. XIX", "cap. XII". */
function shortenedRules(
  { century: [abbreviation, word], beforeNumbers, cardinal }: RomanceWords,
  mixed: (value: number, gender: Gender) => string,
): Rule[] {
  return [
    wordRule(
      'roman',
      startsOf(abbreviation),
      `(?:${abbreviation}) (?<numeral>[IVX]{1,6})${END}`,
      ({ numeral = '' }) => {
        const value = romanValue(numeral)
        return value === null ? null : `${word} ${mixed(value, 'masculine')}`
      },
    ),
    wordRule(
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
