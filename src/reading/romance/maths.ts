import { listRule, oneOf, rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

const ELEMENTS = 'Ca|Cl|Cu|Fe|Mg|Al|Si|Zn|Ag|Na|[HCNOSPKF]'
/** Conferences of the climate are no compounds. */
const NO_FORMULA = /^(?:COP|COS)\d/
const VARIABLE_BEFORE = /(?:[\d²³)]|(?:^|[\s\d(])[a-zA-Z])\s$/
const EQUATION_BEFORE = /[=+×·√²³]/
const EQUATION_AFTER = /^ ?[\w²³]{1,8}(?: ?[-+×·] ?[\w²³]{1,8}){0,3} ?=/

/** Formulas of chemistry with plain digits, and signs of arithmetic that are marks elsewhere. */
export const mathRules = (words: RomanceWords): Rule[] => [
  formulaRule(words),
  ...arithmeticRules(words),
  ...unitRules(words),
]

/** "CO2", "H2SO4". */
const formulaRule = ({ cardinal }: RomanceWords): Rule =>
  rule(
    'math',
    'letter',
    String.raw`(?=[A-Z][A-Za-z]{0,6}\d)(?:(?:${ELEMENTS})\d{0,2}){2,8}(?![\p{L}\d-])|(?:NaCl|NaOH|HCl|KOH|KCl|CaO|ZnO)(?!\p{L})`,
    (_groups, _around, match) =>
      NO_FORMULA.test(match)
        ? null
        : (match.match(/[A-Za-z]|\d+/g) ?? [])
            .map((part) => (/\d/.test(part) ? cardinal(Number(part)) : part.toUpperCase()))
            .join(' '),
  )

function arithmeticRules({ cardinal, decimal, minus, times, divided, by }: RomanceWords): Rule[] {
  const operator = (sign: string): string => (/[-−–]/.test(sign) ? minus : /[:÷]/.test(sign) ? divided : times)
  return [
    // "6:2=3", "5 - 3 = 2".
    rule(
      'math',
      'digit',
      String.raw`(?<whole>\d{1,9})(?:,(?<places>\d{1,9}))? ?(?<sign>[-−–:*·x×÷]) ?(?=\d{1,9}(?:,\d{1,9})? ?=)`,
      ({ whole = '', places, sign = '' }) =>
        `${places === undefined ? cardinal(Number(whole)) : decimal(whole, places)} ${operator(sign)} `,
    ),
    rule('math', 'symbol', String.raw`[-−–](?= (?:\d|[a-zA-Z√(](?!\p{L})))`, (_groups, { before, after }) =>
      VARIABLE_BEFORE.test(before) && (EQUATION_BEFORE.test(before) || EQUATION_AFTER.test(after)) ? minus : null,
    ),
    rule(
      'math',
      'letter',
      String.raw`(?<name>[a-zA-Z])[-−–](?<number>\d{1,4})(?= ?[=+*])`,
      ({ name = '', number = '' }) => `${name} ${minus} ${cardinal(Number(number))}`,
    ),
    rule('math', 'symbol', String.raw`[*·∙⋅](?= ?\d)`, (_groups, { before }) =>
      /\d ?$/.test(before) ? ` ${times} ` : null,
    ),
    // "60 x 85 x 55 cm".
    rule(
      'measure',
      'digit',
      String.raw`(?<whole>\d{1,5})(?:,(?<places>\d{1,3}))? ?[x×] ?(?=\d{1,5}(?:,\d{1,3})?(?: ?[x×] ?\d| ?(?:mm|cm|m|km)[²³23]?(?![\p{L}\d])))`,
      ({ whole = '', places }) => `${places === undefined ? cardinal(Number(whole)) : decimal(whole, places)} ${by} `,
    ),
    // "1,80 m x 60 cm".
    rule('measure', 'letter', String.raw`x(?= ?\d)`, (_groups, { before }) =>
      /\d ?\p{L}{1,3}\s$/u.test(before) ? by : null,
    ),
  ]
}

/** "10⁸ km", "kcal/100 g", "casos/100.000 hab.". */
function unitRules({ units, each }: RomanceWords): Rule[] {
  const UNIT = oneOf(Object.keys(units))
  return [
    listRule('measure', Object.keys(units), String.raw`(?<unit>${UNIT})(?![\p{L}\d])`, ({ unit = '' }, { before }) =>
      /\d[⁻⁰¹²³⁴-⁹]{1,4}\s$/.test(before) ? (units[unit]?.forms.other ?? null) : null,
    ),
    rule(
      'measure',
      'symbol',
      String.raw`\/ ?(?=\d{1,3}(?:[. \u00a0]?\d{3})* ?(?:${UNIT}|mil|\p{Ll}{4}))`,
      (_groups, { before }) => (/\d ?(?!h$)\p{L}{1,12}$/u.test(before) ? ` ${each} ` : null),
    ),
  ]
}
