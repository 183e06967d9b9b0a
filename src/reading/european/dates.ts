import { ABBREVIATED, DASH, inAnyCase, listRule, oneOf, rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import type { Speaker } from './speaker.ts'
import type { Words } from './words.ts'

const TEENS_TO_NOW = String.raw`1[0-9]\d\d|20\d\d`

export function dates(words: Words, { plain }: Speaker): Rule[] {
  const { months, dateJoint } = words
  const forms = inAnyCase(months.flat())
  const MONTH = String.raw`(?<month>${oneOf(forms)})(?!\p{L})${ABBREVIATED}`
  const DAY = String.raw`(?<day>\d{1,2})(?:\.|º|er|°|ª|-?[а-я]{1,3})?`
  const monthOf = (written: string): number =>
    months.findIndex((names) => names.some((name) => name.toLowerCase() === written.toLowerCase())) + 1
  const read: Read = ({ day = '', month = '', year, mark }, { before, after }, match) => {
    const number = /^\d+$/.test(month) ? Number(month) : monthOf(month)
    if (number < 1 || number > 12 || Number(day) < 1 || Number(day) > 31 || (mark === '-' && year?.length === 2))
      return null
    const spoken = words.date(Number(day), number, year === undefined ? null : Number(plain(year)), before, after)
    // "13. März. 5 Tage": only an abbreviation has a period of its own.
    const isFull = match.endsWith('.') && months[number - 1]?.[0]?.toLowerCase() === month.toLowerCase()
    return isFull ? { spoken, length: match.length - 1 } : spoken
  }
  return [
    rule(
      'date',
      'digit',
      String.raw`${DAY}(?:${dateJoint}|-)${MONTH}(?:(?:${dateJoint}|-)(?<year>\d{4})(?!\d|[,.]\d))?`,
      read,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})(?<mark>[./-])(?<month>\d{1,2})\k<mark>(?<year>\d{4}|\d\d)(?!\d|[-/.]\d)`,
      read,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d|[-/]\d)(?:T(?=\d\d:))?`,
      read,
    ),
    ...monthsAndYears(words, forms, MONTH, monthOf),
    ...slashedYears(words),
  ]
}

function monthsAndYears(
  words: Words,
  forms: readonly string[],
  MONTH: string,
  monthOf: (month: string) => number,
): Rule[] {
  return [
    rule('date', 'digit', String.raw`(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])(?![\d-])`, ({ year, month }) =>
      words.monthYear(Number(month), Number(year)),
    ),
    listRule('date', forms, String.raw`${MONTH} (?<year>${TEENS_TO_NOW})(?!\d|[,.]\d)`, ({ month = '', year }) =>
      words.monthYear(monthOf(month), Number(year)),
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>${TEENS_TO_NOW}) ?${DASH} ?(?<to>${TEENS_TO_NOW})(?![\d\p{L}]|[-–./]\d)`,
      ({ from, to }) =>
        Number(to) > Number(from) ? `${words.year(Number(from))} ${words.to} ${words.year(Number(to))}` : null,
    ),
  ]
}

/** "07/2024", but "Nr. 7/2024", and the season of "2023/24". */
function slashedYears({ monthYear, year, cardinal }: Words): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<month>0[1-9]|[2-9]|1[0-2])\/(?<year>(?:19|20)\d\d)(?![\d\p{L}]|[-/.,]\d)`,
      ({ month, year }, { before }) =>
        /(?:[\d\p{L}]\.|[°º№/-]|Heft|Ausgabe|numéro|номер|número|numero) ?$/u.test(before)
          ? null
          : monthYear(Number(month), Number(year)),
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>${TEENS_TO_NOW})\/(?<to>(?:${TEENS_TO_NOW})|\d\d)(?![\d\p{L}]|[-/.,]\d)`,
      ({ from, to }) =>
        (Number(from) + 1) % 100 === Number(to) % 100
          ? `${year(Number(from))} ${Number(to) < 100 ? cardinal(Number(to)) : year(Number(to))}`
          : null,
    ),
  ]
}
