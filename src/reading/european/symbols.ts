import { oneOf, plainDigits, rule, SUBSCRIPTS, SUPERSCRIPTS } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { Speaker } from './speaker.ts'
import type { Words } from './words.ts'

/** Texts also use these for lines and lists. */
const LAYOUT = /^[-*#_|~]$/

export function symbols({ symbols: all, minus }: Words, say: Speaker): Rule[] {
  return [
    // "CO₂".
    rule(
      'math',
      'letter',
      `(?:[A-Z][a-z]?[${SUBSCRIPTS}]{0,3}){1,12}(?<=[${SUBSCRIPTS}][A-Za-z]{0,4})`,
      (_groups, _around, match) =>
        (match.match(new RegExp(`[A-Z][a-z]?|[${SUBSCRIPTS}]+`, 'gu')) ?? [])
          .map((part) => (/[A-Z]/.test(part) ? part : say.whole(plainDigits(part, SUBSCRIPTS))))
          .join(' '),
    ),
    rule('math', 'symbol', `(?<power>⁻?[${SUPERSCRIPTS}]{1,4})`, ({ power = '' }) => {
      const exponent = plainDigits(power, SUPERSCRIPTS)
      const named = all[power]
      if (named !== undefined) return named
      return `${all['^'] ?? ''} ${exponent.startsWith('-') ? `${minus} ${say.whole(exponent.slice(1))}` : say.whole(exponent)}`.trim()
    }),
    // "10 - 4 = 6".
    rule('math', 'symbol', String.raw`[-–](?= \d{1,9}(?:[.,]\d{1,9})? [=+×*·-])`, (_groups, { before, after }) =>
      /\d $/.test(before) && /=/.test(before + after) ? minus : null,
    ),
    rule('symbol', 'symbol', oneOf(Object.keys(all)), (_groups, { before, after }, match) =>
      LAYOUT.test(match) && /^$|\s$/.test(before) && /^$|^\s/.test(after) ? null : (all[match] as string),
    ),
  ]
}
