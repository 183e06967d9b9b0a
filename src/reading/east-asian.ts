import { oneOf, plainDigits, rule, rulesAt, SUBSCRIPTS, SUPERSCRIPTS } from './rules.ts'
import type { Read, Rule, RuleAnswer, TokenKind } from './scan.ts'

/** Words and grammar that the rules for Chinese, Japanese and Korean need. In a value, `#` stands for the number; without it the number comes first. */
export interface EastAsianWords {
  /** A number as it is written: with a sign, commas and decimals. */
  readonly number: (written: string, after?: string) => string
  /** Digit by digit. */
  readonly digits: (number: string) => string
  readonly phone: (number: string) => string
  /** Before a number. */
  readonly minus: string
  readonly plus: string
  /** Between two numbers. */
  readonly less: string
  /** Behind the number of an item in a list. */
  readonly pause: string
  /** Between a number and its unit. */
  readonly gap: '' | ' '
  readonly to: string
  readonly point: string
  readonly per: (unit: string, per: string) => string
  /** Behind an amount: 元/公斤. */
  readonly each: (unit: string) => string
  /** A regular expression: what may stand behind the slash besides units. */
  readonly eachOf: string
  /** Behind minutes, and behind seconds. */
  readonly clock: readonly [minutes: string, seconds: string]
  /** Between the parts of a number with hyphens, such as an account's. */
  readonly joint: string
  /** Between the two numbers of a score. */
  readonly against: string
  readonly power: (exponent: string) => string
  /** The number of atoms in a formula. Absent: digit by digit. */
  readonly atoms?: (number: string) => string
  /** Characters such as 万 between an amount and its currency. */
  readonly magnitudes: string
  readonly units: Readonly<Record<string, string>>
  readonly currencies: Readonly<Record<string, string>>
  /** Marks inside of addresses. */
  readonly marks: Readonly<Record<string, string>>
  readonly symbols: Readonly<Record<string, string>>
  /** Latin abbreviations. A key that ends in a period needs it; others are read with and without. */
  readonly abbreviations: Readonly<Record<string, string>>
  /** Before a temperature, if it has words of its own. */
  readonly degrees?: { readonly unit: RegExp; readonly below: string; readonly above: string }
  /** A part of an address, such as `kr`, that is not said as it is written. */
  readonly label?: (label: string, isEnd: boolean) => string
  /** A rating: ★★★☆☆ is three stars. */
  readonly stars: (count: number) => string
  /** A particle behind a unit, whose form follows the last sound. Null: none stands there. */
  readonly particle?: (said: string, after: string) => string | null
  /** Letters and a number, such as A320. */
  readonly serial: (letters: string, number: string) => string
}

export const WHOLE = String.raw`(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,40})`
export const NUMBER = String.raw`(?:${WHOLE}(?:\.\d{1,40})?)`
export const SIGN = '(?<sign>[-+±])?'
const DASH = '[-–—−~～〜]'
const CLOSING = /[.,;:!?)\]}'"]+$/
const URL = String.raw`(?:https?|ftp):\/\/[A-Za-z\d._~:/?#@!$&'*+;=%()-]{2,2000}|www\.[A-Za-z\d./?=&%_-]{2,500}`
const EMAIL = String.raw`[A-Za-z\d][A-Za-z\d._%+-]{0,63}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,5}`
const DOMAIN = String.raw`[A-Za-z\d][A-Za-z\d-]{0,62}(?:\.[A-Za-z\d-]{1,63}){0,4}\.(?:com|net|org|edu|gov|info|io|dev|app|cn|jp|kr|tw|hk|uk|de|fr|eu)(?![A-Za-z\d])(?:\/[A-Za-z\d./?=&%_-]{0,500})?`
const FILE = String.raw`(?<name>[\p{L}\d_-]{1,60})\.(?<extension>jpe?g|png|gif|svg|pdf|txt|md|csv|json|docx?|xlsx?|pptx?|hwp|zip|exe|mp3|mp4|html?)(?![A-Za-z\d])`

