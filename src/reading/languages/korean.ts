import {
  type EastAsianWords,
  electronicRules,
  foldWidth,
  isDate,
  isSigned,
  measureRules,
  moneyRules,
  NUMBER,
  numberRules,
  SIGN,
  signedRules,
  symbolRules,
  WHOLE,
} from '../east-asian.ts'
import { oneOf, rule, rulesAt } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import {
  beforeCounts,
  cardinal,
  counted,
  digits,
  month,
  native,
  number,
  plainNumber,
  spellLetters,
  withParticle,
} from './korean-numbers.ts'
import { CURRENCIES, DAYS, LABELS, MARKS, SYMBOLS, UNITS } from './korean-words.ts'

const WAVE = '[〜～~]'
const HALF_DAY = /(?:오전|오후|새벽|아침|점심|낮|정오|저녁|밤)\s?$/

/** The rules of Korean, in the order in which they are tried. */
export function korean(): RuleBook {
  const words = koreanWords()
  return {
    spaces: 'before numbers',
    fold: foldWidth,
    marks: MARKS,
    rules: [
      ...electronicRules(words),
      ...cards(),
      ...dates(),
      ...spans(),
      ...times(),
      ...telephones(),
      ...scores(),
      ...fractions(),
      limit(words),
      ...moneyRules(words),
      ...measureRules(words),
      ...beforeCounts(),
      ...counted(),
      ...numberRules(words),
      equals(),
      ...symbolRules(words),
    ],
  }
}

const koreanWords = (): EastAsianWords => ({
  number,
  digits,
  phone: digits,
  minus: '마이너스 ',
  plus: '플러스 ',
  less: ' 빼기 ',
  pause: ', ',
  gap: ' ',
  to: '에서 ',
  point: '점',
  per: (measured, unit) => `${measured} 퍼 ${unit}`,
  each: (unit) => ` 퍼 ${unit}`,
  eachOf: '[일월년시분초명개인회권장]',
  against: ' 대 ',
  power: (exponent) => ({ 이: ' 제곱', 삼: ' 세제곱' })[exponent] ?? `의 ${exponent}제곱`,
  magnitudes: '천백만억조',
  units: UNITS,
  currencies: CURRENCIES,
  marks: MARKS,
  symbols: SYMBOLS,
  label: (label, isEnd) =>
    isEnd && /^[a-z]{2,4}$/i.test(label)
      ? (LABELS[label.toLowerCase()] ?? (label.length < 5 ? spellLetters(label) : label))
      : label,
  particle: (said, after) => (/^[은는이가을를과와](?![가-힣])/.test(after) ? withParticle(said, after[0]) : null),
  stars: (count) => `별 ${native(String(count))}개`,
  serial: (letters, written) => `${letters}${written.length > 4 ? digits(written) : cardinal(written)}`,
})

function cards(): Rule[] {
  const ASKED =
    /(?:끝자리|마지막 [네4]자리|뒷자리|비밀번호|인증번호|우편번호|내선|사번|학번|계좌번호)[는은가이:\s]{0,2}$/
  return [
    rule(
      'electronic',
      'digit',
      String.raw`(?<card>\d{4}[- ]\d{4}[- ]\d{4}[- ]\d{4})(?!\d)`,
      ({ card = '' }) => `신용카드 ${card.split(/\D/).map(digits).join(' ')}`,
    ),
    rule('electronic', 'digit', String.raw`\d{3,12}(?![\d,.]\d|\d)`, (_groups, { before }, match) =>
      ASKED.test(before) ? digits(match) : null,
    ),
  ]
}

