import { DASH, END, isSignFree, keepingSentenceEnd, oneOf, rule, rulesAt, SUPERSCRIPTS, signed } from '../rules.ts'
import type { Around, Groups, Read, Rule, RuleAnswer } from '../scan.ts'
import { mixed, vulgarValue } from './fractions.ts'
import { cardinal, decimal, fraction, NUMBER, signOf } from './numbers.ts'
import { LENGTHS, PER_UNITS, TIGHT_UNITS, UNITS, VULGAR_UNITS } from './words.ts'

/** Letters that may be a unit. {@link UNITS} says which are: a pattern of all units compiles slowly. */
const UNIT = String.raw`fl oz|mm Hg|° [CF]|[kMG]bit\/s|[A-Za-zµμΩΩÅ°%‰′″℃℉]{1,4}`
const PER = String.raw`(?: ?\/ ?(?<per>${oneOf(Object.keys(PER_UNITS))}))?`
/** Letters that may follow the number of a measure. */
const BEHIND_NUMBER = new Set([
  'to',
  'sq',
  'cu',
  ...Object.keys(UNITS).map((unit) => /^[A-Za-z]*/.exec(unit)?.[0] ?? ''),
])
const POWER = String.raw`(?<power>[²³]|\^?[23](?!\d|[.,]\d))?`
const AREA = '(?:(?<area>sq|cu)\\.? ?)?'
const AREAS: Readonly<Record<string, string>> = { sq: 'square ', cu: 'cubic ' }

export const measures = (): Rule[] => [
  ...heights(),
  ...ranges(),
  ...partsOfUnits(),
  ...signed(
    'measure',
    `(?<sign>[-−–+±])?(?<number>${NUMBER})(?<gap> ?|[-‑]|\u00a0)${AREA}(?<unit>${UNIT})${POWER}${PER}${END}\\.?`,
    readMeasure,
  ).map((one) => (one.starts === 'digit' ? { ...one, wordsBehind: BEHIND_NUMBER } : one)),
  // "12/kg".
  rule(
    'measure',
    'digit',
    `(?<number>${NUMBER}) ?\\/ ?(?<per>${oneOf(Object.keys(PER_UNITS))})${END}`,
    ({ number = '', per }) => `${decimal(number)}${perOf(per)}`,
  ),
  ...sizes(),
]

const isKnown = (unit: string | undefined): boolean => unit === undefined || Object.hasOwn(UNITS, unit)
const unitOf = (unit: string, isOne: boolean): string => UNITS[unit]?.[isOne ? 'one' : 'many'] ?? unit
const perOf = (per: string | undefined): string => (per === undefined ? '' : ` per ${PER_UNITS[per]}`)
const powerOf = (power = '', area = ''): string =>
  power.endsWith('2') || power === '²'
    ? 'square '
    : power.endsWith('3') || power === '³'
      ? 'cubic '
      : (AREAS[area] ?? '')

/** "6'2"", "40°26′46″N". */
function heights(): Rule[] {
  return [
    rule(
      'measure',
      'digit',
      String.raw`(?<feet>\d{1,2})['’′] ?(?<inches>\d{1,2})(?:["”″]|'')`,
      ({ feet = '', inches = '' }) =>
        `${cardinal(feet)} ${unitOf('ft', feet === '1')} ${cardinal(inches)} ${unitOf('in', inches === '1')}`,
    ),
    rule(
      'measure',
      'digit',
      String.raw`(?<feet>\d{1,2}) ?ft\.?,? (?<inches>\d{1,2}(?:\.\d{1,2})?) ?in(?:\.(?! \p{Lu}|$)|(?!\p{L}))`,
      ({ feet = '', inches = '' }) =>
        `${cardinal(feet)} ${unitOf('ft', feet === '1')} ${decimal(inches)} ${unitOf('in', inches === '1')}`,
    ),
    rule(
      'measure',
      'digit',
      String.raw`(?<feet>\d{1,3})['’′](?= (?:tall|high|wide|long|deep)\b)`,
      ({ feet = '' }) => `${cardinal(feet)} ${unitOf('ft', feet === '1')}`,
    ),
    // A 7" single.
    rule('measure', 'digit', `(?<number>${NUMBER})["″](?=$|[ ,.)-])`, ({ number = '' }, { before, after }) =>
      before.split('"').length % 2 === 1
        ? `${decimal(number)} ${unitOf('in', number === '1' || /^[ -][a-z]/.test(after))}`
        : null,
    ),
    rule(
      'measure',
      'digit',
      String.raw`(?<degrees>\d{1,3}(?:\.\d{1,8})?)° ?(?:(?<minutes>\d{1,2}(?:\.\d{1,4})?)[′'’] ?)?(?:(?<seconds>\d{1,2}(?:\.\d{1,4})?)(?:[″"”]|'') ?)?(?<side>[NSEW])${END}`,
      readCoordinate,
    ),
  ]
}

