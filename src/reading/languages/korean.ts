import {
  abbreviationRules,
  dayRule,
  daySpanRule,
  type EastAsianWords,
  electronicRules,
  foldWidth,
  isDate,
  isSigned,
  measureRules,
  moneyRules,
  NUMBER,
  namedNumbers,
  numberRules,
  pairRules,
  SIGN,
  signedRules,
  symbolRules,
  WHOLE,
} from '../east-asian.ts'
import { oneOf, rule, rulesAt } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import { hanja } from './hanja.ts'
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
import {
  ABBREVIATIONS,
  ATOMS,
  CURRENCIES,
  DAYS,
  ENGLISH_NUMBERS,
  JAMO,
  LABELS,
  MARKS,
  SYMBOLS,
  UNITS,
} from './korean-words.ts'

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
      ...abbreviationRules(words),
      ...pairRules(words),
      ...namedNumbers(ENGLISH_NUMBERS),
      ...cards(),
      ...names(),
      ...chats(),
      ...hanja(),
      ...headlines(),
      ...neighbours(),
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
  clock: ['분 ', '초 '],
  joint: ' ',
  against: ' 대 ',
  power: (exponent) => ({ 이: ' 제곱', 삼: ' 세제곱' })[exponent] ?? `의 ${exponent}제곱`,
  magnitudes: '천백만억조',
  units: UNITS,
  currencies: CURRENCIES,
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  label: (label, isEnd) =>
    isEnd && /^[a-z]{2,4}$/i.test(label)
      ? (LABELS[label.toLowerCase()] ?? (label.length < 5 ? spellLetters(label) : label))
      : label,
  particle: (said, after) => (/^[은는이가을를과와로](?![가-힣])/.test(after) ? withParticle(said, after[0]) : null),
  stars: (count) => `별 ${native(String(count))}개`,
  atoms: (written) => ATOMS[Number(written)] ?? cardinal(written),
  serial: (letters, written) => `${letters}${written.length > 4 ? digits(written) : cardinal(written)}`,
})