function dates(): Rule[] {
  const read: Read = ({ a = '', b = '', c = '' }) => {
    const isFirst = a.length === 4
    const year = isFirst ? a : c
    const [monthOf, day] = isFirst ? [b, c] : Number(a) > 12 ? [b, a] : [a, b]
    return year.length === 4 && isDate(monthOf, day)
      ? `${plainNumber(year)}년 ${month(monthOf)}월 ${plainNumber(day)}일`
      : null
  }
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<a>\d{4}|\d{1,2})(?<mark>[-/.])(?<b>\d{1,2})\k<mark>(?<c>\d{4}|\d{1,2})(?!\d|[.-]\d)`,
      read,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>[0-4]\d)\.(?<month>\d{1,2})\.(?<day>\d{1,2})(?![\d])`,
      ({ year = '', month: monthOf = '', day = '' }, { before }) =>
        isDate(monthOf, day) && !/(?:버전|[vV.\d]) ?$/.test(before)
          ? `${cardinal(String(Number(year)))}년 ${month(monthOf)}월 ${plainNumber(day)}일`
          : null,
    ),
    rule('date', 'digit', String.raw`(?<month>\d{1,2})(?=월)`, ({ month: written = '' }) =>
      Number(written) > 12 ? null : month(written),
    ),
  ]
}

/** Days of the week in brackets, and 〜 between dates. */
function spans(): Rule[] {
  const days = (written: string): string =>
    Array.from(written, (character) => DAYS[character] ?? (/[〜～~]/.test(character) ? '부터' : ' ')).join('')
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<month>\d{1,2})\/(?<day>\d{1,2})(?=[(（][월화수목금토일][)）])`,
      ({ month: monthOf = '', day = '' }) =>
        isDate(monthOf, day) ? `${month(monthOf)}월 ${plainNumber(day)}일` : null,
    ),
    rule(
      'date',
      'letter',
      `(?<from>[월화수목금토일])${WAVE}(?<to>[월화수목금토일])(?![가-힣])`,
      ({ from = '', to = '' }) => `${DAYS[from]}부터 ${DAYS[to]}까지`,
    ),
    rule(
      'date',
      'symbol',
      `[（(](?<days>[월화수목금토일](?:[〜～~,·][월화수목금토일]){0,6})[）)]`,
      ({ days: written = '' }) => ` ${days(written)}`,
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{1,4})${WAVE}(?=\d{1,4}(?:[년월일]|년대))`,
      ({ from = '' }) => `${cardinal(from)} 부터 `,
    ),
    rule('range', 'symbol', String.raw`[-–](?=\d{1,2}:\d\d)`, (_groups, { before }) =>
      /:\d\d$/.test(before) ? '에서 ' : null,
    ),
    rule('range', 'symbol', String.raw`${WAVE}(?=\d)`, (_groups, { before }) =>
      /[년월일)）]$/.test(before) ? ' 부터 ' : /[\d가-힣%]$/.test(before) ? '에서 ' : null,
    ),
  ]
}

