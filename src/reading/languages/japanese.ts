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
import { LARGEST_SPELLED, spell } from '../number-rules.ts'
import { oneOf, rule, rulesAt } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import { ABBREVIATIONS, ATOMS, CURRENCIES, ENGLISH_NUMBERS, MARKS, SYMBOLS, UNITS } from './japanese-words.ts'

const DIGITS = '零一二三四五六七八九'
const ERAS: Readonly<Record<string, string>> = { R: '令和', H: '平成', S: '昭和', T: '大正', M: '明治' }
const DAYS = '月火水木金土日'
const WAVE = '[〜～~]'

/** The rules of Japanese, in the order in which they are tried. Numbers become kanji: the engine knows how they sound before a counter. */
export function japanese(): RuleBook {
  const words = japaneseWords()
  return {
    spaces: 'none',
    unspaced: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u,
    fold: foldWidth,
    marks: MARKS,
    rules: [
      ...electronicRules(words),
      ...abbreviationRules(words),
      ...pairRules(words),
      ...namedNumbers(ENGLISH_NUMBERS),
      ...names(),
      ...dates(),
      weekdays(),
      ...scores(),
      ...fractions(),
      ...times(),
      ...telephones(),
      ...codes(),
      waves(),
      limit(words),
      ...moneyRules(words),
      ...measureRules(words),
      ...numberRules(words),
      ...symbolRules(words),
    ],
  }
}

const japaneseWords = (): EastAsianWords => ({
  number,
  digits,
  phone: digits,
  minus: 'マイナス',
  plus: 'プラス',
  less: '引く',
  pause: '、',
  gap: '',
  to: 'から',
  point: '点',
  per: (measured, unit) => `${measured}毎${unit}`,
  each: (unit) => `毎${unit}`,
  eachOf: '[日月年時分秒人回個本枚]',
  clock: ['分', '秒'],
  joint: 'の',
  against: '対',
  power: (exponent) => `の${exponent}乗`,
  magnitudes: '千百万億兆',
  units: UNITS,
  currencies: CURRENCIES,
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  stars: (count) => `星${cardinal(String(count))}つ`,
  atoms: (written) => ATOMS[Number(written)] ?? cardinal(written),
  serial: (letters, written) => `${letters}${written.length > 3 ? digits(written) : cardinal(written)}`,
})

function number(written: string): string {
  const [, sign = '', whole = '', places] = /^([-−–+]?)([\d,]*)(?:\.(\d+))?$/.exec(written) ?? []
  const said = `${sign === '' ? '' : sign === '+' ? 'プラス' : 'マイナス'}${cardinal(whole || '0')}`
  return places === undefined ? said : `${said}点${Array.from(places, (one) => DIGITS[Number(one)]).join('')}`
}

function cardinal(written: string): string {
  const plain = written.replaceAll(',', '')
  const value = Number(plain)
  if (value > LARGEST_SPELLED || /^0\d/.test(plain)) return digits(plain)
  if (value < 10) return DIGITS[value] as string
  // A thousand before a larger unit is said with its one: 一千億.
  return spell('ja', 'spellout-cardinal', value)
    .replaceAll(/(?<![二三四五六七八九])千(?=[^万億兆]*[万億兆])/g, '一千')
    .replaceAll('一一千', '一千')
}

const digits = (written: string): string =>
  Array.from(written.replaceAll(/\D/g, ''), (one) => (one === '0' ? 'ゼロ' : DIGITS[Number(one)])).join('')
const plainNumber = (written: string): string => cardinal(String(Number(written)))

