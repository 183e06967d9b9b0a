import { NUMBER } from '../east-asian.ts'
import { spell } from '../number-rules.ts'
import { oneOf, rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { COUNTERS, LETTERS, NO_COUNTERS } from './korean-words.ts'

const DIGITS = '영일이삼사오육칠팔구'
const LARGEST_DIGITS = 20
const MYRIADS = ['', '만', '억', '조', '경']
/** Chinese numbers of months drop a final sound before 월. */
const MONTHS: Readonly<Record<string, string>> = { 6: '유', 10: '시' }
/** The form of a particle behind a consonant, and behind a vowel. */
const PARTICLES: Readonly<Record<string, readonly [string, string]>> = {
  이: ['이', '가'],
  가: ['이', '가'],
  은: ['은', '는'],
  는: ['은', '는'],
  을: ['을', '를'],
  를: ['을', '를'],
  과: ['과', '와'],
  와: ['과', '와'],
  로: ['으로', '로'],
}

export function number(written: string): string {
  const [, sign = '', whole = '', places] = /^([-−–+]?)([\d,]*)(?:\.(\d+))?$/.exec(written) ?? []
  const said = `${sign === '' ? '' : sign === '+' ? '플러스 ' : '마이너스 '}${cardinal(whole || '0')}`
  return places === undefined ? said : `${said}점${digits(places)}`
}

export function cardinal(written: string): string {
  const plain = written.replaceAll(',', '')
  if (/^0\d/.test(plain) || plain.length > LARGEST_DIGITS) return digits(plain)
  if (Number(plain) === 0) return '영'
  const groups = plain.match(/\d{1,4}(?=(?:\d{4})*$)/g) ?? []
  return groups
    .map((group, index) => {
      const place = groups.length - 1 - index
      if (Number(group) === 0) return ''
      const said = spell('ko', 'spellout-cardinal-sinokorean', Number(group)).replaceAll(' ', '')
      return `${place === 1 && Number(group) === 1 && index === 0 ? '' : said}${MYRIADS[place]}`
    })
    .join('')
}

export const digits = (written: string): string =>
  Array.from(written.replaceAll(/\D/g, ''), (one) => DIGITS[Number(one)]).join('')
export const plainNumber = (written: string): string => cardinal(String(Number(written)))
export const month = (written: string): string => MONTHS[Number(written)] ?? plainNumber(written)
export const spellLetters = (label: string): string =>
  Array.from(label.toLowerCase(), (letter) => LETTERS[letter] ?? letter).join('')

/** 한, 두, 세: Korean numbers up to 99, as they stand before a counter. */
export const native = (written: string): string =>
  Number(written) > 99 || Number(written) === 0
    ? plainNumber(written)
    : spell('ko', 'spellout-cardinal-native-attributive', Number(written)).replaceAll(' ', '')

/** ㄹ counts as none before 로. */
function hasFinalConsonant(word: string, particle: string): boolean {
  const final = ((word.codePointAt(word.length - 1) ?? 0) - 0xac00) % 28
  return final !== 0 && !(particle === '로' && final === 8)
}

export const withParticle = (word: string, particle: string | undefined): string =>
  `${word}${particle === undefined ? '' : (PARTICLES[particle]?.[hasFinalConsonant(word, particle) ? 0 : 1] ?? particle)}`

/** 한두, 서너: two neighbouring numbers in one word. */
const PAIRS: Readonly<Record<string, string>> = {
  1: '한두',
  2: '두세',
  3: '서너',
  4: '네다섯',
  5: '대여섯',
  6: '예닐곱',
  7: '일고여덟',
  8: '여덟아홉',
}

/** 20대 is an age or a decade, unless cars are counted. */
const isDecade = (written: string, counter: string, before: string): boolean =>
  counter === '대' &&
  /^[1-9]0$/.test(written) &&
  !/(?:차|트럭|버스|택시|기|드론|컴퓨터|노트북|카메라|폰|TV) ?$/.test(before)

const counterPattern = (): string =>
  `(?!${oneOf(NO_COUNTERS)}|대 ?(?:왕|국왕|임금|대통령|국회|총선|총리|회장|총장|교황|의장))(?:${oneOf(Object.keys(COUNTERS))})`

const say = (written: string, counter: string): string =>
  Number(written) <= Number(COUNTERS[counter] ?? 0) ? native(written) : plainNumber(written)

/** "1만원" has no one, "5, 6명" counts in Korean twice, and "4-5" of an address is no range. */
export function beforeCounts(): Rule[] {
  const COUNTER = counterPattern()
  return [
    rule('cardinal', 'digit', '1만', (_groups, { before }) => (/[\d.,]$/.test(before) ? null : '만')),
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,2})(?=, ?\d{1,2} ?(?<counter>${COUNTER}))`,
      ({ number: written = '', counter = '' }) => say(written, counter),
    ),
    rule(
      'telephone',
      'digit',
      String.raw`(?<from>\d{1,4})-(?<to>\d{1,4})(?![\d-])`,
      ({ from = '', to = '' }, { before }) =>
        /(?:길|로|동|리|번지) ?$/.test(before) ? `${plainNumber(from)} 다시 ${plainNumber(to)}` : null,
    ),
  ]
}

/** Korean numbers before counters: 세 명, 첫번째, 스물다섯 살. */
export function counted(): Rule[] {
  const COUNTER = counterPattern()
  return [
    rule('ordinal', 'digit', '1(?=번째)', () => '첫'),
    rule('cardinal', 'digit', '4(?=자리)', () => '네'),
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{1,2})[-–〜～~](?<to>\d{1,2})(?= ?(?<counter>${COUNTER}|번(?! ?(?:문제|출구|버스|선수))(?:[ ,.]|이나|만|은|도|정도|씩|$)))`,
      ({ from = '', to = '', counter = '' }) =>
        (Number(to) === Number(from) + 1 ? PAIRS[from] : undefined) ??
        (counter.startsWith('번')
          ? `${plainNumber(from)}에서 ${plainNumber(to)}`
          : `${say(from, counter)}${counter}에서 ${say(to, counter)}`),
    ),
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,2})(?= ?(?<counter>${COUNTER})(?!월))`,
      ({ number: written = '', counter = '' }, { before }) =>
        /(?:[.,\d]|제 ?)$/.test(before) || isDecade(written, counter, before) ? null : say(written, counter),
    ),
    rule(
      'cardinal',
      'digit',
      `(?<number>${NUMBER})(?=번(?:[ ,.!]|에|이나|만|은|도|의|씩|째|쯤|가량|정도|$)(?! ?(?:버스|출구|선수|문제|게이트|방|국도|좌석|홈|타자|지하철|척추)))`,
      ({ number: written = '' }, { before }) =>
        Number(written) <= 20 && !/(?:반|버스|노선|문제|선수|호선|등번호) ?$/.test(before) ? native(written) : null,
    ),
  ]
}
