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
  numberRules,
  pairRules,
  SIGN,
  signedRules,
  symbolRules,
  WHOLE,
} from '../east-asian.ts'
import { LARGEST_SPELLED } from '../number-rules.ts'
import { oneOf, rule, rulesAt } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  CURRENCIES,
  MARKS,
  MEASURE_WORDS,
  NOT_MEASURED,
  SYMBOLS,
  UNITS,
} from './chinese-words.ts'

const DIGITS = '零一二三四五六七八九'
const MYRIADS = ['', '万', '亿', '万亿']
const PLACES = [
  [1000, '千'],
  [100, '百'],
  [10, '十'],
  [1, ''],
] as const
const MEASURED = new RegExp(`^ ?(?!${NOT_MEASURED})(?:${MEASURE_WORDS})`)

/** The rules of Chinese, in the order in which they are tried. */
export function chinese(): RuleBook {
  const words = chineseWords()
  return {
    spaces: 'none',
    unspaced: /\p{Script=Han}/u,
    fold: foldWidth,
    marks: MARKS,
    rules: [
      ...electronicRules(words),
      ...abbreviationRules(words),
      ...pairRules(words),
      ...acronyms(),
      ...codes(),
      ...spans(),
      ...waves(),
      ...byDigits(),
      ...dates(),
      ...years(),
      ...times(),
      ...telephones(),
      ...rooms(),
      ...logarithms(),
      ...sums(),
      ...fractions(),
      ...moneyRules(words),
      ...measureRules(words),
      ...numberRules(words),
      ...symbolRules(words),
    ],
  }
}

const chineseWords = (): EastAsianWords => ({
  number,
  digits,
  phone,
  minus: '负',
  plus: '正',
  less: '减',
  pause: '，',
  gap: '',
  to: '到',
  point: '点',
  per: (measured, unit) => `每${unit}${measured}`,
  each: (unit) => `每${unit}`,
  eachOf: '公斤|小时|分钟|平方米|[分秒人天日月年周次个斤米升吨件套位张包盒箱袋瓶本台份间晚节期亩]',
  clock: ['分', '秒'],
  joint: '，',
  against: '比',
  power: (exponent) => `的${exponent}次方`,
  magnitudes: '千百万亿',
  units: UNITS,
  currencies: CURRENCIES,
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  degrees: { unit: /^[摄华]氏度|^(?:[至到~～-][-−]?[\d.]{1,6})?度/, below: '零下', above: '零上' },
  stars: (count) => `${cardinal(String(count))}星`,
  serial: (letters, written) => `${letters}${written.length > 2 ? digits(written) : cardinal(written)}`,
})

function number(written: string, after = ''): string {
  const [, sign = '', whole = '', places] = /^([-−–+]?)([\d,]*)(?:\.(\d+))?$/.exec(written) ?? []
  const said = `${sign === '' ? '' : sign === '+' ? '正' : '负'}${cardinal(whole || '0')}`
  if (places !== undefined) return `${said}点${digits(places)}`
  return written === '2' && MEASURED.test(after) ? '两' : said
}

/** By groups of four digits, with 零 for skipped places. */
function cardinal(written: string): string {
  const plain = written.replaceAll(',', '')
  const value = Number(plain)
  if (value > LARGEST_SPELLED || /^0\d/.test(plain)) return digits(plain)
  if (value < 10) return DIGITS[value] as string
  const groups: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 10_000)) groups.unshift(rest % 10_000)
  const said = groups
    .map((group, index) => {
      const isSkipped = index > 0 && group > 0 && (group < 1000 || groups[index - 1] === 0)
      const name = MYRIADS[groups.length - 1 - index]
      const four = fourDigits(group)
      return group === 0
        ? ''
        : `${isSkipped ? '零' : ''}${isSkipped && name !== '' ? four.replace(/^一十/, '十') : four}${name}`
    })
    .join('')
  return said.replace(/^一十/, '十').replace(/^二(?=[千万亿])/, '两')
}

function fourDigits(group: number): string {
  const said = PLACES.map(([place, name]) => {
    const digit = Math.floor(group / place) % 10
    return digit === 0 ? '零' : `${DIGITS[digit]}${name}`
  })
  return said
    .join('')
    .replaceAll(/零+/g, '零')
    .replace(/^零|零$/g, '')
    .replace(/零$/, '')
}

