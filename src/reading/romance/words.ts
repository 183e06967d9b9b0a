import type { Counted, Currency, Gender } from '../european/words.ts'
import { NEVER } from '../rules.ts'
import type { Around } from '../scan.ts'
import { formsOf } from '../table.ts'

/** Spanish, Portuguese and Italian all have these words, each its own. */
export interface RomanceWords {
  cardinal(value: number, gender?: Gender): string
  /** @param isShort before a masculine noun, where Spanish says `primer` */
  ordinal(value: number, gender: Gender, isShort?: boolean): string
  /** A number of thousands: `diez mil`. */
  thousands(count: number): string
  genderOf(noun: string, isPlural?: boolean): Gender
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
  fraction(top: number, bottom: number): string | null
  /** Between a fraction and the unit of which it is a part: tres cuartos de litro. */
  readonly partJoint: string
  /** The feminine name of a part: tres cuartas partes. */
  partName(bottom: number, isPlural: boolean): string
  singular(noun: string): string
  decimal(whole: string, places: string): string
  date(day: number, month: number, year: number): string
  monthYear(month: number, year: number): string
  readonly months: readonly (readonly string[])[]
  readonly units: Readonly<Record<string, Counted>>
  /** The unit of a screen's size. */
  readonly inch: Counted
  /** The minute of a match, such as `el minuto 45`. Null: minutes are counted. */
  minuteOf(value: number, before: string, after: string): string | null
  /** The trimesters and semesters of a report: 1T25. */
  readonly quarters: Readonly<Record<string, string>>
  readonly minus: string
  readonly plus: string
  readonly times: string
  readonly divided: string
  readonly by: string
  readonly to: string
  readonly or: string
  /** Between the numbers of a document and its year. */
  readonly bar: string
  /** Before the amount that something is related to: kcal/100 g. */
  readonly each: string
  /** Between a page and the number of pages, and between the two numbers of a blood pressure. */
  readonly outOf: string
  readonly pressure: string
  readonly number: string
  readonly degrees: string
  /** Acronyms that are said as words, and long ones that are not. */
  readonly acronyms: ReadonlySet<string>
  readonly spelled: ReadonlySet<string>
  /** Abbreviations that may stand at the end of a sentence. */
  readonly closing: Readonly<Record<string, string>>
  /** Single letters before a name. */
  readonly titles: Readonly<Record<string, string>>
  /** Without a period, in small letters. */
  readonly weekdays: Readonly<Record<string, string>>
  /** Forms with a slash. One that ends with it stands before a word. */
  readonly slashed: Readonly<Record<string, string>>
  /** Words that people shorten when they chat. */
  readonly chat: Readonly<Record<string, string>>
  /** `máx` and its like, with their feminine forms, and a regular expression for the nouns before them. */
  readonly extremes: Readonly<Record<string, string>>
  readonly feminineNoun: string
  /** A regular expression: words that begin a sentence and no name. */
  readonly starters: string
  /** Regular expressions: the shapes of telephone numbers, and of those that may be counts. */
  readonly phones: string
  readonly shortPhones: string
  /** A regular expression: behind it a numeral of one letter counts. */
  readonly numeralNouns: string
  /** The decimal mark of a version, and the slash in the name of a law. */
  readonly point: string
  readonly of: string
  /** A unit behind a slash: `por mes` in 9,99 €/mes. */
  per(unit: string): string
  readonly perUnits: Readonly<Record<string, string>>
  /** Regular expressions. Before a score, behind it, and the word between its numbers. */
  readonly scoreBefore: string
  readonly scoreBehind: string
  readonly scoreJoint: string
  /** A character class of the marks between the numbers of a score. */
  readonly scoreMarks: string
  /** Before a mark out of ten: 9,5/10. */
  readonly over: string
  /** Abbreviations of centuries, as regular expressions, and their words. */
  readonly centuries: readonly (readonly [abbreviation: string, word: string])[]
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

/** "un minuto", "45 segundos". */
export const counter =
  ({ cardinal }: RomanceWords) =>
  (value: number, { forms, gender }: Counted): string =>
    `${cardinal(value, gender)} ${value === 1 ? forms.one : forms.other}`.replace('una ora', 'un’ora')

/** "entre 10-12 km", "tra 3-5 giorni". */
export const betweenBy =
  (to: string, and: string) =>
  (spoken: string, before: string): string =>
    /(?:^|\s)(?:entre|tra|fra)\s(?:l[aeo]s?|os|as|i|gli)?\s?$/i.test(before)
      ? spoken.replace(` ${to} `, ` ${and} `)
      : spoken

const NO_NOUN_STEM = /^(?:log|ln|cos|sen|sin|tan|exp|tg|lim)$/

/** The other form of a word by the ending that is written behind it: `alumnos/as`, `archivo(s)`, `studente/ssa`. */
export function otherForm(word: string, end: string): string | null {
  if (NO_NOUN_STEM.test(word)) return null
  if (end === 'ssa') return word.replace(/e?$/, 'essa')
  if (end === 'e' && /[cg]i$/.test(word)) return word.replace(/i$/, 'he')
  return end === 's' || end === 'es' ? `${word}${end}` : `${word.replace(/[oeiéa]s?$/, '')}${end}`
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
  /(?:^|[\s(])(?:el|la|al|del|de la|los|las|o|a|ao|à|do|da|no|na|os|as|il|lo|alla|della|nel|nella|dal|dalla|sul|sulla|un|una|um|uma|su|seu|sua|suo|i|gli|le|es|é|è|fue|foi|fu|quedó|ficou|arriva|arrivato|chiude|termina|terminó|terminou|acabó|chegou|chiuso|giunto|piazzato|finisce|come)\s$/iu

/** 3° is an ordinal number behind an article, and so are the first ones; others are degrees. */
export const isDegree = (value: number, hint: string, before: string): boolean =>
  hint === '°' && value > 5 && !ARTICLE.test(before)
