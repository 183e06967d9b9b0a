import { DASH, endsSentence, rule, wordRule } from '../rules.ts'
import type { Groups, Read, Rule, RuleAnswer } from '../scan.ts'
import { cardinal, decimal, spellOut } from './numbers.ts'
import { SCRIPTURES } from './words.ts'

const HALF = String.raw`(?<half>[AaPp]\.? ?[Mm](?!\p{L})\.?)`
const ZONE = String.raw`(?: (?<zone>(?:[ECMP][SD]?T|GMT|UTC|CEST|CET|BST|IST|JST|[ecmp]\.[sd]\.t)\b\.?))?`
const NEXT_IS_DATE =
  /^\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|[ECMP][SD]?T\b|GMT|UTC)/
const RATIO_BEFORE = /\b(?:ratio|scale|odds|score|won|lost|beat|mix(?:ed)?)\b[^.]{0,16}$/i
const SCRIPTURE_BEFORE = new RegExp(String.raw`\b(?:${SCRIPTURES.join('|')})\.? (?:\d{1,3}:\d{1,3}[,;] ?)?$`)

export const times = (): Rule[] => [...clockTimes(), ...bareTimes(), offsetRule()]

/** "UTC−05:00", "GMT-5". */
const offsetRule = (): Rule =>
  wordRule(
    'time',
    ['UTC', 'GMT'],
    String.raw`(?<zone>UTC|GMT) ?(?<sign>[-−–+])(?<hours>\d{1,2})(?::?(?<minutes>\d\d))?(?!\d)`,
    ({ zone = '', sign, hours = '', minutes = '00' }) =>
      `${spellOut(zone)} ${sign === '+' ? 'plus' : 'minus'} ${cardinal(String(Number(hours)))}${minutes === '00' ? '' : ` ${cardinal(minutes)}`}`,
  )

const clockTimes = (): Rule[] => [
  rule(
    'range',
    'digit',
    String.raw`(?<h1>\d{1,2})(?:[:.](?<m1>\d\d))? ?(?<half1>[AaPp]\.?[Mm](?!\p{L})\.?)? ?(?:${DASH}|to) ?(?<h2>\d{1,2})(?:[:.](?<m2>\d\d))? ?${HALF}`,
    readRange,
  ),
  rule(
    'time',
    'digit',
    String.raw`(?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d(?:\.\d{1,3})?)(?![\d:])(?: ?${HALF})?${ZONE}`,
    readLong,
  ),
  rule('time', 'digit', String.raw`(?<hour>\d{1,2})[:.](?<minute>[0-5]\d) ?${HALF}${ZONE}`, readClock),
  // The time of a race.
  rule(
    'time',
    'digit',
    String.raw`(?<minute>\d{1,2}):(?<second>[0-5]\d\.\d{1,3})(?!\d)`,
    ({ minute = '', second = '' }) =>
      `${cardinal(minute)} minute${minute === '1' ? '' : 's'} ${decimal(second.replace(/^0/, ''))} seconds`,
  ),
  rule(
    'range',
    'digit',
    String.raw`(?<h1>\d{1,2}):(?<m1>[0-5]\d) ?${DASH} ?(?<h2>\d{1,2}):(?<m2>[0-5]\d)(?![\d:])`,
    readRange,
  ),
  rule(
    'time',
    'digit',
    String.raw`(?<hour>[01]\d|2[0-3])(?<minute>[0-5]\d) (?=hours?\b|hrs\b)`,
    ({ hour = '', minute = '' }) =>
      `${digitsOfHour(hour)} ${minute === '00' ? 'hundred' : cardinal(String(Number(minute)))} `,
  ),
]