const digits = (written: string): string =>
  Array.from(written.replaceAll(/\D/g, ''), (one) => DIGITS[Number(one)]).join('')
/** The 1 of telephone numbers is yāo, which nobody takes for 7. */
const phone = (written: string): string => digits(written).replaceAll('一', '幺')
const plainNumber = (written: string): string => cardinal(String(Number(written)))

function acronyms(): Rule[] {
  const known = oneOf(ACRONYMS.split(' '))
  return [
    rule(
      'acronym',
      'letter',
      `(?:${known})(?![A-Za-z])`,
      (_groups, _around, match) => (/^[A-Za-z][a-z]+$/.test(match) ? match.toUpperCase() : null),
      'i',
    ),
    rule('acronym', 'letter', '[a-zA-Z](?: [a-zA-Z]){1,5}(?! ?[A-Za-z])', (_groups, _around, match) =>
      match.replaceAll(' ', '').toUpperCase(),
    ),
  ]
}

const PLATE = /[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]$/

const sayDay = (month: string, day: string): string => `${plainNumber(month)}月${plainNumber(day)}日`

/** Quarters, spans of days, sums without their cents, and how long a race took. */
function spans(): Rule[] {
  const HALVES: Readonly<Record<string, string>> = { H1: '上半年', H2: '下半年' }
  return [
    daySpanRule('到', sayDay),
    dayRule(/^ ?(?:[之以]?[前后]|起|当[天日晚]|[早晚]上?|[上下]午|开始|截止|出发|发货|到期|\d{1,2}:\d\d)/, sayDay),
    rule(
      'date',
      'digit',
      String.raw`(?<year>(?:20)?\d\d)年?(?<part>Q[1-4]|H[12])(?![A-Za-z\d])`,
      ({ year = '', part = '' }) => `${digits(year)}年${HALVES[part] ?? `第${digits(part)}季度`}`,
    ),
    ...signedRules(
      'money',
      String.raw`${SIGN}(?<whole>\d[\d,]{0,20})\.(?<cents>\d0|0)(?=[美欧日港韩]?元|英镑)`,
      ({ sign = '', whole = '', cents = '' }, { before }) =>
        isSigned(sign || undefined, before)
          ? number(`${sign}${whole}${cents.startsWith('0') ? '' : `.${cents[0]}`}`)
          : null,
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<hours>\d{1,2}):(?<minutes>[0-5]\d):(?<seconds>[0-5]\d)(?![\d:])`,
      ({ hours = '', minutes = '', seconds = '' }, { before, after }) =>
        /(?:用时|用了|耗时|历时|时长|片长|跑出|以)[约为是了]? ?$/.test(before) || /^(?:的成绩|完赛)/.test(after)
          ? `${hourOf(hours)}小时${plainNumber(minutes)}分${plainNumber(seconds)}秒`
          : null,
    ),
  ]
}

/** Numbers of things, securities, licence plates and figures. */
function codes(): Rule[] {
  return [
    rule('abbreviation', 'letter', String.raw`[Nn][Oo]\.? ?(?=\d{1,3}(?!\d))`, () => '第'),
    rule(
      'serial',
      'letter',
      String.raw`[Nn][Oo][.:]? ?(?<all>\d{4,20})(?!\d)`,
      ({ all = '' }, { before }) => `${/号[：: ]?$/.test(before) ? '' : '编号'}${digits(all)}`,
    ),
    rule('abbreviation', 'letter', String.raw`pp?\. ?(?<page>\d{1,4})(?!\d)`, ({ page = '' }) => `第${number(page)}页`),
    rule(
      'serial',
      'digit',
      String.raw`(?<code>\d{4,6})\.(?<market>S[HZS]|BJ|HK)(?![A-Za-z])`,
      ({ code = '', market = '' }) => `${digits(code)}点${market}`,
    ),
    rule(
      'serial',
      'letter',
      String.raw`(?<letter>[A-Z])[·•]?(?<rest>[A-Z\d]{5,6})(?![A-Za-z\d])`,
      ({ letter = '', rest = '' }, { before }) =>
        PLATE.test(before) ? `${letter}${rest.replaceAll(/\d/g, digits)}` : null,
    ),
    rule('serial', 'digit', String.raw`\d{1,3}[-–]\d{1,3}(?:[-–]\d{1,3})?(?![\d-])`, (_groups, { before }, match) =>
      /(?:[图表]|公式|附录)$/.test(before) ? match.split(/\D/).map(plainNumber).join('杠') : null,
    ),
  ]
}

/** A wave between two things is 到; behind a word that is drawn out it is a pause. */
function waves(): Rule[] {
  const DRAWN_OUT = /[的了吧呀哦啊呢嘛哈谢好嗨喔啦吗们]$/
  return [
    rule('range', 'symbol', '[~～〜]{1,5}', (_groups, { before, after }) => {
      if (/[A-Za-z\d] $/.test(before) && /^ [A-Za-z\d]/.test(after)) return null
      if (!/^[\p{L}\d+−-]/u.test(after)) return ''
      return DRAWN_OUT.test(before) ? '，' : '到'
    }),
    rule('measure', 'symbol', '["″](?=屏|显示器|电视)', (_groups, { before }) => (/\d$/.test(before) ? '英寸' : null)),
    rule('symbol', 'symbol', '[↑↓]', (_groups, { before }, match) =>
      /[\d%]$/.test(before) ? (match === '↑' ? '上升' : '下降') : null,
    ),
  ]
}

/** Numbers that are names: 110, 70后, 5·12, 666. */
function byDigits(): Rule[] {
  const CALLED = /(?:拨打?|报警|[火匪]警|急救|交警|警察|消防|致电|打)[请拨打电话是为：: ]{0,6}$/
  const COUNTED = /[是为共约达到价有近超第：:=]$/
  return [
    rule(
      'telephone',
      'digit',
      '1(?:10|19|20|22|2306|2315|2345)(?![\\d.%万亿个元次分米斤人年月日岁号公多])',
      (_groups, { before }, match) => (CALLED.test(before) ? phone(match) : null),
    ),
    rule(
      'date',
      'digit',
      '(?:[5-9]0|[89]5|0[05]|10)(?=后(?![来面续期边天])(?:[^，。,. ]|[，。]))',
      (_groups, { before }, match) => (/\d$/.test(before) ? null : digits(match)),
    ),
    rule('date', 'symbol', String.raw`['’‘](?<year>\d\d)(?=[年届级])`, ({ year = '' }) => digits(year)),
    rule('date', 'digit', String.raw`(?<month>\d{1,2})[·•](?<day>\d{1,2})(?![\d·•月日])`, ({ month = '', day = '' }) =>
      isDate(month, day) ? digits(month + day) : null,
    ),
    rule(
      'cardinal',
      'digit',
      String.raw`(?:6{3,12}|23{2,12})(?=[，。！？!?～~…、\s]|了|$)`,
      (_groups, { before }, match) => (COUNTED.test(before) ? null : digits(match)),
    ),
    rule(
      'cardinal',
      'digit',
      '(?:520|1314)(?=快乐|礼物|表白|情人节|告白)|996(?=工作制|加班|福报|的)',
      (_groups, _around, match) => digits(match),
    ),
  ]
}

const YEAR = String.raw`(?:1[0-9]|20)\d\d`

function dates(): Rule[] {
  const read: Read = ({ year = '', month = '', day = '' }) =>
    isDate(month, day) ? `${digits(year)}年${plainNumber(month)}月${plainNumber(day)}日` : null
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{4})(?<mark>[-/.·])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d|[-/.]\d)`,
      read,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{2})(?<mark>[/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?![\d.])`,
      read,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>${YEAR})[-/.](?<month>0[1-9]|1[0-2])(?!\d|[/.%]\d|-\d(?!\d{3}[-/.]))`,
      ({ year = '', month = '' }) => `${digits(year)}年${plainNumber(month)}月`,
    ),
    rule('range', 'symbol', String.raw`[-–—~～〜](?=[¥$€£￥]?\d)`, (_groups, { before }) =>
      /\d ?[年月日号点时分秒元级层楼章节页岁]$|\d{4}[./](?:0[1-9]|1[0-2])$|[¥$€£][\d.,]+$/.test(before) ? '到' : null,
    ),
    rule('date', 'digit', String.raw`0(?<number>\d)(?=[月日号时点分秒])`, ({ number: written = '' }) =>
      cardinal(written),
    ),
  ]
}

/** Years and seasons are read digit by digit, and spans of years as a number. */
function years(): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{1,4})(?:年(?<month>\d{1,2})月)? ?(?<era>ad|a\.d\.|bc|b\.c\.|bce|ce)(?![A-Za-z])`,
      ({ year = '', month, era = '' }) =>
        `公元${/^b/i.test(era) ? '前' : ''}${digits(year)}年${month === undefined ? '' : `${plainNumber(month)}月`}`,
      'i',
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>${YEAR})年?[-–—~～至](?<to>${YEAR}|\d\d)(?=年|[^\d.%]|$)`,
      ({ from = '', to = '' }) =>
        (to.length === 4 ? Number(to) > Number(from) : Number(to) > Number(from) % 100)
          ? `${digits(from)}到${digits(to)}`
          : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<year>(?:1[89]|20)\d\d)(?![\d%％‰]|[.,:/-]\d)`,
      ({ year = '' }, { before, after }) => (isBareYear(year, before, after) ? digits(year) : null),
    ),
    rule('date', 'digit', String.raw`(?<year>\d{2,4})(?=年)`, ({ year = '' }, { before, after }) =>
      isYear(year, before, after) ? digits(year) : null,
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>${YEAR})\/(?<to>\d\d)(?=赛季|学年|年度|雪季)`,
      ({ from = '', to = '' }) => `${digits(from)}至${digits(to)}`,
    ),
  ]
}

/** 98年 and 2024年 name a year; 50年来, 20年的经验 and 5000年文明 count years. */
function isYear(year: string, before: string, after: string): boolean {
  const next = after.slice(1)
  if (/(?:公元前?|纪元|西元|[公西]历)$/.test(before)) return year.length > 2
  if (/^(?:级|龄|薪|纪|代|限)/.test(next) && year.length === 2) return false
  if (/(?:[过了约近有满共达长需每]|超过|将近)$/.test(before)) return false
  if (year.length === 4)
    return Number(year) <= 2200 && !(Number(year) % 100 === 0 && /^(?:来|多|[的之]?历史|以上|前[，。,.]?$)/.test(next))
  if (year.length === 3) return false
  if (year.startsWith('0') || /^\d{1,2}月/.test(next) || (before === '' && next === '')) return true
  return Number(year) >= 70 && !/^(?:来|前|后|间|内|以|之|的|多|里|如|历|过)/.test(next)
}

const SINCE =
  /(?:截[至止]到?|自从|始于|[始建生卒创成立版发]于|(?<![高低大小等多少优劣限近])于|(?<![独各亲])自|[©(（])[ ]?$/
const IN = /(?:(?<![存所现正实])在|从|直到|早在|[～〜~到至与和、]|以及)$/
const NAMED =
  '(?:[春夏秋冬](?![眠])|赛季|款|版|届|级|财年|学年|年度|世界杯|欧洲杯|美洲杯|亚洲杯|奥运|亚运|世博|全运|冬奥|国际|全国|全球|世界|中国|北京|上海|广州|深圳|香港|伦敦|巴黎|东京|里约)'
const EVENT = new RegExp(`^ ?${NAMED}`)
const COUNTED_NEXT = new RegExp(
  `^ ?(?!成[立为])(?:多|余|几|来|[万亿千百]|${MEASURE_WORDS}|[元人米克吨度分斤里亩点]|美元|欧元|公里|平方|立方|毫|厘|千)`,
)

/** 于2012成立, （2012） and 2012春夏 name a year; 高于2012, 2012人 and 从2000到3000 are numbers. */
function isBareYear(year: string, before: string, after: string): boolean {
  if (EVENT.test(after)) return !/[\d万亿千百共约近]$/.test(before)
  if (COUNTED_NEXT.test(after) || /^ ?[A-Za-z℃°]/.test(after)) return false
  if (/[(（]$/.test(before)) return /^[)）]/.test(after)
  if (SINCE.test(before)) return true
  // A round number is rather a count.
  return IN.test(before) && !/00$/.test(year) && (!/[到至]$/.test(before) || /(?:19|20)\d\d年?[到至]$/.test(before))
}

const clock = (hour: string, minute: string, second?: string): string =>
  `${hourOf(hour)}点${minute === '00' && (second ?? '00') === '00' ? '' : `${plainNumber(minute)}分`}${second === undefined || second === '00' ? '' : `${plainNumber(second)}秒`}`

const halfOf = (half: string): string => (/[Aa]/.test(half) ? '上午' : '下午')

/** "10:30am" in one keeps its letters. */
function halfDays(): Rule[] {
  return [
    rule('time', 'letter', String.raw`(?<half>[AaPp])\.?[Mm]\.? ?(?=\d{1,2}:\d\d)`, ({ half = '' }) => halfOf(half)),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2})(?::(?<minute>[0-5]\d))?(?: (?=[AP]M|[ap]m)|(?= ?[AaPp]\.)) ?(?<half>[AaPp])\.?[Mm](?![A-Za-z\d])\.?`,
      ({ hour = '', minute, half = '' }) =>
        minute === undefined && Number(hour) > 12 ? null : `${halfOf(half)}${clock(hour, minute ?? '00')}`,
    ),
  ]
}