const SIDES: Readonly<Record<string, string>> = { N: 'north', S: 'south', E: 'east', W: 'west' }

function readCoordinate({ degrees = '', minutes, seconds, side = '' }: Groups): string {
  const part = (number: string | undefined, name: string) =>
    number === undefined ? [] : [`${decimal(number)} ${name}${Number(number) === 1 ? '' : 's'}`]
  return [...part(degrees, 'degree'), ...part(minutes, 'minute'), ...part(seconds, 'second'), SIDES[side]].join(' ')
}

function ranges(): Rule[] {
  return [
    {
      ...rule(
        'range',
        'digit',
        `(?<from>${NUMBER}) ?(?:(?<unit1>${UNIT})${END} ?)?(?:${DASH}|to) ?(?<to>${NUMBER})(?<gap> ?|-)${AREA}(?<unit>${UNIT})${POWER}${PER}${END}`,
        (groups) => {
          const { from = '', unit1, to = '', gap, area, unit = '', power, per } = groups
          if (!isKnown(unit) || !isKnown(unit1) || (gap === ' ' && TIGHT_UNITS.has(unit)) || !isPowerRight(groups))
            return null
          return `${decimal(from)} to ${decimal(to)} ${powerOf(power, area)}${unitOf(unit, gap === '-')}${perOf(per)}`
        },
      ),
      wordsBehind: BEHIND_NUMBER,
    },
  ]
}

/** "4 1/2 lbs", "1/2 mile", "2½ cups". */
function partsOfUnits(): Rule[] {
  const PARTS = new Set([
    ...Object.keys(UNITS),
    ...VULGAR_UNITS,
    'inches',
    'cups',
    'feet',
    'foot',
    'miles',
    'hours',
    'pints',
    'quarts',
    'pounds',
  ])
  return [
    rule(
      'measure',
      'digit',
      String.raw`(?<whole>\d{1,6})(?:[ -](?<top>\d{1,2})\/(?<bottom>\d{1,3})|(?<vulgar>[½¼¾⅓⅔⅛⅜⅝⅞])) ?-?(?<unit>\p{L}{1,11})${END}\.?`,
      ({ whole = '', top = '', bottom = '', vulgar, unit = '' }, around, match) => {
        if (!PARTS.has(unit)) return null
        const [over = '', under = ''] = vulgar === undefined ? [top, bottom] : vulgarValue(vulgar)
        return keepingSentenceEnd(match, around, `${mixed(whole, over, under)} ${unitOf(unit, false)}`)
      },
    ),
    rule(
      'measure',
      'digit',
      String.raw`(?<top>\d{1,2})\/(?<bottom>\d{1,3}) ?-?(?<unit>\p{L}{2,11})${END}\.?`,
      ({ top = '', bottom = '', unit = '' }, around, match) =>
        Number(top) < Number(bottom) && VULGAR_UNITS.includes(unit)
          ? keepingSentenceEnd(match, around, `${fraction(top, bottom)} ${unitOf(unit, true)}`)
          : null,
    ),
  ]
}

const isPowerRight = ({ unit = '', power }: Groups): boolean => power === undefined || LENGTHS.has(unit)

/** "Route 9W". */
const NAMED_BEFORE =
  /\b(?:Route|Highway|Hwy|Interstate|Class|Type|Model|Form|Room|Flight|Section|Unit|Gate|Apartment)\s$/

