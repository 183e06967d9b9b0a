import { rulesOf } from '../european/european.ts'
import type { Words } from '../european/words.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import { datesInShort, datesWithYears, dayRanges, loneYears, weekdays, years } from './russian-dates.ts'
import {
  bare,
  type Case,
  cardinal,
  caseBehind,
  countedIn,
  date,
  decimal,
  fraction,
  halfOf,
  oblique,
  ordinal,
  ordinalForm,
  phone,
  time,
} from './russian-grammar.ts'
import {
  codes,
  compounds,
  feminineOrdinals,
  formulas,
  halves,
  laws,
  longNumbers,
  numerals,
  ordinals,
  places,
  romanOrdinals,
} from './russian-rules.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  ADDRESS_WORDS,
  BEFORE_NUMBERS,
  CURRENCIES,
  LETTERS,
  MAGNITUDES,
  MARKS,
  MONTH_FORMS,
  MONTH_NAMES,
  PER_UNITS,
  ROMAN_BEFORE,
  RULERS,
  SECTION_BEFORE,
  SENTENCE_ENDERS,
  STARTERS,
  SYMBOLS,
  UNITS,
} from './russian-words.ts'

export const russian = (): RuleBook => {
  const { rules, ...book } = rulesOf(words())
  return { ...book, rules: rules.map((one) => ({ ...one, read: inItsCase(one.read) })) }
}

const DECIMAL = /^[-−–+]?(?<whole>\d[\d \u00a0\u202f]{0,20}),(?<places>\d{1,6})(?!\d)/

const FRACTION = /^(?<top>\d{1,6})\/(?<bottom>\d{1,6})(?!\d)/

/** "до 7,4 %": "до семи целых четырёх десятых процента". "на 1/3": "на одну треть". */
const inItsCase =
  (read: Read): Read =>
  (groups, around, match) => {
    const answer = read(groups, around, match)
    if (answer === null) return null
    const grammaticalCase = DECIMAL.test(match) || FRACTION.test(match) ? caseBehind(around.before) : null
    const inCase = grammaticalCase === null ? null : changeOf(match, grammaticalCase)
    // A dash between spaces is a pause: "два-три дня", "со счётом три один".
    const change = (spoken: string) => (inCase?.(spoken) ?? spoken).replace(' – ', '-').replace('  ', ' ')
    return typeof answer === 'string' ? change(answer) : { ...answer, spoken: change(answer.spoken) }
  }

function changeOf(match: string, grammaticalCase: Case): (spoken: string) => string {
  const { whole, places = '' } = DECIMAL.exec(match)?.groups ?? {}
  const { top, bottom } = FRACTION.exec(match)?.groups ?? {}
  const written = whole?.replaceAll(/\D/g, '') ?? ''
  if (whole !== undefined)
    return (spoken) => spoken.replace(decimal(written, places), decimal(written, places, grammaticalCase))
  if (top === undefined) return (spoken) => spoken
  const [above, below] = [Number(top), Number(bottom)]
  return (spoken) => spoken.replace(fraction(above, below), fraction(above, below, grammaticalCase))
}

/** The data of the language. */
const DATA = {
  months: MONTH_FORMS,
  magnitudes: MAGNITUDES,
  currencies: CURRENCIES,
  units: UNITS,
  perUnits: PER_UNITS,
  marks: MARKS,
  saidAsWords: new Set<string>(),
  addressWords: ADDRESS_WORDS,
  acronyms: ACRONYMS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  romanBefore: ROMAN_BEFORE,
  rulers: RULERS,
  beforeUnits: ['за'],
  sectionBefore: SECTION_BEFORE,
  starters: STARTERS,
  plates: '[АВЕКМНОРСТУХ]\\d{3}[АВЕКМНОРСТУХ]{2} ?\\d{2,3}',
  platesAsNumbers: true,
  sentenceEnders: SENTENCE_ENDERS,
}

const words = (): Words => ({
  ...DATA,
  locale: 'ru',
  groupMarks: ' \u00a0\u202f\u2009.',
  minus: 'минус',
  plus: 'плюс',
  percent: 'процентов',
  to: '–',
  against: '',
  per: 'в',
  by: 'на',
  and: 'и ',
  amountAnd: '',
  cardinal,
  ordinal,
  ordinalHints: String.raw`-(?<hint>[а-яё]{1,3})(?![\p{L}\d])`,
  decimal,
  year: (value) => ordinalForm(value, 'masculine'),
  date,
  monthYear: (month, year) => `${MONTH_NAMES[month - 1]} ${ordinalForm(year, 'masculine-genitive')}`,
  dateJoint: ' ',
  time,
  timeMarks: '[:.]',
  timeWords: 'ч\\.?',
  fraction,
  halfOf,
  partOf: ({ forms }) => forms.other,
  perMany: 'на',
  bareUnit: ({ forms }) => oblique(forms.one ?? forms.other, 'accusative', true),
  square: (unit) => `${adjectiveFor(unit, 'квадратн')} ${unit}`,
  cubic: (unit) => `${adjectiveFor(unit, 'кубическ')} ${unit}`,
  letter: (letter) => LETTERS[letter.toLowerCase()] ?? letter,
  phone,
  counted: countedIn,
  bare,
  more: more(),
})

function adjectiveFor(unit: string, stem: string): string {
  if (/а$/.test(unit)) return `${stem}ого`
  if (/ов$/.test(unit)) return `${stem}ых`
  return `${stem}${stem.endsWith('к') ? 'ий' : 'ый'}`
}

function more(): Rule[] {
  return [
    ...laws(),
    ...places(),
    ...longNumbers(),
    ...datesInShort(),
    ...weekdays(),
    ...years(),
    ...datesWithYears(),
    ...dayRanges(),
    ...loneYears(),
    ...compounds(),
    ...feminineOrdinals(),
    ...ordinals(),
    ...codes(),
    ...numerals(),
    ...romanOrdinals(),
    ...formulas(),
    ...halves(),
  ]
}
