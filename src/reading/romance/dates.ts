import { romanValue, rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

/** "1/3 de los alumnos" is a part, "1/3 del año pasado" a day. */
const PART_OF =
  /^ (?:de (?:los|las|la|lo|cada|todos|tod[ao]s)|del|d[ie]|d[ea]ll[aeo]|dei|degli|dell['’]|d[oa]s?)(?!\p{L})/u
const OF_A_YEAR = /^ (?:del?|do|di|dell['’]) ?(?:año|mes|ano|mês|anno|mese|corriente|presente|corrente|\d{4})/
const PAUSE = /^(?:\s*$|[,;:)]|\.(?:\s|$)| (?:a las|às|as|alle|ore|dalle|h\d)(?!\p{L}))/u
const JOINT = /^ (?:y|e|o|ou|a|al|ao)(?!\p{L})/u
const IN_A_SUM = /(?:[\d/=+×*-]|[=+×*]\s)$/

/** "el 12/10": a day and its month, by the words or the pause beside it. */
export function shortDateRules(words: string, date: (day: number, month: number, before: string) => string): Rule[] {
  const BEFORE = new RegExp(`(?:^|[\\s(])(?:(?:${words}),?\\s|(?:all|dall|dell)?l?['’])$`, 'i')
  const isDate = (day: number, month: number, { before, after }: { before: string; after: string }): boolean => {
    if (day < 1 || day > 31 || month < 1 || month > 12 || (day === 24 && month === 7)) return false
    if (BEFORE.test(before)) return day >= month || !PART_OF.test(after) || OF_A_YEAR.test(after)
    if (before.trim() === '' || IN_A_SUM.test(before)) return false
    const isNoPart = day > 12 || month > 10 || (month === 10 && day > 9)
    return isNoPart ? PAUSE.test(after) || JOINT.test(after) : /[79]/.test(String(month)) && PAUSE.test(after)
  }
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})(?<mark>[/.])(?<month>\d{1,2})(?![\d/%]|[.,]\d)`,
      ({ day = '', mark, month = '' }, around) => {
        const isClear = mark === '/' || BEFORE.test(around.before)
        return isClear && isDate(Number(day), Number(month), around)
          ? date(Number(day), Number(month), around.before)
          : null
      },
    ),
  ]
}

/** Years of eras and of decades, and quarters: 44 a. C., '80, 1T25. */
export const yearRules = ({ cardinal, ordinal, of, quarters, date }: RomanceWords): Rule[] => [
  // "3-VI-1956".
  rule(
    'date',
    'digit',
    String.raw`(?<day>[0-3]?\d)(?<mark>[-/.])(?<month>[IVX]{1,4})\k<mark>(?<year>\d{4}|\d\d)(?!\d)`,
    ({ day = '', month = '', year = '' }) => {
      const value = romanValue(month)
      return value === null || value > 12 ? null : date(Number(day), value, Number(year))
    },
  ),
  // A house number behind a street that has the name of a day: "Av. 9 de Julio 1234".
  rule(
    'date',
    'digit',
    String.raw`(?<day>\d{1,2}) de (?<month>\p{L}{4,10})(?= \d)`,
    ({ day = '', month = '' }, { before }) =>
      /(?:av\.|avenida|calle|rua|r\.|plaza|pza\.|praça|pça\.)\s$/i.test(before) && day !== '1'
        ? `${cardinal(Number(day))} ${of} ${month}`
        : null,
  ),
  rule('date', 'digit', String.raw`(?<year>\d{1,4})(?= ?[ad]\. ?(?:de )?(?:C|c\.))`, ({ year = '' }) =>
    cardinal(Number(year)),
  ),
  rule('date', 'symbol', String.raw`['’](?<year>\d\d|\d00)(?![\d\p{L}'’])`, ({ year = '' }, { before }) =>
    /(?:^|\s)$/.test(before) ? cardinal(Number(year)) : null,
  ),
  rule(
    'date',
    'digit',
    String.raw`(?<number>[1-4])(?<part>[TS])(?:(?<short>\d\d)| ?(?<year>20\d\d))(?![\p{L}\d])`,
    ({ number = '', part = '', short, year }) =>
      `${ordinal(Number(number), 'masculine', true)} ${quarters[part]} ${of} ${cardinal(Number(year ?? `20${short}`))}`,
  ),
]
