import { rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import type { Words } from './words.ts'

export function times({ time, timeMarks, timeWords }: Words): Rule[] {
  const WORDS = String.raw`(?: ?(?:${timeWords})(?!\p{L}))`
  const read: Read = ({ hour, minute = '0', second }, { before }) => {
    if (Number(hour) > 24 || Number(minute) > 59 || Number(second ?? 0) > 59) return null
    return time(Number(hour), Number(minute), second === undefined ? null : Number(second), before)
  }
  return [
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)(?![\d:])${WORDS}?`, read),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2})(?:${timeMarks})(?<minute>[0-5]\d)(?:min)?${WORDS}`, read),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?![\d:]|[,.]\d| \d{3}(?!\d))`, read),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}) ?[hH](?<minute>[0-5]\d)(?:min|m)?(?![\d\p{L}])`, read),
  ]
}
