import { LARGEST_SPELLED } from '../number-rules.ts'
import {
  beforeWords,
  DASH,
  isSignFree,
  keepingSentenceEnd,
  listRule,
  oneOf,
  plainDigits,
  rule,
  SUPERSCRIPTS,
  signed,
} from '../rules.ts'
import type { Around, Groups, Read, Rule } from '../scan.ts'
import { type FoundMagnitude, joined, magnitudeForm, magnitudesOf } from './magnitudes.ts'
import { endsOf } from './sentence-ends.ts'
import type { Speaker } from './speaker.ts'
import type { Counted, Words } from './words.ts'

const GAP = '[ \u00a0\u202f]?'
/** "3/4 d'ora" and "2006 l'Italia" are no units. */
const BEHIND_UNIT = String.raw`(?![\p{L}\d]|['’]\p{L})`

type Say = ReturnType<typeof unitSpeaker>

export function measures(words: Words, say: Speaker): Rule[] {
  const { units, perUnits } = words
  const { NUMBER } = say
  const UNIT = oneOf(Object.keys(units).filter((unit) => unit !== '%'))
  const PER_UNIT = `(?<per>${oneOf(Object.keys(perUnits))})(?<perPower>[²³]|[23](?!\\d))?`
  const PER = `(?:(?: ?\\/ ?)(?:(?<perMany>\\d{1,4}) ?)?${PER_UNIT}(?![\\p{L}\\d]))?`
  const BARE = `(?<unit>${UNIT})(?<power>[²³])?${BEHIND_UNIT}`
  const SIGNED = `(?<sign>[-−–+±])?(?<number>${NUMBER})`
  const magnitudes = magnitudesOf(words)
  const speaker = unitSpeaker(words, say)
  return [
    rule(
      'range',
      'digit',
      `(?<from>${NUMBER}) ?(?:% ?)?${DASH} ?(?<to>${NUMBER})${GAP}(?:%|(?<unit>${UNIT})(?<power>[²³])?${BEHIND_UNIT}\\.?)${PER}`,
      readRange(words, say, speaker),
    ),
    ...beforeWords(['%'], signed('measure', `${SIGNED}${GAP}%`, readPercent(words, say, speaker))),
    ...beforeWords(
      [...Object.keys(units), ...magnitudes.beginnings],
      signed(
        'measure',
        `${SIGNED}${magnitudes.pattern}?${GAP}(?<unit>${UNIT})(?<power>[²³])?${BEHIND_UNIT}${PER}\\.?`,
        readMeasure(words, say, speaker, magnitudes.find),
      ),
    ),
    ...beforeWords(['/'], [perNumber(say, speaker, PER_UNIT)]),
    ...beforeWords(['x', '×', 'х'], dimensions(words, say, speaker, UNIT)),
    letteredSizes(words),
    ...loneUnits(words, say, speaker, BARE, PER),
    ...unitsWithoutNumbers(words, speaker, BARE),
  ]
}

/** "56 /km²". */
const perNumber = (say: Speaker, { perOf }: Say, perUnit: string): Rule =>
  rule(
    'measure',
    'digit',
    `(?<number>${say.NUMBER}) ?\\/ ?${perUnit}(?![\\p{L}\\d])`,
    (groups) => `${say.number(groups.number ?? '')}${perOf(groups)}`,
  )

function dimensions(words: Words, say: Speaker, { unitOf }: Say, unit: string): Rule[] {
  const { NUMBER } = say
  return [
    // "3 x 4 x 5 cm".
    rule(
      'measure',
      'digit',
      `(?<number>${NUMBER}) ?[x×х] ?(?=${NUMBER} ?[x×х] ?\\d)`,
      ({ number = '' }) => `${say.number(number)} ${words.by} `,
    ),
    rule(
      'measure',
      'digit',
      `(?<a>${NUMBER}) ?[x×х] ?(?<b>${NUMBER})(?: ?(?<unit>${unit}))?(?![\\p{L}\\d]| ?=)`,
      ({ a = '', b = '', unit }) => {
        const unitWord = unit === undefined ? '' : ` ${unitOf(b, words.units[unit] as Counted, undefined)}`
        return `${say.number(a)} ${words.by} ${say.number(b)}${unitWord}`
      },
    ),
  ]
}

/** "B x H x T", "LxBxH". */
const letteredSizes = ({ by, letter }: Words): Rule =>
  rule('measure', 'letter', '\\p{Lu}(?:(?: ?[x×х] ?\\p{L}){2}|[x×]\\p{Lu})(?![\\p{L}\\d])', (_groups, _around, match) =>
    match
      .split(/ ?[x×х] ?/)
      .map(letter)
      .join(` ${by} `),
  )

