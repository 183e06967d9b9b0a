import { rulesOf } from '../european/european.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { spell } from '../number-rules.ts'
import { keepingSentenceEnd, listRule, oneOf, romanValue, rule, wordRule } from '../rules.ts'
import type { Around, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  BEFORE_NUMBERS,
  CURRENCIES,
  DAYS,
  DECADES,
  FEMININE,
  MAGNITUDES,
  MARKS,
  MONTH_FORMS,
  MONTHS,
  PER_UNITS,
  ROMAN_BEFORE,
  RULERS,
  SAID_AS_WORDS,
  SECTION_BEFORE,
  STARTERS,
  SYMBOLS,
  UNITS,
} from './french-words.ts'

/** "1° Le but", "le 6° régiment": a numeral with a degree sign is an ordinal number at the start, and behind an article. */
const ORDINAL_BEFORE = /(?:^|(?:^|\s)(?:les?|la|du|aux?|des|ce|cette|son|sa)\s|[.;:\n]\s)$/i

const MARK_BEFORE = /(?:note|noté|avis|score|moyenne|évaluation|obtenu|eu|mérite|vaut)e?s? ?:? (?:de )?$/i

export const french = (): RuleBook => rulesOf(words())

/** The data of the language. */
const DATA = {
  months: MONTH_FORMS,
  magnitudes: MAGNITUDES,
  currencies: CURRENCIES,
  units: UNITS,
  perUnits: PER_UNITS,
  marks: MARKS,
  saidAsWords: SAID_AS_WORDS,
  acronyms: ACRONYMS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  romanBefore: ROMAN_BEFORE,
  rulers: RULERS,
  sectionBefore: SECTION_BEFORE,
  sentenceEnders: new Set([
    'etc.',
    'suiv.',
    'av. J.-C.',
    'apr. J.-C.',
    'ap. J.-C.',
    'max.',
    'min.',
    'hab.',
    'pers.',
    'arr.',
  ]),
  beforeUnits: ['par', 'de', 'le', 'la', 'du', 'au'],
}

const words = (): Words => ({
  ...DATA,
  locale: 'fr',
  groupMarks: ' \u00a0\u202f\u2009.',
  minus: 'moins',
  plus: 'plus',
  percent: 'pour cent',
  to: 'à',
  per: 'par',
  by: 'sur',
  and: 'et ',
  amountAnd: '',
  elide,
  halfOf,
  partOf: ({ forms: { one, other } }, isOnlyPart) => (isOnlyPart ? elide('de ', one ?? other) : (one ?? other)),
  perMany: 'pour',
  bareUnit,
  cardinal,
  ordinal,
  ordinalHints: String.raw`(?<hint>ers?|ères?|res?|nde?s?|[èe]mes?|es?|ᵉʳ|ʳᵉ|ᵉ|°|º)(?![\p{L}\d])`,
  decimal: (whole, digits) => `${cardinal(Number(whole))} virgule ${places(digits)}`,
  year: (value) => cardinal(value),
  date: (day, month, year) => `${dayOf(day)} ${MONTHS[month - 1]}${year === null ? '' : ` ${cardinal(year)}`}`,
  monthYear: (month, year) => `${MONTHS[month - 1]} ${cardinal(year)}`,
  dateJoint: ' ',
  time,
  timeMarks: '[:.h]| ?h ?',
  timeWords: 'h|heures?',
  fraction,
  square: (unit, isPlural) => `${unit} carré${isPlural ? 's' : ''}`,
  cubic: (unit, isPlural) => `${unit} cube${isPlural ? 's' : ''}`,
  letter: (letter) => letter,
  starters: STARTERS,
  plates: String.raw`[A-Z]{2}-\d{3}-[A-Z]{2}`,
  platesAsNumbers: true,
  phone,
  bare,
  more: more(),
})

const more = (): Rule[] => [
  ...dates(),
  ...timesAndScores(),
  ...counts(),
  ...marksAndDecades(),
  ...degrees(),
  ...halves(),
  ...sportsTimes(),
  ...codes(),
  ...sizesAndDays(),
]

