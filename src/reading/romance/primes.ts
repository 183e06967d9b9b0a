import type { Counted } from '../european/words.ts'
import { rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { counter, type RomanceWords } from './words.ts'

const PRIME = "['’′]"
const DOUBLE_PRIME = `(?:''|’’|["”″])`
const DECADES = /(?:años|anni|anos|década|decennio)\s$/i
const MINUTE = /min(?:uto|\.)?\s$/i
const OPEN_QUOTE = /(?:^|[\s(])['‘][^'’]{0,40}$/
const SCREENS =
  /(?:pantalla|schermo|tela|ecrã|monitor|TV|televis\p{L}{2,4}|tablet|notebook|port[áa]til|portatile|tub[oi]|llantas?|cerchi|rodas?|ruedas?|bici\p{L}{0,5}|aro)\s(?:\p{L}{1,4}\s)?$/iu

/** Laps, durations and numbers with primes: 1:31.245, 2min30s, 27'14", 45'+2', 6,7". */
export const primeRules = (words: RomanceWords): Rule[] => [
  ...durationRules(words),
  ...minuteRules(words),
  inchRule(words),
]

function durationRules(words: RomanceWords): Rule[] {
  const { decimal, andHalf: and, units } = words
  const { h, min, s } = units as Record<'h' | 'min' | 's', Counted>
  const count = counter(words)
  const read: Read = ({ hours, minutes, seconds = '', rest }) => {
    // Clocks without seconds have rules of their own.
    if (hours !== undefined && seconds === '00') return null
    const [whole = '', places = rest] = seconds.split(/[.,]/)
    const last =
      places === undefined ? count(Number(whole), s) : `${decimal(String(Number(whole)), places)} ${s.forms.other}`
    const first = [
      hours === undefined ? '' : count(Number(hours), h),
      Number(minutes ?? 0) === 0 ? '' : count(Number(minutes), min),
    ].filter(Boolean)
    return first.length === 0 ? last : `${first.join(', ')} ${and} ${last}`
  }
  const HOURS = String.raw`(?:(?<hours>\d{1,3}) ?h ?)?`
  const SECONDS = String.raw`(?<seconds>\d{1,2}(?:[.,]\d{1,3})?)`
  const REST = String.raw`(?<rest>\d{1,3})`
  return [
    lapRule(words, read),
    // "2h 15m".
    rule(
      'time',
      'digit',
      String.raw`(?<hours>\d{1,2}) ?h ?(?<minutes>[0-5]?\d) ?m(?![\p{L}\d²³/])`,
      ({ hours, minutes }) => `${count(Number(hours), h)} ${and} ${count(Number(minutes), min)}`,
    ),
    rule('time', 'digit', String.raw`(?<hours>\d{1,2})h(?<minutes>[0-5]\d):(?<seconds>[0-5]\d)(?![\d:])`, read),
    rule(
      'time',
      'digit',
      String.raw`${HOURS}(?<minutes>\d{1,3})(?: ?min\.? ?|m)${SECONDS} ?(?:s${REST}?|seg|sec)(?![\p{L}\d])`,
      read,
    ),
    rule('time', 'digit', String.raw`${HOURS}(?<minutes>\d{1,3})${PRIME} ?${SECONDS}${DOUBLE_PRIME}${REST}?`, read),
    rule('time', 'digit', String.raw`(?<seconds>\d{1,2})(?:''|″)(?!\d)`, read),
    rule('time', 'digit', String.raw`(?<seconds>\d{1,2})(?:${DOUBLE_PRIME}|s(?=\d{2}))${REST}(?![\d\p{L}])`, read),
  ]
}

/** "1:31.245": behind "un" it is a time by itself. */
const lapRule = ({ cardinal, decimal }: RomanceWords, read: Read): Rule =>
  rule(
    'time',
    'digit',
    String.raw`(?<minutes>\d{1,2}):(?<seconds>[0-5]\d[.,]\d{1,3})(?![\d:])`,
    (groups, around, match) => {
      const [whole = '', places = ''] = (groups.seconds ?? '').split(/[.,]/)
      return /(?:^|\s)(?:un|uno|um)\s$/.test(around.before)
        ? `${cardinal(Number(groups.minutes))} ${decimal(whole, places)}`
        : read(groups, around, match)
    },
  )

/** "45'" and "90'+3'": a minute of a match behind an article, and a count of minutes elsewhere. */
function minuteRules({ cardinal, plus, units, minuteOf }: RomanceWords): Rule[] {
  const { min } = units as Record<'min', Counted>
  const read: Read = ({ minutes = '', extra }, { before, after }) => {
    if (OPEN_QUOTE.test(before) || /[\p{L}\d.,:/-]$/u.test(before)) return null
    const value = Number(minutes)
    const more = extra === undefined ? '' : ` ${plus} ${cardinal(Number(extra))}`
    if (DECADES.test(before) || MINUTE.test(before)) return `${cardinal(value)}${more}`
    const ofMatch = minuteOf(value, before, after)
    if (ofMatch !== null) return `${ofMatch}${more}`
    return `${cardinal(value, min.gender)}${more} ${value === 1 ? min.forms.one : min.forms.other}`
  }
  return [
    rule(
      'time',
      'digit',
      String.raw`(?<minutes>\d{1,3})(?:${PRIME}? ?\+ ?(?<extra>\d{1,2}))?${PRIME}(?![\d\p{L}'’′"])`,
      read,
    ),
  ]
}

/** "6,7"" of a screen. A mark that closes a quotation is none. */
const inchRule = ({ cardinal, decimal, inch, units }: RomanceWords): Rule =>
  rule(
    'measure',
    'digit',
    String.raw`(?<whole>\d{1,3})(?:[.,](?<places>\d{1,2}))?${DOUBLE_PRIME}(?![\p{L}\d])`,
    ({ whole = '', places }, { before, after }) => {
      const isQuoted = before.split(/["“”]/).length % 2 === 0
      if (isQuoted) return null
      // "a 23" del líder".
      const isBehind = places === undefined && /^ (?:del?|dal|do|da|sobre|su) \p{L}/u.test(after)
      if (isBehind && !SCREENS.test(before)) return `${cardinal(Number(whole))} ${units.s?.forms.other}`
      if (places === undefined && !SCREENS.test(before)) return null
      return places === undefined
        ? `${cardinal(Number(whole), inch.gender)} ${inch.forms.other}`
        : `${decimal(whole, places)} ${inch.forms.other}`
    },
  )