/** Units without a plain number before them. */
function loneUnits(words: Words, say: Speaker, { powerOf, perOf }: Say, unit: string, per: string): Rule[] {
  const { units, perUnits, symbols, minus } = words
  const longPer = Object.keys(perUnits).filter((name) => name.length > 2)
  return [
    // "10⁸ m/s".
    rule('math', 'symbol', `(?<exponent>⁻?[${SUPERSCRIPTS}]{1,4}) ${unit}${per}`, (groups) => {
      const exponent = plainDigits(groups.exponent ?? '', SUPERSCRIPTS)
      const power = exponent.startsWith('-') ? `${minus} ${say.whole(exponent.slice(1))}` : say.whole(exponent)
      const counted = units[groups.unit ?? ''] as Counted
      return `${symbols['^'] ?? ''} ${power} ${powerOf(say.form('5', counted), groups.power, true)}${perOf(groups)}`.trim()
    }),
    // "fois/jour".
    rule('measure', 'symbol', `\\/ ?(?<per>${oneOf(longPer)})(?![\\p{L}\\d])`, (groups, around) =>
      /\p{Ll}\.?$/u.test(around.before) ? perOf(groups).trim() : null,
    ),
  ]
}

/** "pro kg". */
function unitsWithoutNumbers(words: Words, { powerOf, ends }: Say, unit: string): Rule[] {
  const { units, beforeUnits, bareUnit } = words
  if (beforeUnits === undefined) return []
  return [
    listRule(
      'measure',
      beforeUnits,
      `(?<word>${oneOf(beforeUnits)}) ${unit}(?!\\.\\s?\\p{L})`,
      ({ word = '', unit: name = '', power }, around, match) => {
        const counted = units[name] as Counted
        const said = bareUnit === undefined ? (counted.forms.one ?? name) : bareUnit(counted, word, around.before)
        return said === null ? null : keepingSentenceEnd(match, around, `${word} ${powerOf(said, power, false)}`, ends)
      },
    ),
  ]
}

const readRange =
  ({ units, to: joint }: Words, say: Speaker, { unitOf, perOf, percentOf, ends }: Say): Read =>
  (groups, around, match) => {
    const { from = '', to = '', unit, power } = groups
    const counted = unit === undefined ? undefined : units[unit]
    const last = counted === undefined ? percentOf(to) : unitOf(to, counted, power)
    const numbers = `${say.number(from, counted?.gender)} ${joint} ${say.number(to, counted?.gender)}`
    return keepingSentenceEnd(match, around, `${numbers} ${last}${perOf(groups)}`, ends)
  }

const readPercent =
  ({ units: { '%': percent } }: Words, say: Speaker, { inContext, percentOf }: Say): Read =>
  (groups, around) => {
    const { sign = '', number = '' } = groups
    if (!isSignFree(sign, around)) return null
    const counted = percent === undefined ? null : inContext(groups, percent, around)
    return counted ?? `${say.number(`${sign}${number}`, percent?.gender)} ${percentOf(number)}`
  }

const readMeasure =
  (
    words: Words,
    say: Speaker,
    { inContext, unitOf, perOf, ends }: Say,
    find: (groups: Groups) => FoundMagnitude,
  ): Read =>
  (groups, around, match) => {
    const { sign = '', number = '', unit = '', power } = groups
    const counted = words.units[unit]
    if (counted === undefined || !isSignFree(sign, around)) return null
    const found = find(groups)
    const plain = () => `${say.number(`${sign}${number}`, counted.gender)} ${unitOf(number, counted, power)}`
    const spoken =
      found === null
        ? (inContext(groups, counted, around) ?? plain())
        : `${say.number(`${sign}${number}`, found.word.gender)} ${magnitudeForm(found, number, say)} ${joined(words, found.joint, unitOf('5', counted, power))}`
    return keepingSentenceEnd(match, around, `${spoken}${perOf(groups)}`, ends)
  }

function unitSpeaker(words: Words, say: Speaker) {
  const { units, percent } = words
  const powerOf = (name: string, power: string | undefined, isPlural: boolean): string => {
    if (power === undefined) return name
    return /[²2]/.test(power) ? words.square(name, isPlural) : words.cubic(name, isPlural)
  }
  return {
    ends: endsOf(words),
    powerOf,
    percentOf: (number: string): string => (units['%'] === undefined ? percent : say.form(number, units['%'])),
    inContext: ({ sign, number = '', power }: Groups, thing: Counted, around: Around): string | null => {
      if (sign === '±' || power !== undefined || number.includes(',')) return null
      const value = Number(say.plain(number))
      const counted = value > LARGEST_SPELLED ? null : (words.counted?.(value, thing, around) ?? null)
      return counted === null || sign === undefined ? counted : `${sign === '+' ? words.plus : words.minus} ${counted}`
    },
    unitOf: (written: string, unit: Counted, power: string | undefined): string => {
      const isOne = !written.includes(',') && say.plural(Number(say.plain(written))) === 'one'
      return powerOf(say.form(written, unit), power, !isOne)
    },
    perOf: ({ per, perPower, perMany }: Groups): string => {
      if (per === undefined) return ''
      if (perMany === undefined) return ` ${words.per} ${powerOf(words.perUnits[per] ?? per, perPower, false)}`
      const unit = units[per]
      const name = unit === undefined ? (words.perUnits[per] ?? per) : say.form(perMany, unit)
      return ` ${words.perMany ?? words.per} ${say.whole(perMany, unit?.gender)} ${powerOf(name, perPower, true)}`
    },
  }
}