const elide = (joint: string, word: string): string =>
  joint === 'de ' && /^[aeiouéèêyh]/i.test(word) ? `d'${word}` : `${joint}${word}`

/** "des millions de km", "3 euros le kg", "par kg". */
function bareUnit({ forms }: Counted, word: string, before: string): string | null {
  if (word === 'de') return /(?:millions|milliers|milliards|centaines|dizaines) $/.test(before) ? forms.other : null
  const isPriced = word === 'par' || /(?:€|euros?|centimes?|francs?|dollars?|prix) $/.test(before)
  return isPriced ? (forms.one ?? forms.other) : null
}

function halfOf({ after }: Around, gender?: Gender): string {
  if (gender === undefined && /^ (?:des|du|de la|de l['’])(?!\p{L})/u.test(after)) return 'la moitié'
  return gender === 'feminine' || FEMININE.test(after.slice(1)) ? 'une demi' : 'un demi'
}

function cardinal(value: number, gender?: Gender): string {
  return spell('fr', `spellout-cardinal-${gender === 'feminine' ? 'feminine' : 'masculine'}`, value)
}

function ordinal(value: number, hint = '', before = ''): string {
  if (hint === 'ruler')
    return value === 1 ? (/(?:e|th)$/.test(before) && !/^Pie/.test(before) ? 'première' : 'premier') : cardinal(value)
  if (hint === '°' && (value > 20 || !ORDINAL_BEFORE.test(before))) return `${cardinal(value)} degrés`
  const isFeminine = /^(?:re|ʳᵉ|ère|nde|ª)/.test(hint)
  const isPlural = hint.endsWith('s')
  if (value === 2 && hint.startsWith('nd')) return `second${isFeminine ? 'e' : ''}${isPlural ? 's' : ''}`
  return spell('fr', `spellout-ordinal-${isFeminine ? 'feminine' : 'masculine'}${isPlural ? '-plural' : ''}`, value)
}

const dayOf = (value: number): string => (value === 1 ? 'premier' : cardinal(value))

const digitsOf = (number: string): string => Array.from(number, (digit) => cardinal(Number(digit))).join(' ')

/** Behind the comma: zeros one by one, then a number; four digits by pairs. */
function places(digits: string): string {
  const zeros = /^0*/.exec(digits)?.[0] ?? ''
  const rest = digits.slice(zeros.length)
  if (rest.length <= 3) return [digitsOf(zeros), rest === '' ? '' : cardinal(Number(rest))].filter(Boolean).join(' ')
  if (digits.length % 2 === 1 || zeros !== '') return digitsOf(digits)
  return (digits.match(/../g) ?? [])
    .map((pair) => (pair.startsWith('0') ? digitsOf(pair) : cardinal(Number(pair))))
    .join(' ')
}

const part = (value: number, name: string): string => `${cardinal(value, 'feminine')} ${name}${value < 2 ? '' : 's'}`

function time(hour: number, minute: number, second: number | null): string {
  const hours = `${cardinal(hour, 'feminine')} heure${hour < 2 ? '' : 's'}`
  if (second === null) return minute === 0 ? hours : `${hours} ${cardinal(minute, 'feminine')}`
  return `${hours} ${part(minute, 'minute')} ${part(second, 'seconde')}`
}

const PARTS: Readonly<Record<number, string>> = { 2: 'demi', 3: 'tiers', 4: 'quart' }

function fraction(top: number, bottom: number): string {
  if (top === 24 && bottom === 7) return `${cardinal(top)} ${cardinal(bottom)}`
  // Marks at school are out of twenty.
  if (bottom < 2 || bottom > 1000 || bottom === 20 || top === bottom || (top > 30 && top > bottom))
    return `${cardinal(top)} sur ${cardinal(bottom)}`
  const part = PARTS[bottom] ?? spell('fr', 'spellout-ordinal-masculine', bottom)
  return `${cardinal(top)} ${part}${top > 1 && bottom !== 3 ? 's' : ''}`
}

/** Groups of a telephone number are numbers, behind zeros. */
function phone(number: string): string {
  if (number.length > 3) return digitsOf(number)
  const zeros = /^0+(?=.)/.exec(number)?.[0] ?? ''
  return [digitsOf(zeros), cardinal(Number(number.slice(zeros.length)))].filter(Boolean).join(' ')
}

/** "21 filles": vingt et une. */
function bare(value: number, { after }: Around): string | null {
  // "le 21 rue Voltaire" is an address.
  const isCounted = value === 1 || /^ \p{L}+(?: \p{L}+)?[sx](?!\p{L})/u.test(after)
  return value % 10 === 1 && isCounted && FEMININE.test(after.slice(1)) ? cardinal(value, 'feminine') : null
}

function dates(): Rule[] {
  const months = oneOf(MONTH_FORMS.flat())
  return [
    // "XIXe siècle", "François Ier".
    wordRule(
      'roman',
      Array.from('IVX'),
      String.raw`(?<numeral>[IVX]{1,6})(?<hint>er|ère|re|ᵉʳ|ʳᵉ|e|è|ème|ᵉ)s?(?!\p{L})`,
      ({ numeral = '', hint }) => {
        const value = romanValue(numeral)
        return value === null ? null : ordinal(value, hint)
      },
    ),
    // "les 17/18/19 mars".
    rule(
      'date',
      'digit',
      String.raw`(?<days>\d{1,2}(?:[-/]\d{1,2}){1,3}) (?<month>${months})(?!\p{L})\.?(?: (?<year>\d{4})(?!\d))?`,
      ({ days = '', month = '', year }) => {
        const name = MONTHS[MONTH_FORMS.findIndex((forms) => forms.includes(month))]
        const said = days.split(/[-/]/).map((day) => dayOf(Number(day)))
        return `${said.join(' ')} ${name}${year === undefined ? '' : ` ${cardinal(Number(year))}`}`
      },
    ),
    rule('date', 'digit', String.raw`(?<day>\d{2})\.(?<month>0[1-9]|1[0-2])(?!\d|[.,]\d)`, ({ day, month }) =>
      Number(day) <= 31 && Number(day) > 0 ? `${dayOf(Number(day))} ${MONTHS[Number(month) - 1]}` : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})\/(?<month>0?[1-9]|1[0-2])(?![\d/\p{L}]|,\d| d(?:e|es|u)\b| d['’])`,
      ({ day, month }, { before }) =>
        Number(day) <= 31 && /\b(?:le|du|au|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\s$/i.test(before)
          ? `${dayOf(Number(day))} ${MONTHS[Number(month) - 1]}`
          : null,
    ),
  ]
}

function timesAndScores(): Rule[] {
  return [
    // "13h30-14h".
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}) ?h ?(?<minute>[0-5]\d)? ?[-–] ?(?=\d{1,2} ?h)`,
      ({ hour, minute }) => (Number(hour) < 25 ? `${time(Number(hour), Number(minute ?? 0), null)} à ` : null),
    ),
    // "9 h 05".
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}) ?h ?(?<minute>[0-5]\d)(?![\p{L}\d]|[,.]\d| ?(?:min|mn|km|€|%))`,
      ({ hour, minute }) => (Number(hour) < 25 ? time(Number(hour), Number(minute), null) : null),
    ),
    // "de 9h à 17h".
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}) ?h(?![\p{L}\d])`, ({ hour }) =>
      Number(hour) < 25 ? time(Number(hour), 0, null) : null,
    ),
    rule(
      'decimal',
      'digit',
      String.raw`(?<a>\d{1,3}),(?<b>\d{1,2})\/(?=\d)`,
      ({ a = '', b = '' }) => `${cardinal(Number(a))} virgule ${places(b)} sur `,
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,2}) ?[-–] ?(?<b>\d{1,2})(?![\d\p{L}]|[-–/.,]\d| ?=)`,
      ({ a, b }, { before }) =>
        Number(a) >= Number(b) && !/[\p{L}\d-]$/u.test(before)
          ? `${cardinal(Number(a))} à ${cardinal(Number(b))}`
          : null,
    ),
  ]
}