const bareTimes = (): Rule[] => [
  verseRule(),
  // "a track of 45:30".
  rule(
    'time',
    'digit',
    String.raw`(?<minute>[2-5]\d):(?<second>[0-5]\d)(?![\d:.]\d|\d)`,
    ({ minute = '', second = '' }, { before }) =>
      /(?:\(|\b(?:in|at|after|time|of|runs?|lasts?|long) )$/.test(before) &&
      Number(minute) > 24 &&
      !before.includes('ratio')
        ? `${cardinal(minute)} ${second === '00' ? 'minutes' : spokenMinute(second)}`
        : null,
  ),
  rule(
    'time',
    'digit',
    String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?![\d:.,]\d|\d)${ZONE}`,
    (groups, around, match) =>
      RATIO_BEFORE.test(around.before) || /^ ratio/.test(around.after) ? null : readClock(groups, around, match),
  ),
  rule('time', 'digit', String.raw`(?<hour>\d{1,2}) ?${HALF}${ZONE}`, (groups, around, match) => {
    const hour = Number(groups.hour)
    const isVerb = / am$/.test(match) && /^ (?:not|a|an|the|so|very|going)\b/.test(around.after)
    return hour < 1 || hour > 12 || isVerb ? null : readClock(groups, around, match)
  }),
]

/** "John 3:16", "Genesis 1:1-3". */
const verseRule = (): Rule =>
  rule(
    'serial',
    'digit',
    String.raw`(?<chapter>\d{1,3}):(?<verse>\d{1,3})(?:${DASH}(?<last>\d{1,3}))?(?!\d|:\d)`,
    ({ chapter = '', verse = '', last }, { before }) => {
      if (!SCRIPTURE_BEFORE.test(before)) return null
      return `${cardinal(chapter)} ${cardinal(verse)}${last === undefined ? '' : ` to ${cardinal(last)}`}`
    },
  )

const digitsOfHour = (hour: string): string => (hour.startsWith('0') ? `oh ${cardinal(hour.slice(1))}` : cardinal(hour))

const isTime = (hour: string, minute = '0'): boolean => Number(hour) < 25 && Number(minute) < 60

function clock(hour: string, minute = '00', half?: string): string {
  const hours = cardinal(String(Number(hour)))
  if (minute === '00') return half === undefined ? `${hours} o'clock` : `${hours}${halfOf(half)}`
  return `${hours} ${spokenMinute(minute)}${halfOf(half)}`
}

const spokenMinute = (minute: string): string =>
  minute.startsWith('0') ? `oh ${cardinal(minute.slice(1))}` : cardinal(minute)

const halfOf = (half: string | undefined): string =>
  half === undefined ? '' : ` ${half.replaceAll(/[. ]/g, '').toUpperCase()}`
const zoneOf = (zone: string | undefined): string => {
  const letters = zone?.replaceAll('.', '').toUpperCase()
  if (letters === undefined) return ''
  return ` ${/^[ECMP][SD]?T$/.test(letters) && letters !== 'CET' ? letters : spellOut(letters)}`
}

const readClock: Read = ({ hour = '', minute, half, zone }, { after }, match) =>
  isTime(hour, minute) ? keepingPeriod(match, after, `${clock(hour, minute, half)}${zoneOf(zone)}`) : null

function readRange(
  { h1 = '', m1, half1, h2 = '', m2, half }: Groups,
  { after }: { after: string },
  match: string,
): RuleAnswer {
  if (!isTime(h1, m1) || !isTime(h2, m2)) return null
  const from = half1 === undefined && m1 === undefined ? cardinal(h1) : clock(h1, m1, half1)
  return keepingPeriod(match, after, `${from} to ${clock(h2, m2, half)}`)
}

const readLong: Read = ({ hour = '', minute = '', second = '', half, zone }, { after }, match) => {
  if (!isTime(hour, minute)) return null
  const part = (value: string, name: string) =>
    `${decimal(value.replace(/^0(?=\d)/, ''))} ${name}${Number(value) === 1 ? '' : 's'}`
  const said = `${part(hour, 'hour')} ${part(minute, 'minute')} and ${part(second, 'second')}${halfOf(half)}${zoneOf(zone)}`
  return keepingPeriod(match, after, said)
}

const keepingPeriod = (match: string, after: string, spoken: string): RuleAnswer =>
  match.endsWith('.') && endsSentence(after) && !NEXT_IS_DATE.test(after)
    ? { spoken, length: match.length - 1 }
    : spoken