function times(): Rule[] {
  const SCORE = /(?:比分|大比分|以|比)\s?(?:为|是)?\s?$/
  const WON = /^\s?(?:战胜|击败|取胜|领先|大胜|险胜|逆转|力克|获胜|战平|落后|的比分|不敌|轻取|完胜)/
  return [
    ...halfDays(),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?(?![\d:])`,
      ({ hour = '', minute = '', second }, { before, after }) =>
        Number(hour) > 24 || (second === undefined && (SCORE.test(before) || WON.test(after)))
          ? null
          : clock(hour, minute, second),
    ),
    rule('range', 'symbol', String.raw`[-–—~～〜](?=\d{1,2}:[0-5]\d)`, (_groups, { before }) =>
      /:[0-5]\d ?$/.test(before) ? '到' : null,
    ),
    rule('time', 'digit', String.raw`2(?=点(?!\d*[%％]))`, (_groups, { before }) =>
      /[.\d]$/.test(before) ? null : '两',
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,4}):(?<b>\d{1,8})(?::(?<c>\d{1,4}))?(?![\d:])`,
      ({ a = '', b = '', c }) => [a, b, ...(c === undefined ? [] : [c])].map(plainNumber).join('比'),
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3})[-–](?<b>\d{1,3})(?![\d-])`,
      ({ a = '', b = '' }, { before, after }) =>
        SCORE.test(before) || WON.test(after) ? `${plainNumber(a)}比${plainNumber(b)}` : null,
    ),
  ]
}

const hourOf = (hour: string): string => (Number(hour) === 2 ? '两' : plainNumber(hour))

/** Behind these a number is said digit by digit. */
const ASKED =
  /(?:电话|热线|拨打|致电|客服|手机|邮编|邮政编码|验证码|QQ|微信|房间|尾号|密码|编号|学号|工号|卡号|单号|分机|转)号?码?[是为：:\s]{0,3}(?:\d{3,8}[、和或]){0,3}$/

function telephones(): Rule[] {
  const grouped = (all: string): string => {
    const parts = /^1\d{10}$/.test(all)
      ? [all.slice(0, 3), all.slice(3, 7), all.slice(7)]
      : all.split(/\D+/).filter(Boolean)
    return parts.map(phone).join('，')
  }
  return [
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`\+(?<country>\d{1,3})[ -]?(?<rest>\d{2,11}(?:[ -]\d{2,8}){0,3})(?!\d)`,
      ({ country = '', rest = '' }) => (rest.length < 6 ? null : `加${phone(country)}，${grouped(rest)}`),
    ),
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`\(?0\d{2,3}\)?[- ]?(?:\d{7,8}|\d{4}[- ]\d{4})(?:-\d{1,5})?(?!\d)|1[3-9]\d(?:\d{8}|[- ]\d{4}[- ]\d{4})(?!\d)|(?:400|800)-?\d{3,4}-?\d{3,4}(?!\d)|\d{3,4}-\d{4}-\d{4}(?!\d)`,
      (_groups, _around, match) => grouped(match),
    ),
    rule(
      'telephone',
      'digit',
      String.raw`\d{3,12}(?:-\d{3,4})?(?!\d|[年月日元万亿个%.])`,
      (_groups, { before, after }, match) =>
        ASKED.test(before) || /^(?:热线|客服|电话|网站)/.test(after) ? grouped(match) : null,
    ),
  ]
}

function fractions(): Rule[] {
  return [
    rule('measure', 'digit', String.raw`24\/7(?![\d/])`, () => '七天二十四小时'),
    rule(
      'range',
      'digit',
      `(?<from>${NUMBER})[%％]?[-–—~～至](?<to>${NUMBER})[%％]`,
      ({ from = '', to = '' }) => `百分之${number(from)}到百分之${number(to)}`,
    ),
    ...signedRules(
      'fraction',
      String.raw`${SIGN}(?:(?<whole>\d{1,9})[又 ])?(?<top>\d{1,9})\/(?<bottom>${WHOLE})(?![\d/])`,
      ({ sign, whole, top = '', bottom = '' }, { before }) =>
        isSigned(sign, before) && !/\/$/.test(before)
          ? `${sign === undefined ? '' : '负'}${whole === undefined ? '' : `${cardinal(whole)}又`}${cardinal(bottom)}分之${cardinal(top)}`
          : null,
    ),
    rule('fraction', 'digit', String.raw`(?<whole>\d{1,6}) ?(?<vulgar>[¼½¾⅐-⅞])`, ({ whole = '', vulgar = '' }) => {
      const [top = '', bottom = ''] = vulgar.normalize('NFKC').split('⁄')
      return `${cardinal(whole)}又${cardinal(bottom)}分之${cardinal(top)}`
    }),
  ]
}

/** Rooms and emergency numbers. */
function rooms(): Rule[] {
  return [
    rule(
      'telephone',
      'digit',
      String.raw`\d{3,4}(?=室|号房|房间|[会教病诊]议?[室房]|包[厢间]|宿舍|办公室)`,
      (_groups, _around, match) => digits(match),
    ),
    rule('telephone', 'digit', String.raw`\d{3,4}(?![\d年月日元万亿个%.])`, (_groups, { before }, match) =>
      /[栋座幢]$|单元$|\d楼$/.test(before) ? digits(match) : null,
    ),
    rule('telephone', 'digit', '1(?:10|19|20|14|22)(?=[、和与或]1[12]|是|报警|急救)', (_groups, _around, match) =>
      phone(match),
    ),
    rule('telephone', 'digit', '1(?:10|19|20|14|22)(?![\\d.%])', (_groups, { before }, match) =>
      /1[12][0-9][、和与或]$/.test(before) ? phone(match) : null,
    ),
  ]
}

/** Signs between numbers that other rules would take for a range, a fraction or a tag. */
function logarithms(): Rule[] {
  return [
    rule(
      'math',
      'letter',
      String.raw`log(?<base>[₀-₉]{1,3}) ?\(?(?<number>\d{1,6})\)?(?![\d.])`,
      ({ base = '', number: written = '' }) => `以${plainNumber(base.normalize('NFKC'))}为底${number(written)}的对数`,
    ),
    rule(
      'serial',
      'letter',
      String.raw`[fF]\/(?<stop>\d{1,2}(?:\.\d)?)(?![\d.])`,
      ({ stop = '' }) => `F${number(stop)}`,
    ),
  ]
}

function sums(): Rule[] {
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<month>\d{1,2})\/(?<day>\d{1,2})(?!\d|\/)`,
      ({ month = '', day = '' }, { before, after }) =>
        isDate(month, day) &&
        (/(?:周|星期|礼拜)[一二三四五六日天] ?$/.test(before) || /^ ?[(（](?:周|星期)/.test(after))
          ? `${plainNumber(month)}月${plainNumber(day)}日`
          : null,
    ),
    rule('date', 'digit', String.raw`\d{4}(?=[〕\]]\d)`, (_groups, { before }, match) =>
      /[〔[]$/.test(before) ? digits(match) : null,
    ),
    rule(
      'serial',
      'digit',
      String.raw`(?<number>\d{3,6})-(?<year>(?:19|20)\d\d)(?![\d年])`,
      ({ number: written = '', year = '' }) => (Number(written) > 2100 ? `${digits(written)}杠${digits(year)}` : null),
    ),
    rule(
      'measure',
      'symbol',
      String.raw`\/(?=[分秒人天日月年周次个斤米升包盒箱袋瓶本台套件张位份间晚节期亩吨](?![\p{Script=Han}]))`,
      (_groups, { before }) => (/[\p{Script=Han}]$/u.test(before) ? '每' : null),
    ),
    rule('electronic', 'symbol', String.raw`#(?<topic>[^#\s]{1,40})#`, ({ topic = '' }) => `话题${topic}`),
  ]
}
