import { DASH, END, isSignFree, rule, signed } from '../rules.ts'
import type { Around, Read, Rule } from '../scan.ts'
import { cardinal, decimal, digits, inPairs, NUMBER, ordinal, plural, signOf, WHOLE, year } from './numbers.ts'
import { MAGNITUDES, WORD_MAGNITUDES } from './words.ts'

const SCORE_BEFORE =
  /\b(?:won|wins?|lost|loses?|beat(?:s|en)?|defeat(?:s|ed)?|leads?|led|tied|drew|draw|scored?|victory|loss|record|final|game|match|series|vote|odds)\b[^.!?]{0,28}$/i
const SCORE_AFTER = /^ (?:win|victory|loss|defeat|lead|draw|tie|record|vote|decision|season|aggregate|home|away|odds)\b/
const YEAR_BEFORE =
  /\b(?:in|since|until|till|during|circa|year|Q[1-4]|H[12]|FY|early|late|mid|born|died|spring|summer|autumn|fall|winter|January|February|March|April|May|June|July|August|September|October|November|December|copyright|the|from|by)[ -]$|©\s?$/i
const COUNT_BEFORE =
  /\b(?:about|approximately|nearly|almost|over|than|least|most|only|some|exactly|population of|total of|capacity of|maximum of|minimum of|height of|length of|elevation of|area of|distance of|weight of|value of|worth|sum of|of around|of over|of about|of up to)\s$/i
const SURE_COUNT_BEFORE =
  /\b(?:population|total|capacity|maximum|height|length|elevation|area|distance|more|less|fewer) (?:of|than)\s$/i
/** A plural noun follows, perhaps behind an adjective: "2000 soldiers", "1500 new homes". */
const PLURAL_NEXT =
  /^[ -](?!(?:and|or|of|to|the|an?|in|with|as|by|for|from|at|on|but|who|which|that|when|while|he|she|it|they|after|before|is|was|has|its|his|this|thus|plus|does|yes|us|always|perhaps|besides|across|versus|sometimes|towards|series|census|elections?|games|olympics)\b)(?:[a-z]+ (?!(?:and|or|of|to|the|an?|in|with|as|by|for|from|at|on|is|was|has|its|his|this|series|games|elections?|olympics)\b))?(?:[a-z]{3,}s\b(?<!ss)|people\b|men\b|women\b|children\b|feet\b)/
const SPELLED_BEFORE =
  /\b(?:ending in|code|pin|otp|pnr|password|passcode|zip|extension|ext\.?|account|card|serial|flight|id)(?: (?:is|number|no\.?|ending in))?:?\s#?$/i
const ROOM_BEFORE = /\b(?:room|suite|flight|apartment|apt\.?)\s(?:number\s)?#?$/i
/** "Call 911". */
const EMERGENCY_BEFORE = /\b(?:call|dial|phone)(?:ed|ing|s)? $/i
const EMERGENCY_AFTER = /^ (?:calls?|caller|operator|dispatcher|emergency)\b/
/** "1.5m copies", not a length. */
export const COUNTED_AFTER =
  /^ (?:people|copies|users|viewers|subscribers|customers|votes|units|visitors|members|tonnes|tons|barrels|jobs|homes|children|workers|passengers|records|followers|downloads|shares|Americans|Britons|inhabitants|residents|euros?|dollars?|pounds?)\b/

/** Everything that is a plain number: ordinals, scores, ranges, decimals, years and counts. */
export const counts = (): Rule[] => [...namedCounts(), ...ranges(), ...plainNumbers()]