const FULL_WIDTH =
  /[０-９Ａ-Ｚａ-ｚ％＋－／＝＄＠＃＆＜＞＾]|(?<=[0-9０-９])[．：](?=[0-9０-９])|(?<=[０-９])，(?=[０-９]{3})/g

/** A minus sign that does not stand between two things. */
const LONG_MINUS = /(?<![\dA-Za-z)\]²³%］）] ?)−(?=\d)/g

/**
 * Letters, digits and the signs of numbers at full width become those of ASCII; other punctuation keeps its form and so its pauses.
 * The minus sign of a number becomes a hyphen.
 */
export const foldWidth = (text: string): string =>
  text
    .replaceAll(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replaceAll(LONG_MINUS, '-')

export const isDate = (month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31

/** A number that may have a sign before it. */
export function signedRules(kind: TokenKind, pattern: string, read: Read): Rule[] {
  const shared = rule(kind, 'digit', pattern, read)
  return [shared, { ...shared, starts: 'symbol', first: '-+±' }]
}

const fill = (said: string, name: string, gap: string): string =>
  name.includes('#') ? name.replace('#', said) : `${said}${gap}${name}`

/** A sign behind a Latin letter or a digit is a hyphen. */
export const isSigned = (sign: string | undefined, before: string): boolean =>
  sign === undefined || !/[A-Za-z\d²³)）%]$/.test(before)

const isAscending = (from: string, to: string): boolean =>
  Number(to.replaceAll(',', '')) > Number(from.replaceAll(',', ''))

/** Faces of brackets and signs, as they are typed. */
const FACE = String.raw`[(（](?=[^)）]{0,9}[\^＾´∀ω▽￣≧≦Д_;])[\^＾;；_´∀ω▽￣・*≧≦Д゚><.TOo ]{2,9}[)）]|\^[_.]?\^|;_;|>[_.]<|T[_.]T(?![A-Za-z])`

/** Addresses come before all other rules, since they hold numbers, dots and slashes. */
export function electronicRules(words: EastAsianWords): Rule[] {
  const read: Read = (_groups, _around, match) => {
    const address = match.replace(CLOSING, '')
    return { spoken: sayAddress(words, address), length: address.length }
  }
  const both = ['letter', 'digit'] as const
  return [
    ...rulesAt(['symbol', 'letter'], 'emoji', FACE, () => ''),
    ...rulesAt(both, 'electronic', `${URL}|${EMAIL}|${DOMAIN}`, read, 'i'),
    ...rulesAt(both, 'electronic', FILE, (_groups, _around, match) => sayAddress(words, match), 'i'),
    rule(
      'electronic',
      'letter',
      String.raw`[A-Za-z][A-Za-z\d]{0,30}(?:_[A-Za-z\d]{1,30}){1,5}`,
      (_groups, _around, match) => sayAddress(words, match),
    ),
    rule(
      'electronic',
      'symbol',
      String.raw`(?<mark>[@#])(?<name>[A-Za-z_][A-Za-z\d_]{0,40})`,
      ({ mark = '', name = '' }) => `${words.marks[mark]} ${sayAddress(words, name)}`,
    ),
  ]
}

function sayAddress({ marks, digits, label }: EastAsianWords, address: string): string {
  const pieces: string[] = address.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? []
  const host = address.includes('@') ? pieces.indexOf('@') : 0
  return pieces
    .map((piece, index) => {
      if (/^\d+$/.test(piece)) return digits(piece)
      const mark = marks[piece]
      if (mark !== undefined) return ` ${mark} `
      return label?.(piece, pieces[index - 1] === '.' && index > host) ?? piece
    })
    .join('')
    .replaceAll(/ +/g, ' ')
    .trim()
}

/** Periods of initials, titles and other abbreviations are no ends of sentences, before which engines pause: "Dr. 田中", "J. R. Smith". */
export function abbreviationRules({ abbreviations }: EastAsianWords): Rule[] {
  const words = Object.keys(abbreviations)
  const PLAIN = `Co\\.?,? ?Ltd|${oneOf(words.filter((word) => !word.endsWith('.')))}`
  const DOTTED = oneOf(words.filter((word) => word.endsWith('.')))
  const LETTER = '[\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Hiragana}\\p{Script=Katakana}]'
  const INITIALS = `(?:[A-Z][a-z]?\\. ?){2,6}|(?:[a-z]\\.){2,6}|[A-Z]\\.(?=${LETTER}| ?[A-Za-z])`
  const keepingEnd = (match: string, after: string, spoken: string): RuleAnswer =>
    /\. ?$/.test(match) && /^['"”’)\]」』）]*\s*(?:\n|$)/.test(after)
      ? { spoken: spoken.trimEnd(), length: match.trimEnd().length - 1 }
      : spoken
  return [
    rule(
      'abbreviation',
      'letter',
      `(?<word>${PLAIN})(?:\\.|(?![A-Za-z\\d.]))|(?<dotted>${DOTTED})(?![A-Za-z]{2})`,
      ({ word, dotted }, { before, after }, match) => {
        // "/etc/hosts".
        if (before.endsWith('/') || after.startsWith('/')) return null
        return keepingEnd(match, after, abbreviations[word?.replace(/^Co\b.*/, 'Co. Ltd') ?? dotted ?? ''] ?? match)
      },
    ),
    rule('abbreviation', 'letter', INITIALS, (_groups, { after }, match) =>
      keepingEnd(match, after, match.replaceAll('.', '')),
    ),
  ]
}

/** Names whose number is said in another way. */
export const namedNumbers = (names: Readonly<Record<string, string>>): Rule[] =>
  rulesAt(
    ['letter', 'digit'],
    'serial',
    String.raw`(?:${oneOf(Object.keys(names))})(?![A-Za-z\d]|\.\d)`,
    (_groups, _around, match) => names[match] ?? null,
  )

/** "11/30前": no fraction, if what follows it names a time and it is no small number. */
export const dayRule = (around: RegExp, sayDay: (month: string, day: string) => string): Rule =>
  rule(
    'date',
    'digit',
    String.raw`(?<month>\d{1,2})\/(?<day>1[3-9]|2\d|3[01])(?![\d/])`,
    ({ month = '', day = '' }, { after }) => (isDate(month, day) && around.test(after) ? sayDay(month, day) : null),
  )

/** "11/18-11/19", but "1/4-1/2" are fractions. */
export const daySpanRule = (to: string, sayDay: (month: string, day: string) => string): Rule =>
  rule(
    'range',
    'digit',
    String.raw`(?<fromMonth>\d{1,2})\/(?<fromDay>\d{1,2}) ?(?:${DASH}{1,2}|至|到) ?(?<toMonth>\d{1,2})\/(?<toDay>\d{1,2})(?![\d/])`,
    ({ fromMonth = '', fromDay = '', toMonth = '', toDay = '' }) => {
      const areDates = isDate(fromMonth, fromDay) && isDate(toMonth, toDay)
      const areNoFractions =
        Number(fromDay) > 12 || Number(toDay) > 12 || (fromMonth === toMonth && Number(fromMonth) > 1)
      return areDates && areNoFractions ? `${sayDay(fromMonth, fromDay)}${to}${sayDay(toMonth, toDay)}` : null
    },
  )

export function moneyRules(words: EastAsianWords): Rule[] {
  const { currencies, magnitudes, gap, to, minus, number } = words
  const CURRENCY = oneOf(Object.keys(currencies))
  const MAGNITUDE = `(?<magnitude>[${magnitudes}]{1,2})?`
  const nameOf = (written: string): string | undefined => currencies[written] ?? currencies[written.toUpperCase()]
  const read: Read = (
    { sign, currency = '', number: written = '', from, magnitude = '' },
    { before, after },
    match,
  ) => {
    const name = nameOf(currency)
    if (name === undefined || !isSigned(sign, before)) return null
    const amount = `${number(withoutCents(written))}${magnitude}`
    const range = from === undefined ? '' : `${number(from)}${to}`
    const said = `${sign === '-' ? minus : ''}${range}${fill(amount, name, gap)}`
    // "¥39元" names its currency twice.
    if (after.startsWith(name)) return { spoken: said, length: match.length + name.length }
    return withParticle(words, said, after, match)
  }
  const AMOUNT = `(?:(?<from>${NUMBER})${DASH})?(?<number>${NUMBER})${MAGNITUDE}`
  return [
    ...rulesAt(
      ['symbol', 'letter'],
      'money',
      String.raw`(?<sign>[-−])?(?<currency>${CURRENCY}) ?${AMOUNT}(?![\d%])`,
      read,
      'i',
    ),
    ...signedRules('money', String.raw`${SIGN}${AMOUNT} ?(?<currency>${CURRENCY})(?![A-Za-z\d])`, read),
  ]
}

/** Takes the particle behind a match into it. */
function withParticle({ particle }: EastAsianWords, said: string, after: string, match: string): RuleAnswer {
  const spoken = particle?.(said, after) ?? null
  return spoken === null ? said : { spoken, length: match.length + 1 }
}

/** Round amounts are said without their cents. */
const withoutCents = (written: string): string =>
  written.replace(/\.(\d*?)0+$/, (_all, cents: string) => (cents === '' ? '' : `.${cents}`))

/** Other rules would take these apart: 50/60Hz, a jump of 2m36, a race of 3:41.44. They come before fractions and times. */
export const pairRules = (words: EastAsianWords): Rule[] => [...raceRules(words), ...doubleMeasureRules(words)]

/** Times of races, ratios, and numbers of items. */
const raceRules = ({ number, digits, pause, against, clock }: EastAsianWords): Rule[] => [
  rule(
    'time',
    'digit',
    String.raw`(?<minutes>\d{1,2}):(?<seconds>[0-5]\d)\.(?<rest>\d{1,3})(?![\d:])`,
    ({ minutes = '', seconds = '', rest = '' }, { before }) =>
      RATIO.test(before) || /:$/.test(before)
        ? null
        : `${number(minutes)}${clock[0]}${number(String(Number(seconds)))}${clock[1]}${digits(rest)}`,
  ),
  rule(
    'score',
    'digit',
    String.raw`\d{1,4}(?:\.\d{1,4})?(?::\d{1,4}(?:\.\d{1,4})?){1,3}(?![\d:])`,
    (_groups, _around, match) =>
      match.includes('.')
        ? match
            .split(':')
            .map((part) => number(part))
            .join(against)
        : null,
  ),
  rule(
    'time',
    'digit',
    String.raw`(?<minutes>\d{1,2})['′’](?<seconds>[0-5]\d)["″”](?!\d)`,
    ({ minutes = '', seconds = '' }) =>
      `${number(minutes)}${clock[0]}${number(String(Number(seconds)))}${clock[1].trim()}`,
  ),
  rule('cardinal', 'digit', String.raw`(?<item>\d{1,2})\.(?=[\p{Script=Han}ぁ-ヶ])`, ({ item = '' }, { before }) =>
    /(?:^|[\s；;。、])$/.test(before) ? `${number(item)}${pause}` : null,
  ),
]

const doubleMeasureRules = ({ number, units, pause, gap }: EastAsianWords): Rule[] => [
  rule(
    'measure',
    'digit',
    String.raw`(?<high>\d{2,3})\/(?<low>\d{2,3}) ?(?<unit>mmHg|Hz|V)(?![A-Za-z])`,
    ({ high = '', low = '', unit = '' }) => `${number(high)}${pause}${fill(number(low), units[unit] ?? unit, gap)}`,
  ),
  rule(
    'measure',
    'digit',
    String.raw`(?<first>\d{1,4})(?<unit>km|m|cm|kg|h|hr|min)(?=\d{1,3} ?(?:m|cm|mm|g|min|s|sec)(?![A-Za-z]))`,
    ({ first = '', unit = '' }) => `${fill(number(first), units[unit] ?? unit, gap)}${gap}`,
  ),
  rule(
    'measure',
    'digit',
    String.raw`(?<meters>\d{1,2})m(?<rest>\d\d)(?![A-Za-z\d.])`,
    ({ meters = '', rest = '' }) => `${fill(number(meters), units.m ?? 'm', gap)}${gap}${number(rest)}`,
  ),
]

const RATIO = /(?:比例?|割合|비율)[为是为はが은이：: ]{0,2}$/

/** Behind these a unit does not repeat that it is counted by time. */
const RATE = /(?:[时時]速|每(?:小时|秒)|秒速|시속|초속)(?:约|約|약)? ?$/
const BY_TIME = /每(?:小时|秒)$|毎[時秒]$/

export function measureRules(words: EastAsianWords): Rule[] {
  const { units, gap, to, per, magnitudes } = words
  const UNIT = `${oneOf(Object.keys(units))}|[㎀-㏟]`
  const nameOf = (written: string): string | undefined => units[written] ?? units[written.normalize('NFKC')]
  const read: Read = (
    { sign, from, number = '', magnitude = '', unit = '', per: below, time },
    { before, after },
    match,
  ) => {
    const isRate = RATE.test(before)
    const name = isRate ? nameOf(unit)?.replace(BY_TIME, '') : nameOf(unit)
    if (name === undefined || !isSigned(sign, before)) return null
    const first = from === undefined ? '' : `${fill(words.number(from), name.includes('#') ? name : '#', gap)}${to}`
    const value = from === undefined ? words.number(number, name) : signed(words, number, name, sign)
    const measured = fill(`${value}${magnitude}`, name, gap)
    const divided = below === undefined || isRate ? measured : per(measured, nameOf(below) ?? below)
    const said = `${first}${time === undefined ? divided : per(divided, nameOf(time) ?? time)}`
    return withParticle(words, `${signWord(words, sign, name)}${said}`, after, match)
  }
  const END = String.raw`(?:\/(?<per>${UNIT})(?:\/(?<time>${words.eachOf}|${UNIT}))?)?(?:(?<=[%‰])|(?![A-Za-z\d²³]))`
  return [
    ...slashRules(words, UNIT, nameOf),
    ...signedRules(
      'range',
      `${SIGN}(?<from>${NUMBER}) ?(?:${UNIT})?${DASH}(?<number>[-−+]?${NUMBER}) ?(?<unit>${UNIT})${END}`,
      read,
    ),
    ...signedRules(
      'measure',
      `${SIGN}(?<number>${NUMBER})(?<magnitude>[${magnitudes}]{1,2})? ?(?<unit>${UNIT})${END}`,
      read,
    ),
  ]
}

function slashRules(
  { eachOf, each }: EastAsianWords,
  unit: string,
  nameOf: (unit: string) => string | undefined,
): Rule[] {
  const AMOUNT = /(?:[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]|\d[A-Za-z]{1,3}|[¥￥$€£₩][\d.,]{1,20})$/u
  return [
    // "60mL/min/1.73m²".
    rule('measure', 'symbol', `\\/(?=${NUMBER} ?(?:${unit}))`, (_groups, { before }) =>
      /\d ?[A-Za-zµμ]{1,4}\/[A-Za-z]{1,4}$/.test(before) ? each('') : null,
    ),
    rule('measure', 'symbol', `\\/(?<per>${eachOf}|${unit})(?![A-Za-z])`, ({ per = '' }, { before }) =>
      AMOUNT.test(before) ? each(nameOf(per) ?? per) : null,
    ),
  ]
}

/** A sign before a number, or before a temperature: 零下. */
function signWord({ plus, minus, degrees }: EastAsianWords, sign: string | undefined, unit = ''): string {
  if (sign === undefined) return ''
  if (sign === '±') return `${plus}${minus}`
  if (degrees?.unit.test(unit) === true) return sign === '+' ? degrees.above : degrees.below
  return sign === '+' ? plus : minus
}

/** The last number of a range. A temperature above zero says so behind one below it: 零下五到零上三摄氏度. */
function signed(words: EastAsianWords, written: string, unit: string, first: string | undefined): string {
  if (words.degrees?.unit.test(unit) !== true) return words.number(written, unit)
  const sign = /^[-−]/.test(written) ? '-' : first === '-' && Number(written) > 0 ? '+' : undefined
  return `${signWord(words, sign, unit)}${words.number(written.replace(/^[-−]/, ''), unit)}`
}

/** Ranges, serial names and all other numbers: the last of the rules for digits. */
export function numberRules(words: EastAsianWords): Rule[] {
  const { number, digits, point, serial } = words
  const plain: Read = ({ sign, number: written = '' }, { before, after }) =>
    isSigned(sign, before) ? `${signWord(words, sign, after)}${number(written, /第$/.test(before) ? '' : after)}` : null
  return [
    ...rulesAt(
      ['digit', 'letter'],
      'serial',
      String.raw`[vV]?(?<all>\d{1,5}(?:\.\d{1,5}){2,4})(?![\d.])`,
      ({ all = '' }) =>
        all
          .split('.')
          .map((part) => (part.length > 2 ? digits(part) : number(part)))
          .join(point),
    ),
    ...chainRules(words),
    ...hyphenRules(words),
    ...minusRules(words),
    rule(
      'serial',
      'letter',
      String.raw`(?<letters>[A-Za-z]{1,12})[-–]?(?<number>\d{1,20})(?![\d.]\d|\d)`,
      ({ letters = '', number: written = '' }) => serial(letters, written),
    ),
    ...signedRules('decimal', `${SIGN}(?<number>${NUMBER})`, plain),
  ]
}

/** A sign behind a letter or a power of a formula: x²-2x-3. */
function minusRules({ less, number }: EastAsianWords): Rule[] {
  const COMPARED = /^(?:\d{1,9}|[a-z])[²³]? ?[=<>≤≥+]/
  return [
    rule('math', 'letter', '(?<letter>[a-z]) ?[-−–] ?(?=[a-z0-9])', ({ letter = '' }, { before, after }) =>
      /[\d²³+=(×-]$/.test(before) || (/[nxyz]/.test(letter) && /^\d/.test(after)) || COMPARED.test(after)
        ? `${letter}${less}`
        : null,
    ),
    rule('math', 'symbol', '[-−–] ?(?=[a-z0-9])', (_groups, { before }) => (/[²³⁰⁴-⁹] ?$/.test(before) ? less : null)),
    {
      ...rule('decimal', 'symbol', String.raw`\.(?<places>\d{3})(?![\p{L}\d])`, ({ places = '' }, { before }) =>
        /[A-Za-z\d.)]$/.test(before) ? null : number(`0.${places}`),
      ),
      first: '.',
    },
  ]
}

/** Numbers with two hyphens or more, and ranges below zero. */
function chainRules({ number, digits, to, joint }: EastAsianWords): Rule[] {
  return [
    rule('serial', 'digit', String.raw`\d{1,8}(?:-\d{1,8}){2,5}(?![\d-]|\.\d| ?=)`, (_groups, _around, match) =>
      match
        .split('-')
        .map(digits)
        .join(/\d\d/.test(match) ? joint : ''),
    ),
    ...signedRules(
      'range',
      `${SIGN}(?<from>${NUMBER})[~～〜](?<end>[-−]?${NUMBER})(?!\\d|[-/.]\\d)`,
      ({ sign = '', from = '', end = '' }, { before, after }) =>
        (sign !== '' || /^[-−]/.test(end)) && isSigned('-', before)
          ? `${number(`${sign}${from}`)}${to}${number(end, after)}`
          : null,
    ),
  ]
}

/** A hyphen between numbers: minus, a score, or a range. */
function hyphenRules({ number, less, to, against }: EastAsianWords): Rule[] {
  const score: Read = ({ a = '', b = '' }, { before }) => {
    const [, first = '0', second = '0'] = /(\d{1,2})-(\d{1,2})[、,，] ?$/.exec(before) ?? []
    const isScore = Number(b) <= Number(a) || Number(second) < Number(first)
    return isScore && isSigned('-', before) ? `${number(a)}${against}${number(b)}` : null
  }
  return [
    rule(
      'math',
      'digit',
      `(?<a>${NUMBER}) ?[-−–] ?(?<b>${NUMBER})(?= ?=)`,
      ({ a = '', b = '' }) => `${number(a)}${less}${number(b)}`,
    ),
    rule('score', 'digit', String.raw`(?<a>\d{1,2})[-–](?<b>\d{1,2})(?!\d|[-/.]\d)`, score),
    rule(
      'range',
      'digit',
      String.raw`(?<from>(?:1\d|20)\d\d)[-–](?<end>\d\d)(?!\d|[-/.]\d)`,
      ({ from = '', end = '' }) => (Number(end) > Number(from) % 100 ? `${number(from)}${to}${number(end)}` : null),
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>${NUMBER})${DASH}(?<end>${NUMBER})(?!\d|[-/.]\d)`,
      ({ from = '', end = '' }, { before, after }) =>
        isAscending(from, end) && isSigned('-', before) ? `${number(from)}${to}${number(end, after)}` : null,
    ),
  ]
}

/** Powers, also before a unit, and the numbers of atoms. */
function scriptRules({ power, number, digits, atoms = digits, units, gap, each }: EastAsianWords): Rule[] {
  const UNIT = oneOf(Object.keys(units).filter((unit) => /^[A-Za-z]/.test(unit)))
  return [
    rule(
      'math',
      'symbol',
      `(?<marks>⁻?[${SUPERSCRIPTS}]{1,6}) ?(?<unit>${UNIT})(?:\\/(?<per>${UNIT}))?(?![A-Za-z\\d²³])`,
      ({ marks = '', unit = '', per }, { before }) =>
        /\d$/.test(before)
          ? `${power(number(plainDigits(marks, SUPERSCRIPTS)))}${gap}${units[unit]}${per === undefined ? '' : each(units[per] ?? per)}`
          : null,
    ),
    rule('math', 'symbol', `(?<marks>⁻?[${SUPERSCRIPTS}]{1,6})`, ({ marks = '' }) =>
      power(number(plainDigits(marks, SUPERSCRIPTS))),
    ),
    rule('math', 'symbol', `(?<marks>[${SUBSCRIPTS}]{1,6})`, ({ marks = '' }, { before }) =>
      (/(?:[A-Z][a-z]?|[)\]])$/.test(before) ? atoms : digits)(plainDigits(marks, SUBSCRIPTS)),
    ),
  ]
}

export function symbolRules(words: EastAsianWords): Rule[] {
  const { symbols, number, stars, gap, pause } = words
  return [
    ...scriptRules(words),
    rule('math', 'symbol', String.raw`\*(?=\d)`, (_groups, { before }) =>
      /\d$/.test(before) ? `${gap}${symbols['×']}${gap}` : null,
    ),
    rule('punctuation', 'symbol', String.raw`\/`, (_groups, { before, after }) =>
      /(?:[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]|\d[A-Za-z]{1,3})$/u.test(before) &&
      /^[\d\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]/u.test(after)
        ? pause
        : null,
    ),
    rule('symbol', 'symbol', '(?<full>★{2,10})☆{0,9}|(?<one>★)☆{1,9}', ({ full, one = '' }) =>
      stars((full ?? one).length),
    ),
    rule(
      'symbol',
      'symbol',
      `(?<mark>${oneOf(Object.keys(symbols))})`,
      ({ mark = '' }, { before, after }) =>
        `${/\S$/.test(before) ? gap : ''}${symbols[mark]}${/^[^\s.,!?;:)]/.test(after) ? gap : ''}`,
    ),
    ...rulesAt(['symbol', 'letter'], 'cardinal', `[①-⓿㉑-㉟㊱-㊿Ⅰ-Ⅻⅰ-ⅻ]`, (_groups, { before, after }, match) => {
      const isNext = match !== '①' && before.includes(String.fromCharCode(match.charCodeAt(0) - 1))
      const isItem = (isNext || /(?:^|[\s；;、，,。.])$/.test(before)) && /^\p{L}/u.test(after)
      return `${isNext && /\p{L}$/u.test(before) ? pause : ''}${number(enclosedValue(match))}${isItem ? pause : ''}`
    }),
  ]
}

/** ⑫ and Ⅻ are both 12. */
function enclosedValue(character: string): string {
  const code = character.charCodeAt(0)
  if (code >= 0x2170 && code < 0x2180) return String(code - 0x2170 + 1)
  if (code >= 0x2160 && code < 0x2170) return String(code - 0x2160 + 1)
  return character.normalize('NFKC').replaceAll(/\D/g, '')
}