function times(): Rule[] {
  const hours = (hour: string, before: string): string => {
    const value = Number(hour)
    return value === 0 ? '영' : value <= 12 || HALF_DAY.test(before) ? native(hour) : plainNumber(hour)
  }
  const clock: Read = ({ hour = '', minute = '', second }, { before }) => {
    if (Number(hour) > 24) return null
    const minutes = Number(minute) === 0 ? '' : ` ${plainNumber(minute)}분`
    return `${hours(hour, before)}시${minutes}${second === undefined || Number(second) === 0 ? '' : ` ${plainNumber(second)}초`}`
  }
  return [
    rule(
      'time',
      'letter',
      String.raw`(?<half>[AaPp])\.?[Mm]\.? ?(?=\d{1,2}:\d\d)`,
      ({ half = '' }) => `${halfOf(half)} `,
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d) ?(?<half>[AaPp])\.?[Mm](?![A-Za-z])\.?`,
      ({ half, ...groups }, around, match) => `${halfOf(half ?? '')} ${clock(groups, around, match)}`,
    ),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?(?![\d:])`, clock),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2})(?=시(?!간))`, ({ hour = '' }, { before }) => hours(hour, before)),
    rule('time', 'letter', String.raw`정오(?!\p{L})`, () => '열두시'),
  ]
}

const halfOf = (half: string): string => (/[Aa]/.test(half) ? '오전' : '오후')

function telephones(): Rule[] {
  const SEPARATED = String.raw`\(?(?<area>\d{2,4})\)?[-. ]{1,2}(?<middle>\d{3,4})[-. ](?<last>\d{4})(?!\d)`
  return [
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`(?:\+(?<country>\d{1,3})[ -])?${SEPARATED}`,
      ({ country, area = '', middle = '', last = '' }) =>
        `${country === undefined ? '' : `국가번호 ${digits(country)} `}${[area, middle, last].map(digits).join(' ')}`,
    ),
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`\+(?<country>\d{1,3})[ -]?(?<rest>\d{1,4}(?:[ -]?\d{3,4}){1,2})(?!\d)`,
      ({ country = '', rest = '' }) => `국가번호 ${digits(country)} ${rest.split(/\D/).map(digits).join(' ')}`,
    ),
    rule('telephone', 'digit', String.raw`(?:01\d{8,9}|1[56]\d\d-\d{4})(?!\d)`, (_groups, _around, match) =>
      match
        .replace(/^(01\d)(\d{3,4})(\d{4})$/, '$1-$2-$3')
        .split('-')
        .map(digits)
        .join(' '),
    ),
    rule(
      'telephone',
      'digit',
      `1(?:19|12|14|20|82|32)(?=[에로](?: |$)|[와과는은를을](?: 1| )|번)`,
      (_groups, _around, match) => digits(match),
    ),
  ]
}

function scores(): Rule[] {
  const WON = /^\s?(?:으?로\s?(?:이|승|패|졌|꺾|앞|제압|비|완승|역전|끝)|승|패|무승부|역전승)/
  return [
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}) ?[-–:] ?(?<b>\d{1,3})(?![\d:-])`,
      ({ a = '', b = '' }, { after }) => (WON.test(after) ? `${plainNumber(a)} 대 ${plainNumber(b)}` : null),
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}):(?<b>\d|\d{3,8}|[6-9]\d)(?![\d:])`,
      ({ a = '', b = '' }) => `${plainNumber(a)} 대 ${plainNumber(b)}`,
    ),
  ]
}

function fractions(): Rule[] {
  const UNIT = oneOf(Object.keys(UNITS))
  const root = (written: string): string =>
    `${written.startsWith('√') ? '루트 ' : ''}${cardinal(written.replace('√', ''))}`
  const PATTERN = String.raw`${SIGN}(?:(?<whole>\d{1,9})[과와] ?)?(?<top>√?\d{1,9})\/(?<bottom>√?${WHOLE})(?! ?mmHg)(?:(?<unit>${UNIT})(?:\/(?<per>${UNIT}))?(?![A-Za-z])|(?<particle>[이가은는을를])(?= ))?(?![\d/])`
  return [
    ...signedRules('fraction', PATTERN, ({ sign, whole, top = '', bottom = '', unit, per, particle }, { before }) => {
      if (!isSigned(sign, before) || /[\d/]$/.test(before)) return null
      const wholeSaid = whole === undefined ? '' : `${withParticle(cardinal(whole), '과')} `
      const said = `${root(bottom)}분의 ${withParticle(root(top), particle)}`
      const measured = unit === undefined ? said : `${said} ${UNITS[unit]}`
      return `${sign === undefined ? '' : '마이너스 '}${wholeSaid}${measured}${per === undefined ? '' : ` 퍼 ${UNITS[per]}`}`
    }),
    rule(
      'fraction',
      'digit',
      String.raw`(?<whole>\d{1,6}) ?(?<vulgar>[¼½¾⅐-⅞])`,
      ({ whole = '', vulgar = '' }) => `${withParticle(cardinal(whole), '과')} ${SYMBOLS[vulgar] ?? ''}`,
    ),
  ]
}

/** The topic particle of a sum follows the last digit before the sign: 1 더하기 1은 2. */
const equals = (): Rule =>
  rule('math', 'symbol', ' ?= ?', (_groups, { before }) =>
    /[013678]$/.test(before) ? '은 ' : /\d$/.test(before) ? '는 ' : null,
  )

/** "≥18세" is said behind its number: 십팔세 이상. */
const limit = ({ units }: EastAsianWords): Rule =>
  rule(
    'math',
    'symbol',
    `(?<sign>[≥≧≤≦]) ?(?<number>${NUMBER}) ?(?<unit>${oneOf(Object.keys(units))}|[세살명개원점년일회]|)`,
    ({ sign = '', number: written = '', unit = '' }) => {
      const measured = units[unit] === undefined ? unit : ` ${units[unit]}`
      return `${number(written)}${measured} ${/[≥≧]/.test(sign) ? '이상' : '이하'}`
    },
  )