const namedCounts = (): Rule[] => [
  ...signed(
    'cardinal',
    `(?<sign>[-−–])?(?<number>${NUMBER})[ -](?<magnitude>${WORD_MAGNITUDES.join('|')})(?!\\p{L})`,
    ({ sign, number = '', magnitude = '' }, around) =>
      isSignFree(sign, around) ? `${signOf(sign ?? '')}${decimal(number)} ${magnitude}` : null,
  ),
  rule(
    'ordinal',
    'digit',
    `(?<number>${WHOLE})(?<suffix>st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ)${END}`,
    ({ number = '', suffix = '' }) => {
      const plain = number.replaceAll(',', '')
      const written = suffix.normalize('NFKD').toLowerCase()
      if (rightSuffix(plain) === written) return ordinal(number)
      return `${plain.length > 2 ? digits(plain) : cardinal(plain)} ${written}`
    },
  ),
  // "747s", "his 40s" is a decade.
  rule('cardinal', 'digit', String.raw`(?<number>\d{1,4})s(?![\p{L}\d]|\.\d)`, ({ number = '' }) =>
    plural(inPlural(number)),
  ),
  // "the 18th–19th centuries".
  rule('range', 'symbol', String.raw`[-–](?=\d{1,3}(?:st|nd|rd|th)${END})`, (_groups, { before }) =>
    /\d(?:st|nd|rd|th)$/.test(before) ? ' to ' : null,
  ),
]

const inPlural = (number: string): string =>
  /^7\d7$/.test(number) ? `${cardinal(number[0] as string)} ${cardinal(number.slice(1))}` : cardinal(number)

const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const rightSuffix = (number: string): string => {
  ordinalRules ??= new Intl.PluralRules('en', { type: 'ordinal' })
  return SUFFIXES[ordinalRules.select(Number(number))] as string
}
let ordinalRules: Intl.PluralRules | null = null