/** Signs and numbers that mean something else: ▲3億円, 打率.312, 3・11, 8888, ww. */
function names(): Rule[] {
  const AVERAGE = /(?:打率|勝率|出塁率)[はがで：:]? ?$/
  return [
    rule('math', 'symbol', String.raw`[▲△](?=\d[\d,]{0,20}(?:\.\d|[千百万億兆円%]|ポイント))`, () => 'マイナス'),
    ...rulesAt(['digit', 'symbol'], 'decimal', String.raw`0?\.(?<places>\d{3})(?!\d)`, ({ places = '' }, { before }) =>
      AVERAGE.test(before)
        ? Array.from(places, (one, index) => (one === '0' ? '' : `${cardinal(one)}${'割分厘'[index]}`)).join('')
        : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<month>\d{1,2})・(?<day>[12]\d|3[01])(?![\d・年月日回人号番巻話位章])`,
      ({ month = '', day = '' }) =>
        isDate(month, day) && Number(day) > 10 ? `${cardinal(month)}・${digits(day)}` : null,
    ),
    rule('cardinal', 'digit', String.raw`8{4,20}(?=[\s!！。、wｗ]|$)`, (_groups, { before }, match) =>
      /[は＝=：:約計]$/.test(before) ? null : 'パチ'.repeat(match.length),
    ),
    rule('serial', 'letter', String.raw`B(?<floor>\d)F?(?=階|の|[^A-Za-z\d]|$)`, ({ floor = '' }, _around, match) =>
      match.endsWith('F') ? `地下${cardinal(floor)}階` : null,
    ),
    rule(
      'abbreviation',
      'letter',
      String.raw`pp?\. ?(?<page>\d{1,4})(?:[-–〜](?<last>\d{1,4}))?(?!\d)`,
      ({ page = '', last }) => `${cardinal(page)}${last === undefined ? '' : `から${cardinal(last)}`}ページ`,
    ),
    rule('abbreviation', 'symbol', '[(（][株有][)）]', (_groups, _around, match) =>
      match[1] === '株' ? '株式会社' : '有限会社',
    ),
    rule('measure', 'digit', String.raw`24\/7(?![\d/])`, () => 'トゥエンティフォーセブン'),
    rule('abbreviation', 'letter', String.raw`[Vv]ol\.? ?(?=\d)`, () => 'ボリューム'),
    rule('abbreviation', 'letter', String.raw`w{1,20}(?![A-Za-z\d.])`, (_groups, { before }, match) =>
      (match.length > 1 ? /(?:^|[^A-Za-z])$/ : /[ぁ-んァ-ヶー！？。]$/).test(before) ? '笑' : null,
    ),
  ]
}

function dates(): Rule[] {
  const day = (month: string, written: string): string | null =>
    isDate(month, written) ? `${plainNumber(month)}月${plainNumber(written)}日` : null
  const read: Read = ({ era, year = '', month = '', day: written = '' }) => {
    const said = day(month, written)
    return said === null ? null : `${era === undefined ? '' : ERAS[era]}${cardinal(year)}年${said}`
  }
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?!\d|[-/.]\d)`,
      read,
    ),
    rule(
      'date',
      'letter',
      String.raw`(?<era>[RHSTM])\.?(?<year>\d{1,2})[./](?<month>\d{1,2})[./](?<day>\d{1,2})(?!\d)`,
      read,
    ),
    rule(
      'date',
      'letter',
      String.raw`(?<era>[RHSTM])(?<year>\d{1,2}|元)(?=年)`,
      ({ era = '', year = '' }) => `${ERAS[era]}${year === '元' || Number(year) === 1 ? '元' : cardinal(year)}`,
    ),
    daySpanRule('から', (month, written) => day(month, written) ?? ''),
    dayRule(
      /^ ?(?:まで|から|より|[にの]|発売|開催|開始|締|必着|[(（]|午[前後]|\d{1,2}:\d\d)/,
      (month, written) => day(month, written) ?? '',
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<month>\d{1,2})\/(?<day>\d{1,2})(?=[(（][${DAYS}祝])`,
      ({ month = '', day: written = '' }) => day(month, written),
    ),
    rule('date', 'digit', String.raw`0(?<number>\d)(?=[月日時分秒])`, ({ number: written = '' }) => cardinal(written)),
  ]
}

/** "(月)" behind a date is its day of the week. */
const weekdays = (): Rule =>
  rule('date', 'symbol', `[（(](?<days>[${DAYS}祝](?:[・〜～、,～][${DAYS}祝]){0,6})[）)]`, ({ days = '' }) =>
    Array.from(days, dayName).join(''),
  )

function dayName(character: string): string {
  if (character === '祝') return '祝日'
  if (DAYS.includes(character)) return `${character}曜日`
  return /[〜～]/.test(character) ? 'から' : ''
}

function scores(): Rule[] {
  const said = (a: string, b: string): string => `${plainNumber(a)}対${plainNumber(b)}`
  const WON =
    /^\s?(?:[でと]\s?(?:[\p{Script=Han}]{0,2}勝|敗|快勝|辛勝|完勝|圧勝|下し|制し|引き分け|逆転|リード|破)|の勝利|の引き分け)/u
  return [
    rule('score', 'digit', String.raw`(?<a>\d{1,3})[-–−:](?<b>\d{1,3})(?![\d:-])`, ({ a = '', b = '' }, { after }) =>
      WON.test(after) ? said(a, b) : null,
    ),
    rule('score', 'digit', String.raw`(?<a>\d{1,3}):(?<b>\d|\d{3,8}|[6-9]\d)(?![\d:])`, ({ a = '', b = '' }) =>
      said(a, b),
    ),
  ]
}

function fractions(): Rule[] {
  return [
    ...signedRules(
      'fraction',
      String.raw`${SIGN}(?:(?<whole>\d{1,9})(?<joint>[ と荷]))?(?<top>√?\d{1,9})\/(?<bottom>√?${WHOLE})(?![\d/])`,
      ({ sign, whole, joint = '', top = '', bottom = '' }, { before }) => {
        if (!isSigned(sign, before) || /[\d/]$/.test(before)) return null
        const root = (written: string): string =>
          `${written.startsWith('√') ? 'ルート' : ''}${cardinal(written.replace('√', ''))}`
        const wholeSaid = whole === undefined ? '' : `${cardinal(whole)}${joint === ' ' ? 'と' : joint}`
        return `${sign === undefined ? '' : 'マイナス'}${wholeSaid}${root(bottom)}分の${root(top)}`
      },
    ),
    rule('fraction', 'symbol', String.raw`[-−](?=√?\d{1,9}(?:[と荷]|分の))`, () => 'マイナス'),
    rule(
      'fraction',
      'digit',
      String.raw`(?<whole>\d{1,6}) ?(?<vulgar>[¼½¾⅐-⅞])`,
      ({ whole = '', vulgar = '' }) => `${cardinal(whole)}と${SYMBOLS[vulgar] ?? ''}`,
    ),
  ]
}

function times(): Rule[] {
  return [
    rule('time', 'letter', String.raw`(?<half>[AaPp])\.?[Mm]\.? ?(?=\d{1,2}:\d\d)`, ({ half = '' }) => halfOf(half)),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2})(?::(?<minute>[0-5]\d))? ?(?<half>[AaPp])\.?[Mm](?![A-Za-z\d])\.?`,
      ({ hour = '', minute, half = '' }) =>
        minute === undefined && Number(hour) > 12
          ? null
          : `${halfOf(half)}${plainNumber(hour)}時${(minute ?? '00') === '00' ? '' : `${plainNumber(minute ?? '')}分`}`,
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?(?![\d:])`,
      ({ hour = '', minute = '', second }) => {
        if (Number(hour) > 30) return null
        const minutes = minute === '00' ? '' : `${plainNumber(minute)}分`
        return `${plainNumber(hour)}時${minutes}${second === undefined || second === '00' ? '' : `${plainNumber(second)}秒`}`
      },
    ),
    rule('range', 'symbol', String.raw`[-–〜～~](?=\d{1,2}:[0-5]\d)`, (_groups, { before }) =>
      /:[0-5]\d ?$/.test(before) ? 'から' : null,
    ),
  ]
}

const halfOf = (half: string): string => (/[Aa]/.test(half) ? '午前' : '午後')

function telephones(): Rule[] {
  const said = (all: string): string => all.split(/\D+/).filter(Boolean).map(digits).join('の')
  return [
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`\+(?<country>\d{1,3})[- ](?<rest>\(?0?\)?\d{1,5}(?:[- ]\d{2,5}){1,3})(?!\d)`,
      ({ country = '', rest = '' }) => `プラス${digits(country)}の${said(rest)}`,
    ),
    ...rulesAt(
      ['digit', 'symbol'],
      'telephone',
      String.raw`[（(]?0\d{1,4}(?:[-–]|[）)]-?|[（(])\d{1,4}[-–）)]\d{3,4}(?!\d)`,
      (_groups, _around, match) => said(match),
    ),
    rule('telephone', 'digit', String.raw`0[789]0\d{8}(?!\d)`, (_groups, _around, match) =>
      said(`${match.slice(0, 3)}-${match.slice(3, 7)}-${match.slice(7)}`),
    ),
    rule(
      'telephone',
      'symbol',
      String.raw`〒 ?(?<all>\d{3}[-–]?\d{4})(?!\d)`,
      ({ all = '' }) => `郵便番号${said(all)}`,
    ),
    rule('telephone', 'digit', String.raw`\d{3}-\d{4}(?=[^\d-]|$)`, (_groups, _around, match) => said(match)),
  ]
}

const TEAMS =
  '巨人|阪神|中日|広島|横浜|DeNA|ヤクルト|西武|楽天|ロッテ|日本ハム|オリックス|ソフトバンク|日本|韓国|米国|中国|鹿島|浦和|川崎|神戸|町田|湘南'
const TEAM = new RegExp(`^(?:${TEAMS})`)
const TEAM_BEFORE = new RegExp(`(?:${TEAMS})$`)

/** Passwords, extensions, house numbers and No. */
function codes(): Rule[] {
  return [
    rule('telephone', 'digit', String.raw`\d{3,8}(?=[^\d年月日円人個万億%,.]|$)`, (_groups, { before }, match) =>
      /(?:暗証番号|認証コード|確認コード|内線|号室|部屋番号|会員番号|予約番号|パスワード)[はが：:\s]{0,2}$/.test(before)
        ? digits(match)
        : null,
    ),
    rule('abbreviation', 'letter', String.raw`[Nn][Oo]\.? ?1(?!\d)`, () => 'ナンバーワン'),
    rule('abbreviation', 'letter', String.raw`[Nn][Oo]\.? ?(?=\d)`, () => 'ナンバー'),
    rule(
      'telephone',
      'digit',
      String.raw`\d{1,4}[-−–‐]\d{1,4}(?:[-−–‐]\d{1,4}){0,2}(?![\d-])`,
      (_groups, { before, after }, match) => {
        const parts = match.split(/\D/)
        if (parts.length === 2 && (TEAM.test(after) || TEAM_BEFORE.test(before)))
          return parts.map(plainNumber).join('対')
        const isAddress =
          parts.length > 2 ||
          /(?:[図表式]|丁目|[区市町村])$/.test(before) ||
          (/[\p{Script=Han}ー]$/u.test(before) && Number(parts[1]) <= Number(parts[0]))
        return isAddress ? parts.map(plainNumber).join('の') : null
      },
    ),
  ]
}

/** 〜 between two things is から. Behind kana it lengthens a vowel and stays. */
const waves = (): Rule =>
  rule('range', 'symbol', WAVE, (_groups, { before, after }) => {
    const isBetween = /[\d\p{Script=Han}a-zA-Z)）%％℃]$/u.test(before) && /^[\d\p{Script=Han}a-zA-Z$¥￥€]/u.test(after)
    return isBetween || /\d[円時日年月分人個歳]$/.test(before) ? 'から' : null
  })

const LIMITS: Readonly<Record<string, string>> = {
  '≥': '以上',
  '≧': '以上',
  '≤': '以下',
  '≦': '以下',
  '<': '未満',
  '>': '超',
}

/** "≥18歳" is said behind its number: 十八歳以上. */
const limit = ({ units }: EastAsianWords): Rule =>
  rule(
    'math',
    'symbol',
    `(?<sign>[≥≧≤≦<>]) ?(?<number>${NUMBER}) ?(?<unit>${oneOf(Object.keys(units))}|[歳人円個点本年日月回名枚]|)`,
    ({ sign = '', number: written = '', unit = '' }, { before }) =>
      /[\d<>=-] ?$/.test(before) ? null : `${number(written)}${units[unit] ?? unit}${LIMITS[sign]}`,
  )