/** Words such as "in", and letters after a space, are units only if more speaks for it. */
function isUnit({ number = '', gap, unit = '', per, power, area }: Groups, { before, after }: Around): boolean {
  if (/^[A-Z]$/.test(unit) && NAMED_BEFORE.test(before)) return false
  if (unit === 'st' || (gap === '-' && (TIGHT_UNITS.has(unit) || /^[A-Z]$/.test(unit))))
    return gap !== '-' && unit === 'st' && /^ \d+ ?lb/.test(after)
  if (unit === 's' && gap === '') return number.includes('.')
  // "4K" is a resolution, "1A" a class.
  if (unit === 'K' && gap === '' && per === undefined) return false
  if (unit === 'A' && gap === '' && !number.includes('.'))
    return /^[ -](?:fuse|current|circuit|breaker|charger|plug|socket|outlet|supply)/.test(after)
  if (gap !== ' ' || per !== undefined || power !== undefined || area !== undefined) return true
  if (unit === 'in')
    return /^(?:[.,;)]|$| \(\d| (?:long|wide|tall|high|deep|thick|in diameter|of (?:rain|snow)|guns?|howitzers?|mortars?|shells?|torpedo(?:es)?|vinyl|dis[ck]s?|records?|singles?))/.test(
      after,
    )
  if (unit === 's') return number.includes('.')
  return !TIGHT_UNITS.has(unit) && !(unit.length === 1 && /^['’]/.test(after))
}

function readMeasure(groups: Groups, around: Around, match: string): RuleAnswer {
  const { sign = '', number = '', gap, area, unit = '', power, per } = groups
  if (!isKnown(unit) || !isPowerRight(groups) || !isUnit(groups, around) || !isSignFree(sign, around)) return null
  if (match.endsWith('.') && !/\p{L}\.$/u.test(match)) return { spoken: say(), length: match.length - 1 }
  return keepingSentenceEnd(match, around, say())

  function say(): string {
    const signWord = sign === '±' ? 'plus or minus ' : signOf(sign)
    const isOne = gap === '-' || number === '1'
    return `${signWord}${decimal(number)} ${powerOf(power, area)}${unitOf(unit, isOne)}${perOf(per)}`
  }
}

/** "4 x 100 m", "1920×1080", "4.4x". */
function sizes(): Rule[] {
  const readSize: Read = ({ a = '', b = '', c, unit }, { before, after }, match) => {
    const isProduct =
      match.includes('×') &&
      unit === undefined &&
      (/^ ?[-+=÷*]|^ (?:is|equals)\b/.test(after) || /[=+÷*] ?$/.test(before))
    const joint = isProduct ? ' times ' : ' by '
    const said = [a, b, ...(c === undefined ? [] : [c])].map(decimal).join(joint)
    if (unit === undefined) return said
    if (isKnown(unit)) return `${said} ${unitOf(unit, false)}`
    return { spoken: said, length: match.slice(0, -unit.length).trimEnd().length }
  }
  return [
    rule(
      'measure',
      'digit',
      `(?<a>${NUMBER}) ?[x×] ?(?<b>${NUMBER})(?: ?[x×] ?(?<c>${NUMBER}))?(?: ?(?<unit>${UNIT}))?${END}(?![\\^${SUPERSCRIPTS}])`,
      readSize,
    ),
    rule(
      'measure',
      'digit',
      `(?<number>${NUMBER}) ?[x×](?!\\p{L})(?! ?\\d)`,
      ({ number = '' }, _around, match) => `${decimal(number)} ${match.endsWith('×') ? 'times' : 'x'}`,
    ),
    // "120/80 mmHg".
    rule(
      'measure',
      'digit',
      String.raw`(?<a>\d{2,3})\/(?<b>\d{2,3}) ?mm ?Hg${END}`,
      ({ a = '', b = '' }) => `${cardinal(a)} over ${cardinal(b)} ${unitOf('mmHg', false)}`,
    ),
    // "105 m x 68 m".
    ...rulesAt(['letter', 'symbol'], 'measure', String.raw`[x×](?= ?\d)`, (_groups, { before }) =>
      /\d ?(?:[a-zµ]{1,3}|feet|inches|met(?:er|re)s) $/.test(before) ? 'by' : null,
    ).map((sized) => ({ ...sized, first: 'x×' })),
  ]
}
