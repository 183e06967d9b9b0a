import { rule, VULGAR_FRACTIONS } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { cardinal, fraction } from './numbers.ts'

/** Numbers with a slash that are names. */
const NAMES: Readonly<Record<string, string>> = {
  '24/7': 'twenty four seven',
  '9/11': 'nine eleven',
  '7/11': 'seven eleven',
  '20/20': 'twenty twenty',
}

/** "In 3/4 time". */
const BEAT_AFTER = /^ (?:time|met(?:er|re)|beat|rhythm)\b/
const ODDS_BEFORE = /\bodds (?:of|are|were|at) $/

export const fractions = (): Rule[] => [
  rule(
    'fraction',
    'digit',
    String.raw`(?<whole>\d{1,9})[ -](?<top>\d{1,9})[/⁄](?<bottom>\d{1,9})(?![\d/]|\.\d)`,
    ({ whole = '', top = '', bottom = '' }, _around, match) =>
      NAMES[`${top}/${bottom}`] === undefined && !match.includes('-0') ? mixed(whole, top, bottom) : null,
  ),
  rule(
    'fraction',
    'digit',
    String.raw`(?<top>\d{1,9}) ?[/⁄] ?(?<bottom>\d{1,9})(?:th|TH|rd|nd|st|ths|rds)?(?![\d/\p{L}]|\.\d)`,
    ({ top = '', bottom = '' }, { before, after }) => {
      if (/[\p{L}/-]$/u.test(before)) return null
      if (BEAT_AFTER.test(after) && /^(?:2|4|8|16)$/.test(bottom)) return `${cardinal(top)} ${cardinal(bottom)}`
      if (ODDS_BEFORE.test(before) || /^ odds\b/.test(after)) return `${cardinal(top)} to ${cardinal(bottom)}`
      // "The 80/20 rule".
      if (Number(top) + Number(bottom) === 100 && /^\d[05]$/.test(top)) return `${cardinal(top)} ${cardinal(bottom)}`
      return NAMES[`${top}/${bottom}`] ?? fraction(top, bottom)
    },
  ),
  rule('fraction', 'digit', `(?<whole>\\d{1,9}) ?(?<part>[${VULGAR_FRACTIONS}])`, ({ whole = '', part = '' }) =>
    mixed(whole, ...vulgarValue(part)),
  ),
  rule('fraction', 'symbol', `[${VULGAR_FRACTIONS}]`, (_groups, _around, match) => fraction(...vulgarValue(match))),
]

/** "two and a half", "three and two quarters". */
export function mixed(whole: string, top: string, bottom: string): string {
  const part = fraction(top, bottom)
  return `${cardinal(whole)} and ${part === 'one half' ? 'a half' : part}`
}

export const vulgarValue = (vulgar: string): [top: string, bottom: string] => {
  const [top = '', bottom = ''] = vulgar.normalize('NFKD').split('⁄')
  return [top, bottom]
}