function ranges(): Rule[] {
  const COUNT = String.raw`\d{1,3}(?:,\d{3}){1,3}|\d{1,6}`
  return [
    // "2.5:1", "a rating of 4.5/5".
    rule(
      'range',
      'digit',
      String.raw`(?<a>\d{1,4}(?:\.\d{1,3})?)(?<mark>[:/])(?<b>\d{1,4}(?:\.\d{1,3})?)(?![\d:/]|\.\d)`,
      ({ a = '', mark, b = '' }) =>
        `${a}${b}`.includes('.') ? `${decimal(a)} ${mark === ':' ? 'to' : 'out of'} ${decimal(b)}` : null,
    ),
    // "A scale of 1:50,000".
    rule(
      'range',
      'digit',
      String.raw`(?<a>\d{1,3}):(?<b>\d{1,3}(?:,\d{3}){1,3})(?!\d)`,
      ({ a = '', b = '' }) => `${cardinal(a)} to ${cardinal(b)}`,
    ),
    rule('score', 'digit', String.raw`(?<a>\d{1,3})(?<mark>[-–:])(?<b>\d{1,3})(?![\d\p{L}]|[-–:/.,]\d)`, readScore),
    // "6-4, 3-6, 7-5" of a set, and lists of points.
    rule(
      'range',
      'digit',
      `(?<from>${COUNT})(?: ?[–—] ?|-| - )(?<to>${COUNT})(?<percent> ?%)?(?![\\d\\p{L}]|[-–/]\\d|\\.\\d)`,
      readRange,
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{1,6}(?:\.\d{1,4})?)(?<percent1> ?%)? ?${DASH} ?(?<to>\d{1,6}(?:\.\d{1,4})?)(?<percent> ?%)?(?![\d\p{L}]|[-–./]\d)`,
      ({ from = '', percent1, to = '', percent }) =>
        percent1 === undefined && !from.includes('.') && !to.includes('.')
          ? null
          : `${decimal(from)} to ${decimal(to)}${percent === undefined ? '' : ' percent'}`,
    ),
  ]
}

const readScore: Read = ({ a = '', mark, b = '' }, { before, after }) => {
  if (mark === ':') return `${cardinal(a)} to ${cardinal(b)}`
  if (a === b && Number(a) >= 20) return `${cardinal(a)} ${cardinal(b)}`
  const isScore = SCORE_BEFORE.test(before) || SCORE_AFTER.test(after)
  const isFalling = Number(a) >= Number(b) && a.length < 3 && !/[\p{L}\d-]$/u.test(before)
  return isScore || isFalling ? `${cardinal(a)} to ${cardinal(b)}` : null
}

const readRange: Read = ({ from = '', to = '', percent }, { before }, match) => {
  if (/[\p{L}\d]-$|[\p{L}/]$/u.test(before)) return null
  // "pp. 123–45" goes on to 145.
  const isShort = match.includes('–') && /^[1-9]\d$/.test(to) && /^\d{3,4}$/.test(from)
  const isRising = isShort || Number(to.replaceAll(',', '')) > Number(from.replaceAll(',', ''))
  // "555-1234" and "1-8090" are names of some kind.
  if (!isRising || (match.includes('-') && !match.includes(' ') && to.length - from.length > 2))
    return percent === undefined ? null : say()
  return say()

  function say(): string {
    const isOfYears = /^(?:1[1-9]|20)\d\d$/.test(from) && to.length === 4
    const number = isOfYears ? year : cardinal
    return `${number(from)} to ${number(to)}${percent === undefined ? '' : ' percent'}`
  }
}

const plainNumbers = (): Rule[] => [
  ...signed(
    'decimal',
    String.raw`(?<sign>[-−–+])?(?<number>(?:${WHOLE})?\.\d{1,40})(?<more>(?:\.\d{1,6}){1,6})?(?<letter>[KMBT]\b)?`,
    ({ sign, number = '', more, letter }, around) => {
      if (!isSignFree(sign, around) || (number.startsWith('.') && /[.\d\p{L}]$/u.test(around.before))) return null
      if (more !== undefined) return `${number}${more}`.split('.').map(cardinal).join(' point ')
      return `${signOf(sign ?? '')}${decimal(number)}${letter === undefined ? '' : ` ${MAGNITUDES[letter]}`}`
    },
  ),
  rule('cardinal', 'symbol', `(?<sign>[-−–+])(?<number>${WHOLE})`, ({ sign = '', number = '' }, { before }) =>
    /(?:^|[\s([?!,:;=<>"“'*/])$/.test(before) ? `${signOf(sign)}${cardinal(number)}` : null,
  ),
  rule(
    'cardinal',
    'digit',
    WHOLE,
    (_groups, around, match) => `${bare(match, around)}${/^\([a-z]\)/.test(around.after) ? ' ' : ''}`,
  ),
]

/** A whole number without anything beside it that says what it is. */
function bare(number: string, { before, after }: Around): string {
  if (number.includes(',')) return cardinal(number)
  if (/^0\d/.test(number) || (number.length > 3 && SPELLED_BEFORE.test(before))) return digits(number)
  if (number.length === 3 && /\barea code(?:s| is| was)?\s$/i.test(before)) return digits(number)
  if (number.length === 3 && ROOM_BEFORE.test(before)) return inRoom(number)
  if (/^(?:911|999|112|000)$/.test(number) && (EMERGENCY_BEFORE.test(before) || EMERGENCY_AFTER.test(after)))
    return digits(number)
  if (number.length === 4) return isYear(Number(number), before, after) ? year(number) : cardinal(number)
  return number.length > 15 ? digits(number) : cardinal(number)
}

/** "Room one oh one", "Flight three seventy". */
const inRoom = (number: string): string => {
  if (number.endsWith('00')) return cardinal(number)
  return number[1] === '0'
    ? `${cardinal(number[0] as string)} oh ${cardinal(number[2] as string)}`
    : `${cardinal(number[0] as string)} ${inPairs(number.slice(1))}`
}

function isYear(value: number, before: string, after: string): boolean {
  if (value < 1000 || value >= 2100 || /[$£€¥]\s?$/.test(before) || SURE_COUNT_BEFORE.test(before)) return false
  const isInYear = YEAR_BEFORE.test(before)
  if (PLURAL_NEXT.test(after)) return isInYear && !/\b(?:the|from|by)\s$/i.test(before)
  return value >= 1100 ? isInYear || !COUNT_BEFORE.test(before) : isInYear
}