function cards(): Rule[] {
  const ASKED =
    /(?:끝자리|마지막 [네4]자리|뒷자리|비밀번호|인증번호|우편번호|내선|사번|학번|(?:계좌|등록|주문|송장|예약|접수|회원|카드|문서|여권|면허|고객)번호)[는은가이:\s]{0,2}[[(]?$/
  return [
    rule(
      'electronic',
      'digit',
      String.raw`(?<card>\d{4}[- ]\d{4}[- ]\d{4}[- ]\d{4})(?!\d)`,
      ({ card = '' }) => `신용카드 ${card.split(/\D/).map(digits).join(' ')}`,
    ),
    rule('electronic', 'digit', String.raw`\d{2,14}(?:-\d{1,8}){0,5}(?![\d,.-]\d|\d)`, (_groups, { before }, match) =>
      ASKED.test(before) && match.length > 2 ? match.split('-').map(digits).join(' ') : null,
    ),
  ]
}

/** Numbers that are names: 6·25, licence plates, 88올림픽, spoons of recipes. */
function names(): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<month>\d{1,2})[·ㆍ](?<day>\d{1,2})(?![\d·ㆍ월일년])`,
      ({ month: written = '', day = '' }) =>
        isDate(written, day) ? `${cardinal(written)}${/^1[02]$/.test(day) ? cardinal(day) : digits(day)}` : null,
    ),
    rule(
      'serial',
      'digit',
      String.raw`(?<class>\d{2,3})(?<letter>[가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주바사아자하허호배]) ?(?<number>\d{4})(?=[\s,.)]|$|차|[은는이가을를](?![가-힣]))`,
      ({ class: kind = '', letter = '', number: written = '' }) => `${digits(kind)}${letter} ${digits(written)}`,
    ),
    rule('serial', 'digit', '88(?= ?올림픽|고속)', () => '팔팔'),
    rule(
      'measure',
      'digit',
      String.raw`(?:(?<top>\d)\/(?<bottom>\d)|(?<count>\d{1,2}))(?<spoon>T|ts)(?<particle>[이가을를은는](?![가-힣]))?(?![A-Za-z\d]| ?(?:SSD|HDD|하드|외장|트럭|용량|메모리))`,
      ({ top = '', bottom, count = '', spoon = '', particle }) =>
        `${bottom === undefined ? native(count) : `${cardinal(bottom)}분의 ${cardinal(top)}`} ${withParticle(spoon === 'T' ? '큰술' : '작은술', particle)}`,
    ),
  ]
}

/** Letters that stand by themselves, and waves: between two places, or behind a word that is drawn out. */
function chats(): Rule[] {
  return [
    rule(
      'abbreviation',
      'letter',
      `${oneOf(Object.keys(JAMO).filter((word) => word.length > 1))}|[ㅋㅎㅠㅜ]{1,30}|[ㅇㄴㄱㄷ]{2,10}`,
      (_groups, _around, match) => JAMO[match] ?? Array.from(match, (letter) => JAMO[letter] ?? letter).join(''),
    ),
    rule('range', 'symbol', `${WAVE}{1,5}`, (_groups, { before, after }) => {
      if (!/[가-힣]$/.test(before) || /^\d/.test(after)) return null
      return /^[가-힣]/.test(after) && !/[요네다까아어야응자죠지음]$/.test(before) ? '에서 ' : ''
    }),
    rule('abbreviation', 'symbol', '[(（]주[)）](?=[가-힣])', () => '주식회사 '),
    rule(
      'abbreviation',
      'letter',
      String.raw`(?<first>[A-Z])\/(?<second>[A-Z])(?![A-Za-z\/])`,
      ({ first = '', second = '' }) => spellLetters(`${first}${second}`),
    ),
    rule('serial', 'letter', String.raw`N[Oo]\.? ?(?<all>\d{1,4})(?![\d.,]\d|\d)`, ({ all = '' }) =>
      `넘버 ${all === '0' ? cardinal(all) : (ATOMS[Number(all)] ?? cardinal(all))}`.replace('넘버 원', '넘버원'),
    ),
    rule('serial', 'letter', String.raw`B(?<floor>\d)F(?![A-Za-z\d])`, ({ floor = '' }) => `지하 ${cardinal(floor)}층`),
    rule('measure', 'digit', String.raw`24\/7(?![\d/])`, () => '이십사 칠'),
    rule('cardinal', 'digit', '1(?<unit>[천백])(?=(?:만|억|조|여| ?원| ?명| ?달러))', ({ unit = '' }, { before }) =>
      /[\d.,]$/.test(before) ? null : unit,
    ),
  ]
}

/** Batting averages, shares, sales, and signs behind a change. */
function headlines(): Rule[] {
  const AVERAGE = /(?:타율|승률|출루율|장타율)[은이]? ?$/
  return [
    ...rulesAt(['digit', 'symbol'], 'decimal', String.raw`0?\.(?<places>\d{3})(?!\d)`, ({ places = '' }, { before }) =>
      AVERAGE.test(before)
        ? Array.from(places, (one, index) => (one === '0' ? '' : `${cardinal(one)}${'할푼리'[index]}`))
            .filter(Boolean)
            .join(' ')
        : null,
    ),
    rule(
      'fraction',
      'digit',
      String.raw`(?<top>\d)\/(?<letter>[nN])(?![A-Za-z])`,
      ({ top = '', letter = '' }) => `${letter}분의 ${cardinal(top)}`,
    ),
    rule(
      'cardinal',
      'digit',
      String.raw`(?<bought>[1-3])\+1(?= ?(?:행사|이벤트|상품|증정|세일|특가))`,
      ({ bought = '' }) => `${ATOMS[Number(bought)]} 플러스 원`,
    ),
    rule('symbol', 'symbol', '[↑↓]', (_groups, { before }, match) =>
      /[\d%]$/.test(before) ? (match === '↑' ? ' 상승' : ' 하락') : null,
    ),
    rule(
      'abbreviation',
      'letter',
      String.raw`pp?\. ?(?<page>\d{1,4})(?:[-–~](?<last>\d{1,4}))?(?!\d)`,
      ({ page = '', last }) => `${cardinal(page)}${last === undefined ? '' : `에서 ${cardinal(last)}`} 페이지`,
    ),
  ]
}

/** Two neighbouring numbers: 삼사일, 이삼십대; and months. */
function neighbours(): Rule[] {
  const pair = (from: string, to: string): string | null =>
    Number(to) === Number(from) + 1 && Number(to) < 10 ? `${cardinal(from)}${cardinal(to)}` : null
  return [
    rule('range', 'digit', String.raw`(?<from>\d{1,2})${WAVE}(?=\d{1,2}월)`, ({ from = '' }) =>
      Number(from) > 12 ? null : `${month(from)}월부터 `,
    ),
    rule(
      'range',
      'digit',
      `(?<from>[1-8])${WAVE}(?<to>[2-9])(?= ?(?:[일주년분초회도층위점등만억천백]|개월|학년|인분|차례)(?!째))`,
      ({ from = '', to = '' }, { before, after }) =>
        /[.,\d-]$|월 ?$/.test(before) || /^년대/.test(after) ? null : pair(from, to),
    ),
    rule(
      'range',
      'digit',
      `(?<from>[2-8])0${WAVE}(?<to>[2-9])0(?= ?(?:대|분|년|일|만|억)(?!대))`,
      ({ from = '', to = '' }) => {
        const tens = pair(from, to)
        return tens === null ? null : `${tens}십`
      },
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

const sayDay = (written: string, day: string): string => `${month(written)}월 ${plainNumber(day)}일`

/** Days of the week in brackets, and 〜 between dates. */
function spans(): Rule[] {
  const days = (written: string): string =>
    Array.from(written, (character) => DAYS[character] ?? (/[〜～~]/.test(character) ? '부터' : ' ')).join('')
  return [
    daySpanRule('부터 ', sayDay),
    dayRule(/^ ?(?:까지|부터|에|자|오[전후]|[(（]|\d{1,2}:\d\d)/, sayDay),
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
      ({ from = '' }) => `${cardinal(from)}부터 `,
    ),
    rule('range', 'symbol', String.raw`[-–](?=\d{1,2}:\d\d)`, (_groups, { before }) =>
      /:\d\d$/.test(before) ? '에서 ' : null,
    ),
    rule('range', 'symbol', String.raw`${WAVE}(?=\d)`, (_groups, { before }) =>
      /[년월일)）]$/.test(before) ? '부터 ' : /[\d가-힣%]$/.test(before) ? '에서 ' : null,
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
      String.raw`(?<hour>\d{1,2})(?::(?<minute>[0-5]\d))? ?(?<half>[AaPp])\.?[Mm](?![A-Za-z\d])\.?`,
      ({ half, ...groups }, around, match) =>
        groups.minute === undefined && Number(groups.hour) > 12
          ? null
          : `${halfOf(half ?? '')} ${clock(groups, around, match)}`,
    ),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?(?![\d:])`, clock),
    rule('time', 'digit', String.raw`(?<hour>\d{1,2})(?=시(?!간))`, ({ hour = '' }, { before }) => hours(hour, before)),
    rule('time', 'letter', String.raw`정오(?!\p{L})`, () => '열두시'),
  ]
}

