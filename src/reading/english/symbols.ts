import { oneOf, rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { cardinal } from './numbers.ts'
import { SYMBOLS } from './words.ts'

/** Marks that are said only between other things, because texts also use them for lines and lists. */
const LAYOUT = new Set(['_', '^', '<', '>', '*', '#', '~', '+', '=', '$'])

export function symbols(): Rule[] {
  const plain = Object.keys(SYMBOLS).filter((mark) => !LAYOUT.has(mark))
  return [
    rule('symbol', 'symbol', String.raw`#(?<number>\d{1,9})(?!\d)`, ({ number = '' }) => `number ${cardinal(number)}`),
    // ".NET".
    rule('symbol', 'symbol', String.raw`\.(?=\p{Lu}{2})`, (_groups, { before }) =>
      /^$|\s$/.test(before) ? 'dot' : null,
    ),
    rule('symbol', 'symbol', oneOf(plain), (_groups, _around, match) => SYMBOLS[match] as string),
    rule('symbol', 'symbol', String.raw`\+{1,3}|[=*#$](?![=*#]{2})`, readLayout),
    // "either / or", "14/ they".
    rule('symbol', 'symbol', String.raw`\/`, (_groups, { before, after }) =>
      (/\s$|^$/.test(before) && /^[\s$£€₩¥]/.test(after)) || (/\d$/.test(before) && /^\s/.test(after)) ? 'slash' : null,
    ),
    // Tags stay as they are.
    rule(
      'punctuation',
      'symbol',
      String.raw`<\/?[a-z][^<>\n]{0,100}>`,
      (_groups, { before, after }, match) => `${/\d$/.test(before) ? ' ' : ''}${match}${/^\d/.test(after) ? ' ' : ''}`,
    ),
    rule('punctuation', 'symbol', "``|''(?!\\p{L})", () => '"'),
    // "3'abc" is no plural or possessive.
    rule('punctuation', 'symbol', String.raw`['’](?=\p{L}{3})`, (_groups, { before }, match) =>
      /\d$/.test(before) ? ` ${match}` : null,
    ),
  ]
}

const readLayout: Read = (_groups, { before, after }, match) => {
  const standsAlone = /^$|[\s*#=]$/.test(before) && /^$|^[\s*#=]/.test(after)
  if (standsAlone && /^[*#]/.test(match)) return null
  return Array.from(match, (mark) => SYMBOLS[mark]).join(' ')
}
