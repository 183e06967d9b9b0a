import { DASH, END, endsSentence, inAnyCase, keepingSentenceEnd, listRule, rule } from '../rules.ts'
import type { Groups, Read, Rule, RuleAnswer } from '../scan.ts'
import { cardinal, decade, digits, ordinal, shortYear, spellOut, year } from './numbers.ts'
import { MONTHS, SHORT_MONTHS, WEEKDAYS } from './words.ts'

const MONTH_NAMES = inAnyCase([...MONTHS, ...SHORT_MONTHS])
const WEEKDAY_NAMES = inAnyCase(Object.keys(WEEKDAYS))
/** Letters that may be a name. The tables say which are: a pattern of all names compiles slowly. */
const MONTH_LETTERS = '[ADFJMNOSadfjmnos][A-Za-z]{2,8}'
const DAY_LETTERS = '[FMSTWfmstw][A-Za-z]{2,4}'
/** A day is followed by one of these. */
const BEHIND_DAY = new Set([...MONTH_NAMES, 'st', 'nd', 'rd', 'th', 'of', 'to', 'and'])
const MONTH = String.raw`(?<month>${MONTH_LETTERS})(?!\p{L})\.?`
const WEEKDAY = String.raw`(?<weekday>${DAY_LETTERS})(?!\p{L})\.?,? `
const ERA_NAME = String.raw`(?<era>A\.?D\.?|B\.?C\.?E?\.?|C\.?E\.?)(?!\p{L})`
const ERA = `(?: ?${ERA_NAME})?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)`
const YEAR = String.raw`(?<year>\d{3,4}|['’]\d\d)(?![\p{L}\d]|[:,.]\d)`
const TEENS_TO_NOW = String.raw`1[0-9]\d\d|20\d\d`

const DATE_BEFORE = /\b(?:on|until|till|thru|since|dated|due|expires?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?)\s$/i
/** Also before fractions: "by 1/3". */
const EDGE_BEFORE = /\b(?:by|from|through|before|after|to)\s$/i

/** @param isDayFirst in numbers with slashes */
export const dates = (isDayFirst: boolean): Rule[] => [
  ...writtenDates(),
  ...shortNames(),
  ...numericDates(isDayFirst),
  ...decades(),
  ...eras(),
]

const isDay = (day: string | undefined): boolean => Number(day) >= 1 && Number(day) <= 31
const isWeekday = (written: string | undefined): boolean => written === undefined || DAY_OF.has(written)
const isMonth = (month: string | undefined): boolean => Number(month) >= 1 && Number(month) <= 12