const halfOf = (half: string): string => (/[Aa]/.test(half) ? '오전' : '오후')

function telephones(): Rule[] {
  const SEPARATED = String.raw`\(?(?<area>\d{2,4})(?:\)[-. ]?|[-. ]{1,2})(?<middle>\d{3,4})[-. ](?<last>\d{4})(?!\d|-\d)`
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
    rule('telephone', 'digit', `1(?:19|12|14|20|82|32)(?![\\d.%]|,\\d)`, (_groups, { before, after }, match) =>
      /^(?:[에로](?: |$)|[와과는은를을](?: 1| )|번|안전|구급|구조)/.test(after) ||
      /(?:신고|전화|국번 없이)[는은:]? ?$/.test(before)
        ? digits(match)
        : null,
    ),
  ]
}

function scores(): Rule[] {
  const said = (a: string, b: string): string => `${plainNumber(a)} 대 ${plainNumber(b)}`
  const WON = /^\s?(?:으?로\s?(?:이|승|패|졌|꺾|앞|제압|비|완승|역전|끝)|승|패|무승부|역전승)/
  return [
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}) ?[-–:] ?(?<b>\d{1,3})(?![\d:-])`,
      ({ a = '', b = '' }, { after }) => (WON.test(after) ? said(a, b) : null),
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3})(?:대| 대 |대 (?=\d{1,3}(?:[ ,]|로|의|무|동|$)))(?<b>\d{1,3})(?!\d|[.,]\d|대)`,
      ({ a = '', b = '' }) => said(a, b),
    ),
    rule('score', 'digit', String.raw`(?<a>\d{1,3}):(?<b>\d|\d{3,8}|[6-9]\d)(?![\d:])`, ({ a = '', b = '' }) =>
      said(a, b),
    ),
  ]
}

function fractions(): Rule[] {
  const UNIT = oneOf(Object.keys(UNITS))
  const root = (written: string): string =>
    `${written.startsWith('√') ? '루트 ' : ''}${cardinal(written.replace('√', ''))}`
  const PATTERN = String.raw`${SIGN}(?:(?<whole>\d{1,9})[과와] ?)?(?<top>√?\d{1,9})\/(?<bottom>√?${WHOLE})(?:(?<unit>${UNIT})(?:\/(?<per>${UNIT}))?(?![A-Za-z])|(?<particle>[이가은는을를])(?= ))?(?![\d/])`
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
    /[013678²³]$/.test(before)
      ? '은 '
      : /\d$/.test(before)
        ? '는 '
        : /[가-힣]$/.test(before)
          ? `${withParticle(before.slice(-1), '는').slice(1)} `
          : null,
  )

const LIMITS: Readonly<Record<string, string>> = {
  '≥': '이상',
  '≧': '이상',
  '≤': '이하',
  '≦': '이하',
  '<': '미만',
  '>': '초과',
}

/** "≥18세" is said behind its number: 십팔세 이상. */
const limit = ({ units }: EastAsianWords): Rule =>
  rule(
    'math',
    'symbol',
    `(?<sign>[≥≧≤≦<>]) ?(?<number>${NUMBER}) ?(?<unit>${oneOf(Object.keys(units))}|[세살명개원점년일회]|)`,
    ({ sign = '', number: written = '', unit = '' }, { before }) => {
      if (/[\d<>=-] ?$/.test(before)) return null
      const measured = units[unit] === undefined ? unit : ` ${units[unit]}`
      return `${/\S$/.test(before) ? ' ' : ''}${number(written)}${measured} ${LIMITS[sign] ?? ''}`
    },
  )
