import { END, plainDigits, rule, rulesAt, SUBSCRIPTS, SUPERSCRIPTS, wordRule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { cardinal, decimal, NUMBER, ordinal } from './numbers.ts'
import { OPERATORS } from './words.ts'

const POWER = String.raw`(?:⁻?[${SUPERSCRIPTS}]{1,3}|\^-?\d{1,3})?`
const OPERAND = String.raw`(?:\d{1,15}(?:\.\d{1,15})?[a-z]?|[a-zA-Z])${POWER}`
const TERMS = `${OPERAND}(?: ?[-+−–×*·÷/±] ?${OPERAND}){0,12}`
const PARTS = new RegExp(
  String.raw`(?<number>\d+(?:\.\d+)?)|(?<letter>[a-zA-Z])|(?<power>⁻?[${SUPERSCRIPTS}]+|\^-?\d+)|(?<operator>[-+−–×*·÷/=<>≤≥≠≈±])`,
  'gu',
)
const COMPARISONS: Readonly<Record<string, string>> = {
  '<': 'less than',
  '>': 'more than',
  '≤': 'at most',
  '≥': 'at least',
}

export const maths = (): Rule[] => [...expressions(), ...powers(), ...signs()]

const expressions = (): Rule[] => [
  // "x² + y² = z²".
  ...rulesAt(['digit', 'letter'], 'math', `${TERMS}(?: ?[=<>≤≥≠≈] ?-?${TERMS}){1,4}${END}`, (_groups, _around, match) =>
    sayExpression(match),
  ).map(alone),
  ...rulesAt(
    ['digit', 'letter'],
    'math',
    `${OPERAND}(?: ?[+×÷±] ?| [*−] )${OPERAND}(?: ?[-+−–×*·÷/±] ?${OPERAND}){0,12}${END}`,
    (_groups, _around, match) => sayExpression(match),
  ).map(alone),
]

const LETTERS: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')

const alone = (one: Rule): Rule => ({
  ...one,
  ...(one.starts === 'letter' ? { isAlone: true } : { wordsBehind: LETTERS }),
})

const powers = (): Rule[] => [
  // "C# minor".
  wordRule('math', Array.from('ABCDEFG'), `(?<note>[A-G])#${END}`, ({ note = '' }) => `${note} sharp`),
  rule(
    'math',
    'digit',
    `(?<base>${NUMBER})(?<power>⁻?[${SUPERSCRIPTS}]{1,4})`,
    ({ base = '', power = '' }) => `${decimal(base)} ${powerOf(power)}`,
  ),
  rule(
    'math',
    'digit',
    `(?<base>${NUMBER})\\^(?<power>-?\\d{1,4})${END}`,
    ({ base = '', power = '' }) => `${decimal(base)} ${powerOf(power)}`,
  ),
  rule(
    'math',
    'digit',
    String.raw`(?<base>\d(?:\.\d{1,15})?)[eE](?<power>[-+]?\d{1,3})${END}`,
    ({ base = '', power = '' }) => `${decimal(base)} times ten ${powerOf(power.replace('+', ''))}`,
  ),
  rule(
    'math',
    'letter',
    `(?<letter>[a-zA-Z])(?<power>⁻?[${SUPERSCRIPTS}]{1,3}|\\^-?\\d{1,3})`,
    ({ letter = '', power = '' }) => `${letter} ${powerOf(power)}`,
  ),
  // "CO₂", "H₂SO₄".
  rule(
    'math',
    'letter',
    `(?:[A-Z][a-z]?[${SUBSCRIPTS}]{0,3}){1,12}(?<=[${SUBSCRIPTS}][A-Za-z]{0,4})`,
    (_groups, _around, match) => sayFormula(match),
  ),
]

const signs = (): Rule[] => [
  // "2π": the letter is read by itself.
  rule('math', 'digit', `(?<number>${NUMBER})(?=[α-ωΑ-Ω])`, ({ number = '' }) => decimal(number)),
  rule('math', 'symbol', `√ ?(?<number>${NUMBER})`, ({ number = '' }) => `square root of ${decimal(number)}`),
  rule('math', 'symbol', `± ?(?<number>${NUMBER})`, ({ number = '' }) => `plus or minus ${decimal(number)}`),
  rule('math', 'symbol', `[~≈∼] ?(?=[$£€]?\\d)`, () => 'about'),
  rule('math', 'symbol', `(?<sign>[<>≤≥]) ?(?=[$£€]?\\d)`, ({ sign = '' }, { before }) =>
    /[=\p{L}/"']$/u.test(before) ? null : (COMPARISONS[sign] ?? null),
  ),
]

function powerOf(written: string): string {
  const exponent = /\d/.test(written) ? written.replace('^', '') : plainDigits(written, SUPERSCRIPTS)
  if (exponent === '2') return 'squared'
  if (exponent === '3') return 'cubed'
  return `to the ${exponent.startsWith('-') ? `minus ${cardinal(exponent.slice(1))}` : ordinal(exponent)}`
}

const sayExpression = (expression: string): string =>
  [...expression.matchAll(PARTS)]
    .map(({ groups: { number, letter, power, operator } = {} }) => {
      if (number !== undefined) return decimal(number)
      if (power !== undefined) return powerOf(power)
      return operator === undefined ? letter : OPERATORS[operator]
    })
    .join(' ')

const sayFormula = (formula: string): string =>
  (formula.match(new RegExp(`[A-Z][a-z]?|[${SUBSCRIPTS}]+`, 'gu')) ?? [])
    .map((part) => (/[A-Z]/.test(part) ? part : cardinal(plainDigits(part, SUBSCRIPTS))))
    .join(' ')
