import { NEVER } from '../european/names.ts'
import type { Counted, Currency, Gender } from '../european/words.ts'
import type { Around } from '../scan.ts'
import { formsOf } from '../table.ts'

/** What Spanish, Portuguese and Italian have in common and say in their own words. */
export interface RomanceWords {
  cardinal(value: number, gender?: Gender): string
  /** @param isShort before a masculine noun, where Spanish says `primer` */
  ordinal(value: number, gender: Gender, isShort?: boolean): string
  genderOf(noun: string): Gender
  /** Above it centuries and kings have cardinal numbers. */
  readonly largestOrdinal: number
  /** Nouns before a Roman numeral, by what they ask for. */
  readonly ordinalNouns: string
  readonly cardinalNouns: string
  readonly rulers: string
  readonly queens: string
  /** Words between two numerals: `siglos XIX y XX`. */
  readonly and: string
  /** Between a number and a half. */
  readonly andHalf: string
  /** An article before a numeral or a day. */
  readonly articles: string
  /** A regular expression: behind it a number alone has a feminine noun in mind, such as the hours. */
  readonly feminineBefore: string
  /** Behind a number these are no nouns. */
  readonly noNouns: ReadonlySet<string>
  readonly half: Readonly<Record<Gender, string>>
  /** The decimal mark of a version, and the slash in the name of a law. */
  readonly point: string
  readonly of: string
  /** Behind a price: `por` in 9,99 €/mes. */
  readonly per: string
  readonly perUnits: Readonly<Record<string, string>>
  /** Regular expressions. Before a score, behind it, and the word between its numbers. */
  readonly scoreBefore: string
  readonly scoreBehind: string
  readonly scoreJoint: string
  /** Before a mark out of ten: 9,5/10. */
  readonly over: string
  /** The abbreviation of a century, as a regular expression, and its word. */
  readonly century: readonly [abbreviation: string, word: string]
  /** Abbreviations before a numeral: cap. XII. */
  readonly beforeNumbers: Readonly<Record<string, string>>
  /** A regular expression: a telephone number follows. */
  readonly telephone: string
  /** A regular expression: a code follows, which is read digit by digit. */
  readonly codes: string
}

/** The words of {@link Words} that are the same in the three languages. Roman numerals have rules of their own here. */
export const SHARED_WORDS = {
  to: 'a',
  timeMarks: '[:.]',
  letter: (letter: string): string => letter,
  saidAsWords: new Set<string>(),
  romanBefore: NEVER,
  rulers: NEVER,
}

type Name = (one: string, other?: string) => Counted

/** Rows of written forms, singular and plural. */
export const countedForms = (table: string, name: Name): Readonly<Record<string, Counted>> =>
  formsOf(table, ([one = '', other]) => name(one, other))

/** Rows of written forms, singular, plural, and the name of the hundredth part with its plural. */
export const currencyForms = (table: string, name: Name): Readonly<Record<string, Currency>> =>
  formsOf(table, ([one = '', other, part, parts]) => ({
    ...name(one, other),
    ...(part === undefined ? {} : { part: name(part, parts) }),
  }))

const NOUN = /^ (?<noun>\p{Ll}{2,30})/u

/**
 * "21 libras", "200 personas", "1 ora": a number has the gender of the noun behind it.
 * @param say null for a number that is said as it is by itself
 */
export function beforeNoun(
  { cardinal, genderOf, noNouns, feminineBefore }: RomanceWords,
  say: (value: number, noun: string, gender: Gender) => string | null,
): (value: number, around: Around) => string | null {
  const FEMININE = new RegExp(`(?:^|[\\s(])(?:${feminineBefore})$`, 'i')
  return (value, { before, after }) => {
    const noun = NOUN.exec(after)?.groups?.noun
    if (noun === undefined || noNouns.has(noun)) return FEMININE.test(before) ? cardinal(value, 'feminine') : null
    return /[\p{L}\p{N}][-.,/:]?$|[$€£]\s?$/u.test(before) ? null : say(value, noun, genderOf(noun))
  }
}

const ARTICLE =
  /(?:^|[\s(])(?:el|la|al|del|de la|los|las|o|a|ao|à|do|da|no|na|os|as|il|lo|alla|della|nel|nella|dal|dalla|sul|sulla|un|una|um|uma|su|seu|sua|suo|i|gli|le)\s$/iu

/** 3° is an ordinal number behind an article, and so are the first ones; others are degrees. */
export const isDegree = (value: number, hint: string, before: string): boolean =>
  hint === '°' && value > 5 && !ARTICLE.test(before)