function counts(): Rule[] {
  return [
    // "plus de 1 000 000": "plus d'un million".
    wordRule(
      'cardinal',
      ['de'],
      String.raw`de (?=1(?:[ \u00a0\u202f.]000[ \u00a0\u202f.]000(?!\d)| (?:million|milliard|heure|an|mois|personne)(?!\p{L})))`,
      (_groups, { before }) => (/(?:plus|moins|près|autour)\s$/i.test(before) ? "d'" : null),
    ),
    // "la guerre de 14-18".
    rule('date', 'digit', String.raw`(?:14[-–]18|39[-–]45)(?![\d\p{L}]|[-–/,.]\d)`, (_groups, { before }, match) =>
      /(?:guerre|en|de|après|avant|pendant)\s(?:de\s)?$/i.test(before)
        ? match
            .split(/[-–]/)
            .map((year) => cardinal(Number(year)))
            .join(' ')
        : null,
    ),
    // "3x par jour".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,3}) ?[xX×](?= \p{L}|\/|[,.;!?)]|\s*$)`,
      ({ number }) => `${cardinal(Number(number))} fois`,
    ),
  ]
}

function marksAndDecades(): Rule[] {
  return [
    // "fin de 08/2024": "fin d'août".
    wordRule(
      'date',
      ['de'],
      String.raw`de (?=(?:0?[48]|10)\/(?:19|20)\d\d(?!\d)|(?:avril|août|aout|octobre)(?!\p{L}))`,
      () => "d'",
    ),
    // "8/10" of a mark, but "3/10 des gens".
    rule(
      'fraction',
      'digit',
      String.raw`(?<mark>\d{1,2})\/(?<most>5|10|20|100)(?![\d/\p{L}]|,\d| d(?:e|es|u)(?!\p{L})| d['’])`,
      ({ mark, most }, { before, after }) => {
        const isMark = most === '10' ? before + after !== '' : MARK_BEFORE.test(before)
        return isMark && Number(mark) <= Number(most) && !/[\d/,] ?$/.test(before)
          ? `${cardinal(Number(mark))} sur ${cardinal(Number(most))}`
          : null
      },
    ),
    // "les 80s", which is said in English; "les années 1980s".
    rule('date', 'digit', String.raw`(?<century>1[89]|20)?(?<decade>[2-9]0)s(?![\p{L}\d])`, (groups, { before }) => {
      const { century = '', decade = '' } = groups
      if (!/(?:les|des|aux|années|ans|début|fin|milieu)\s$/i.test(before)) return null
      return century === '' ? (DECADES[decade] ?? null) : cardinal(Number(`${century}${decade}`))
    }),
  ]
}

