import type { Around, Rule } from '../scan.ts'

export type Gender = 'masculine' | 'feminine' | 'neuter'

/** A thing that is counted: its forms by CLDR's plural categories and its gender. */
export interface Counted {
  readonly forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
  readonly gender: Gender
}

export interface Currency extends Counted {
  readonly part?: Counted
}

/** A word between a number and the thing that is counted: "3 millones de euros". */
export interface Magnitude {
  /** A regular expression without groups. */
  readonly pattern: string
  readonly word: Counted
  /** With its space: `de `. */
  readonly joint?: string
}

/** The words and the grammar of a language that writes numbers with a comma as decimal mark. */
export interface Words {
  /** A file of `cldr-rbnf`, and a locale of `pluralOf`. */
  readonly locale: string
  /** Between groups of three digits. */
  readonly groupMarks: string
  readonly minus: string
  readonly plus: string
  readonly percent: string
  readonly to: string
  /** Between the two numbers of a score or a ratio. Absent: as `to`. */
  readonly against?: string
  readonly per: string
  /** "l/100 km". Absent: as `per`. */
  readonly perMany?: string
  /** Words before a unit that has no number, "pro kg". */
  readonly beforeUnits?: readonly string[]
  /** The form of such a unit. Absent: its singular. Null: it is no unit here. */
  readonly bareUnit?: (unit: Counted, word: string, before: string) => string | null
  readonly by: string
  /** Between a whole number and a fraction. */
  readonly and: string
  /** Between an amount and its hundredths. */
  readonly amountAnd: string
  /** Joins a magnitude's `joint` to its word: "d'euros". Absent: they stand side by side. */
  readonly elide?: (joint: string, word: string) => string
  /** "1/2" before a unit with a gender, or before other text. Absent or null: as a fraction. */
  readonly halfOf?: (around: Around, gender?: Gender, unit?: string) => string | null
  /** A unit behind a fraction that may follow a whole number. Absent: its singular. */
  readonly partOf?: (unit: Counted, isOnlyPart: boolean) => string
  /** A whole number with its unit or currency by the words beside it. Null: the number and its usual form. */
  readonly counted?: (value: number, thing: Counted, around: Around) => string | null
  cardinal(value: number, gender?: Gender): string
  /** @param hint the letters behind the number, such as `er`, `º` or `го`, or `ruler` for the number of a king */
  ordinal(value: number, hint?: string, before?: string): string
  /** Marks an ordinal, with a group `hint`. */
  readonly ordinalHints: string
  /** @param places the digits behind the decimal mark */
  decimal(whole: string, places: string): string
  year(value: number): string
  date(day: number, month: number, year: number | null, before: string, after: string): string
  monthYear(month: number, year: number): string
  /** The forms of each month. */
  readonly months: readonly (readonly string[])[]
  /** Between a day, its month and its year. */
  readonly dateJoint: string
  time(hour: number, minute: number, second: number | null, before: string): string
  readonly timeMarks: string
  /** Behind a time: "Uhr". */
  readonly timeWords: string
  /** Null: it is not read as a fraction. */
  fraction(top: number, bottom: number): string | null
  readonly magnitudes: readonly Magnitude[]
  readonly currencies: Readonly<Record<string, Currency>>
  readonly units: Readonly<Record<string, Counted>>
  square(unit: string, isPlural: boolean): string
  cubic(unit: string, isPlural: boolean): string
  readonly perUnits: Readonly<Record<string, string>>
  /** The marks of addresses of the Internet. */
  readonly marks: Readonly<Record<string, string>>
  letter(letter: string): string
  /** Short parts of addresses that are not spelled. */
  readonly saidAsWords: ReadonlySet<string>
  /** Parts of addresses that are said in other letters. */
  readonly addressWords?: Readonly<Record<string, string>>
  /** Endings of file names that are said in other letters. */
  readonly fileWords?: Readonly<Record<string, string>>
  /** If a part of an address is said as a word. Absent: the long ones are, and those of `saidAsWords`. */
  readonly isSaid?: (label: string) => boolean
  /** Acronyms of two or three letters, or without a vowel, are spelled unless they are among these. Absent: all stay. */
  readonly acronyms?: ReadonlySet<string>
  readonly symbols: Readonly<Record<string, string>>
  /** With a period, or without. */
  readonly abbreviations: Readonly<Record<string, string>>
  /** Abbreviations that may end a sentence before another one. */
  readonly sentenceEnders?: ReadonlySet<string>
  /** A regular expression: the start of a sentence behind an abbreviation. Absent: any capital letter. */
  readonly sentenceStart?: string
  /** A regular expression: words that begin a sentence and no name. */
  readonly starters?: string
  /** A spoken range by the words before it: "entre diez y doce". */
  readonly ranged?: (spoken: string, before: string, written: string, after: string) => string
  /** A regular expression: number plates of cars. */
  readonly plates?: string
  /** Their digits are said as numbers, not one by one. */
  readonly platesAsNumbers?: boolean
  /** A regular expression: before the number of a section, "3.2". */
  readonly sectionBefore?: string
  readonly beforeNumbers: Readonly<Record<string, string>>
  /** A regular expression: before a Roman numeral that is read as a cardinal number. */
  readonly romanBefore: string
  /** A regular expression: names of rulers, before a Roman numeral that is an ordinal number. */
  readonly rulers: string
  /** The country code of a telephone number. Absent: as `phone`. */
  readonly country?: (number: string) => string
  /** A group of digits of a telephone number. Absent: digit by digit. */
  readonly phone?: (number: string) => string
  /** A whole number by the words beside it, such as a year or the gender of a noun. Null: as it is said by itself. */
  readonly bare?: (value: number, around: Around, written: string) => string | null
  /** Tried before the shared rules. */
  readonly more?: readonly Rule[]
}