const MONTH_OF: ReadonlyMap<string, string> = new Map(
  MONTH_NAMES.map((name) => [
    name,
    MONTHS.find((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) as string,
  ]),
)
const DAY_OF: ReadonlyMap<string, string> = new Map(
  WEEKDAY_NAMES.map((name) => [name, WEEKDAYS[name.toLowerCase()] as string]),
)

function yearOf(written: string | undefined): string {
  if (written === undefined) return ''
  const number = written.replace(/['’]/, '')
  return ` ${number.length > 2 ? year(number) : number.startsWith('0') ? digits(number) : shortYear(number)}`
}

const weekdayOf = (written: string | undefined): string => (written === undefined ? '' : `${DAY_OF.get(written)}, `)

/** Letter by letter, because "AD" is a word to engines. */
const eraOf = (written: string | undefined): string =>
  written === undefined ? '' : ` ${spellOut(written.replaceAll('.', ''))}`

/** Null for other words, and for "may", which is a verb unless a capital letter or a year says otherwise. */
const monthOf = (month: string, written: string | undefined): string | null =>
  month === 'may' && written === undefined ? null : (MONTH_OF.get(month) ?? null)

function writtenDates(): Rule[] {
  return [
    // "Mon, 5 May 2025", "25th of July, 2012".
    listRule('date', WEEKDAY_NAMES, `${WEEKDAY}${DAY} (?:of )?${MONTH}(?:,? ?${YEAR}${ERA})?`, readDayMonth),
    {
      ...rule('date', 'digit', `${DAY}[ -](?:of )?${MONTH}(?![-\\p{L}])(?:,? ?${YEAR}${ERA})?`, readDayMonth),
      wordsBehind: BEHIND_DAY,
    },
    rule('date', 'digit', `${DAY}-${MONTH}-(?<year>\\d{4}|\\d\\d)${END}`, readDayMonth),
    // "5–7 May", "5 May – 7 June" is two dates.
    {
      ...rule(
        'date',
        'digit',
        `(?<from>\\d{1,2})(?:st|nd|rd|th)?(?: ?${DASH} ?|\\/| to | and )${DAY} (?:of )?${MONTH}(?![-\\p{L}])(?:,? ?${YEAR})?`,
        readDays,
      ),
      wordsBehind: BEHIND_DAY,
    },
    listRule(
      'date',
      MONTH_NAMES,
      `${MONTH} (?<from>\\d{1,2})(?:st|nd|rd|th)? ?${DASH} ?${DAY}(?![/:.]\\d)(?:,? ${YEAR})?`,
      readMonthDays,
    ),
    listRule(
      'date',
      WEEKDAY_NAMES,
      `${WEEKDAY}${MONTH} ${DAY}(?:,? (?<year>\\d{4})(?![\\d:,.]\\d)${ERA})?${END}`,
      readMonthDay,
    ),
    listRule('date', MONTH_NAMES, `${MONTH} ${DAY}(?:,? ?(?<year>\\d{4})(?![\\d:,.]\\d)${ERA})?${END}`, readMonthDay),
    listRule(
      'date',
      MONTH_NAMES,
      `${MONTH},? (?<year>${TEENS_TO_NOW}|[3-9]\\d\\d(?= ?(?:AD|BC|CE)))${END}(?![,.]\\d)`,
      readMonthYear,
    ),
  ]
}

function shortNames(): Rule[] {
  return [
    listRule(
      'date',
      WEEKDAY_NAMES,
      `(?<from>${DAY_LETTERS})\\.? ?${DASH} ?(?<to>${DAY_LETTERS})(?!\\p{L})\\.?`,
      ({ from = '', to = '' }, around, match) =>
        DAY_OF.has(from) && DAY_OF.has(to)
          ? keepingSentenceEnd(match, around, `${DAY_OF.get(from)} to ${DAY_OF.get(to)}`)
          : null,
    ),
    listRule(
      'date',
      SHORT_MONTHS,
      `(?<from>${MONTH_LETTERS})\\.? ?[-–] ?(?<to>${MONTH_LETTERS})(?!\\p{L})\\.?`,
      ({ from = '', to = '' }, around, match) => {
        const [first, last] = [MONTH_OF.get(from), MONTH_OF.get(to)]
        if (!SHORT_MONTHS.includes(from) || first === undefined || last === undefined) return null
        return /^ \d/.test(around.after)
          ? { spoken: `${first} to `, length: match.lastIndexOf(to) }
          : keepingSentenceEnd(match, around, `${first} to ${last}`)
      },
    ),
    listRule('date', WEEKDAY_NAMES, `(?<day>${DAY_LETTERS})\\.(?!\\p{L})`, ({ day = '' }, { before, after }) =>
      /^(?:sat|sun)$/.test(day) || endsSentence(after) || !/(?:^|[a-z,(])\s?$/.test(before)
        ? null
        : (DAY_OF.get(day) ?? null),
    ),
    listRule('date', SHORT_MONTHS, `(?<month>${MONTH_LETTERS})\\.(?!\\p{L})`, ({ month = '' }, { before, after }) =>
      SHORT_MONTHS.includes(month) && /(?:^|[a-z,(–-])\s?$/.test(before) && !endsSentence(after)
        ? (MONTH_OF.get(month) ?? null)
        : null,
    ),
  ]
}

const readMonthDay: Read = ({ weekday, month = '', day = '', year: written, era }, around, match) => {
  const { after } = around
  const name = monthOf(month, written)
  if (name === null || !isDay(day) || !isWeekday(weekday)) return null
  if (written === undefined && /^(?:[%:/\p{L}]|[.,-]\d| (?:percent|million|people|years|times)\b)/u.test(after))
    return null
  return keepingSentenceEnd(
    match,
    around,
    `${weekdayOf(weekday)}${name} ${ordinal(day)}${yearOf(written)}${eraOf(era)}`,
  )
}

const readDayMonth: Read = ({ weekday, day = '', month = '', year: written, era }, around, match) => {
  const name = monthOf(month, written)
  if (name === null || !isDay(day) || !isWeekday(weekday)) return null
  const article = /\b(?:the|this|that|every|each)\s$/i.test(around.before) ? '' : 'the '
  const said = `${article}${ordinal(day)} of ${name}`
  return keepingSentenceEnd(match, around, `${weekdayOf(weekday)}${said}${yearOf(written)}${eraOf(era)}`)
}

const readDays: Read = ({ from = '', day = '', month = '', year: written }, around, match) => {
  const name = monthOf(month, written)
  if (name === null || !isDay(from) || !isDay(day)) return null
  const article = /\bthe\s$/i.test(around.before) ? '' : 'the '
  const joint = match.includes(' and ') ? 'and' : 'to'
  const said = `${article}${ordinal(from)} ${joint} ${article}${ordinal(day)} of ${name}${yearOf(written)}`
  return keepingSentenceEnd(match, around, said)
}

const readMonthDays: Read = ({ month = '', from = '', day = '', year: written }) => {
  const name = monthOf(month, written)
  return name !== null && isDay(from) && isDay(day)
    ? `${name} ${ordinal(from)} to ${ordinal(day)}${yearOf(written)}`
    : null
}

const readMonthYear: Read = ({ month = '', year: written }) => {
  const name = month === 'may' || month === 'march' ? null : monthOf(month, written)
  return name === null ? null : `${name}${yearOf(written)}`
}

function numericDates(isDayFirst: boolean): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d|[-/]\d)(?:T(?=\d\d:))?`,
      ({ year: written, mark, month = '', day = '' }) =>
        isMonth(month) && isDay(day) ? inOrder(mark === '/', month, day, written) : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<a>\d{1,2})(?<mark>[-/.])(?<b>\d{1,2})\k<mark>(?<year>\d{4}|\d\d)(?!\d|[-/.]\d)`,
      (groups) => readNumericDate(groups, isDayFirst),
    ),
    // "by 12/31".
    rule(
      'date',
      'digit',
      String.raw`(?<month>0?[1-9]|1[0-2])\/(?<day>\d{1,2})(?![\d/\p{L}]|\.\d)`,
      ({ month = '', day = '' }, { before }) =>
        isDay(day) && (DATE_BEFORE.test(before) || (EDGE_BEFORE.test(before) && !/^(?:[2-68]|10)$/.test(day)))
          ? `${MONTHS[Number(month) - 1]} ${ordinal(day)}`
          : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])(?![\d-])`,
      // "2001-05" are years, unless the second one would be the earlier one.
      ({ year: written = '', month = '' }) =>
        month > written.slice(2) ? null : `${MONTHS[Number(month) - 1]}${yearOf(written)}`,
    ),
  ]
}

/** The order that the country writes, unless it cannot be a date. */
function readNumericDate({ a = '', b = '', mark, year: written = '' }: Groups, isDayFirst: boolean): RuleAnswer {
  const isMonthFirst = mark === '/' && isMonth(a) && isDay(b) && !(isDayFirst && isMonth(b))
  const [month, day] = isMonthFirst ? [a, b] : [b, a]
  if (!isMonth(month) || !isDay(day) || (written.length === 2 && mark !== '/')) return null
  return inOrder(isMonthFirst, month, day, written)
}

function inOrder(isMonthFirst: boolean, month: string, day: string, written: string | undefined): string {
  const name = MONTHS[Number(month) - 1]
  return isMonthFirst ? `${name} ${ordinal(day)}${yearOf(written)}` : `the ${ordinal(day)} of ${name}${yearOf(written)}`
}

function decades(): Rule[] {
  return [
    // "1960s-80s".
    rule(
      'date',
      'digit',
      String.raw`(?<from>\d{3}0|\d0)(?:['’]?s)? ?${DASH} ?['’]?(?<to>\d{3}0|\d0)['’]?s${END}`,
      ({ from = '', to = '' }) => `${decade(from)} to ${decade(to)}`,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<decade>\d{3}0|[1-9]0|[1-9]00)['’]?s${END}`,
      ({ decade: written = '' }, { before }) => (/[$£€¥#]$/.test(before) ? null : decade(written)),
    ),
    rule('date', 'symbol', String.raw`['’](?<decade>\d0)s${END}`, ({ decade: written = '' }) => decade(written)),
    // "the class of '98".
    rule('date', 'symbol', String.raw`['’](?<year>\d\d)(?![\p{L}\d'’])`, ({ year: written = '' }, { before }) =>
      /\p{L} $/u.test(before) ? shortYear(written) : null,
    ),
  ]
}

function eras(): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<from>\d{1,4}) ?${DASH} ?(?<to>\d{1,4}) ?${ERA_NAME}`,
      ({ from = '', to = '', era }, around, match) =>
        keepingSentenceEnd(match, around, `${year(from)} to ${year(to)}${eraOf(era)}`),
    ),
    rule('date', 'digit', String.raw`(?<year>\d{1,4}) ?${ERA_NAME}`, ({ year: written = '', era }, around, match) =>
      keepingSentenceEnd(match, around, `${year(written)}${eraOf(era)}`),
    ),
    rule(
      'date',
      'letter',
      String.raw`(?:AD|A\.D\.) (?<year>\d{1,4})${END}`,
      ({ year: written = '' }) => `A D ${year(written)}`,
    ),
    // "1961–1965", "1960-80", "1999/2000".
    rule(
      'range',
      'digit',
      String.raw`(?<from>${TEENS_TO_NOW})(?<mark> ?${DASH} ?|/)(?<to>${TEENS_TO_NOW}|\d{1,2})(?![\d\p{L}%]|[-–./,]\d)`,
      readYears,
    ),
  ]
}

const readYears: Read = ({ from = '', mark, to = '' }) => {
  const end = from.slice(0, -to.length) + to
  const isNextOnly = mark === '/' || to.length === 1
  if (Number(end) <= Number(from) || (isNextOnly && Number(end) > Number(from) + 1)) return null
  const spokenEnd = to.length === 4 ? year(to) : to.length === 1 ? cardinal(to) : shortYear(to)
  return `${year(from)} ${mark === '/' ? '' : 'to '}${spokenEnd}`
}