function degrees(): Rule[] {
  return [
    // "-5°".
    rule(
      'measure',
      'symbol',
      String.raw`(?<sign>[-−+])(?<number>\d{1,3}) ?°(?![CF\d])`,
      ({ sign, number }, { before }) =>
        /[\p{L}\d)]$/u.test(before) ? null : `${sign === '+' ? 'plus' : 'moins'} ${cardinal(Number(number))} degrés`,
    ),
    rule(
      'measure',
      'digit',
      String.raw`(?<a>\d{1,3}),(?<b>\d{1,2}) ?°(?![CF\d])`,
      ({ a, b = '' }) => `${cardinal(Number(a))} virgule ${places(b)} degrés`,
    ),
  ]
}

function halves(): Rule[] {
  return [
    // "2 1/2 heures": "deux heures et demie".
    rule(
      'fraction',
      'digit',
      String.raw`(?<whole>\d{1,4}) ?(?:1\/2|½)(?: (?<noun>(?!(?:de|du|des|et|à|au|en|sur|par|pour|ou|à|fois)(?!\p{L}))\p{L}{1,20}))?(?![\p{L}\d/])`,
      ({ whole = '', noun }) => {
        const value = Number(whole)
        if (noun === undefined) return `${cardinal(value)} et demi`
        const unit = UNITS[noun]
        const isFeminine = unit === undefined ? FEMININE.test(noun) : unit.gender === 'feminine'
        const name = unit === undefined ? noun : value < 2 ? unit.forms.one : unit.forms.other
        return `${cardinal(value, isFeminine ? 'feminine' : 'masculine')} ${name} et demi${isFeminine ? 'e' : ''}`
      },
    ),
  ]
}

function sportsTimes(): Rule[] {
  return [
    // "10''02".
    rule(
      'time',
      'digit',
      String.raw`(?<seconds>\d{1,2})(?:''|’’|["”″])(?<places>\d{1,2})(?!\d)`,
      ({ seconds, places: rest = '' }) => `${part(Number(seconds), 'seconde')} ${places(rest)}`,
    ),
    // "3'45''", "3'42''8".
    rule(
      'time',
      'digit',
      String.raw`(?<minutes>\d{1,3}) ?['’′] ?(?<seconds>\d\d)(?:(?:''|’’|["”″])(?<places>\d{1,2})?)?(?![\p{L}\d])`,
      ({ minutes, seconds, places: rest }) =>
        `${part(Number(minutes), 'minute')} ${part(Number(seconds), 'seconde')}${rest === undefined ? '' : ` ${places(rest)}`}`,
    ),
    // "le relais 4x100 m".
    rule(
      'measure',
      'digit',
      String.raw`(?<number>\d{1,2}) ?[x×] ?(?=\d{2,4} ?m(?!\p{L}))`,
      ({ number }) => `${cardinal(Number(number))} fois `,
    ),
  ]
}

function codes(): Rule[] {
  return [
    // "0 800 123 456".
    rule(
      'telephone',
      'digit',
      String.raw`0 8\d\d(?: \d{3}){2}(?!\d)|0 8\d\d(?: \d\d){3}(?!\d)`,
      (_groups, _around, match) => match.split(' ').map(phone).join(' '),
    ),
    // "art. L. 121-1".
    wordRule(
      'serial',
      Array.from('ADLR'),
      String.raw`(?<letter>[ADLR])\. ?(?=\d{1,4}-\d)`,
      ({ letter }) => `${letter} `,
    ),
    rule('telephone', 'digit', String.raw`0[1-9]\d{8}(?!\d)`, (_groups, _around, match) =>
      (match.match(/\d\d/g) ?? []).map(phone).join(', '),
    ),
  ]
}

function sizesAndDays(): Rule[] {
  const days = oneOf(Object.keys(DAYS))
  return [
    // "1m80".
    rule(
      'measure',
      'digit',
      String.raw`(?<metres>\d) ?m ?(?<rest>\d\d)(?![\p{L}\d])`,
      ({ metres, rest = '' }) =>
        `${cardinal(Number(metres))} mètre${metres === '1' || metres === '0' ? '' : 's'} ${places(rest)}`,
    ),
    // "mar.-dim.".
    listRule(
      'date',
      Object.keys(DAYS),
      String.raw`(?<from>${days})\.? ?[-–] ?(?<to>${days})(?!\p{L})\.?`,
      ({ from = '', to = '' }, around, match) => keepingSentenceEnd(match, around, `${DAYS[from]} à ${DAYS[to]}`),
    ),
    // "le XV de France".
    wordRule(
      'roman',
      Array.from('XVI'),
      "(?<numeral>[XVI]{2,5})(?= (?:de|du|d['’]))",
      ({ numeral = '' }, { before }) => {
        const value = romanValue(numeral)
        return value !== null && value > 10 && /(?:^|\s)(?:le|du|au)\s$/i.test(before) ? cardinal(value) : null
      },
    ),
  ]
}
