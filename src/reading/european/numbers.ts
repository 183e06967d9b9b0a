import { LARGEST_SPELLED } from '../number-rules.ts'
import { beforeWords, isSignFree, oneOf, rule, rulesAt, signed, VULGAR_FRACTIONS } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { magnitudeForm, magnitudesOf } from './magnitudes.ts'
import type { Speaker } from './speaker.ts'
import type { Counted, Words } from './words.ts'

export function fractions(words: Words, say: Speaker): Rule[] {
  const { units, and } = words
  const UNIT = String.raw`(?: (?<unit>${oneOf(Object.keys(units))})(?![\p{L}\d]|['’]\p{L}))?`
  const part = (top: string, bottom: string): string | null =>
    Number(say.plain(bottom)) > LARGEST_SPELLED
      ? null
      : words.fraction(Number(say.plain(top)), Number(say.plain(bottom)))
  const wholeOf = (whole: string | undefined): string =>
    whole === undefined ? '' : `${words.cardinal(Number(whole), 'neuter')} ${and}`
  const partOf = (unit: Counted, isOnlyPart: boolean): string =>
    words.partOf?.(unit, isOnlyPart) ?? unit.forms.one ?? unit.forms.other
  const read: Read = ({ sign, whole, vulgar, top = '', bottom = '', unit }, around) => {
    const [above = '', below = ''] = vulgar === undefined ? [top, bottom] : vulgar.normalize('NFKD').split('⁄')
    const said = /[\p{L}\p{N}/]$/u.test(around.before) ? null : part(above, below)
    if (said === null) return null
    const counted = unit === undefined ? undefined : units[unit]
    const isHalf = whole === undefined && above === '1' && below === '2'
    const half = isHalf ? words.halfOf?.(around, counted?.gender, counted?.forms.one) : null
    const unitWord = counted === undefined ? '' : ` ${partOf(counted, whole === undefined && !half)}`
    return `${sign === undefined ? '' : `${words.minus} `}${wholeOf(whole)}${half ?? said}${unitWord}`
  }
  return [
    ...beforeWords(
      ['/'],
      signed(
        'fraction',
        String.raw`(?<sign>[-−–])?(?:(?<whole>\d{1,6}) )?(?<top>\d{1,6})\/(?<bottom>${say.WHOLE})(?![\d/\p{L}])${UNIT}`,
        read,
      ),
    ),
    ...rulesAt(
      ['digit', 'symbol'],
      'fraction',
      `(?:(?<whole>\\d{1,6}) ?)?(?<vulgar>[${VULGAR_FRACTIONS}])${UNIT}`,
      read,
    ),
  ]
}

export function ordinals(words: Words, say: Speaker): Rule[] {
  return [
    rule(
      'ordinal',
      'digit',
      `(?<number>${say.WHOLE})(?:${words.ordinalHints})`,
      ({ number = '', hint }, { before }) => {
        const value = Number(say.plain(number))
        return value > LARGEST_SPELLED ? null : words.ordinal(value, hint, before) || null
      },
    ),
  ]
}

/** "Kap. 3.2". */
export function sections({ sectionBefore, marks }: Words, say: Speaker): Rule[] {
  if (sectionBefore === undefined) return []
  const before = new RegExp(`(?:^|[\\s(])(?:${sectionBefore})\\s?$`, 'u')
  return [
    rule('serial', 'digit', String.raw`\d{1,3}(?:\.\d{1,3}){1,4}(?!\d|\.\d|,\d)`, (_groups, around, match) =>
      before.test(around.before)
        ? match
            .split('.')
            .map((part) => say.whole(part))
            .join(` ${marks['.']} `)
        : null,
    ),
  ]
}

export function ranges({ to, against = to, marks }: Words, say: Speaker): Rule[] {
  return [
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{1,6})(?: ?[–—] ?|-| - )(?<end>\d{1,6})(?![\d\p{L}]|[-–/,.]\d| ?=)`,
      ({ from = '', end = '' }, { before }) =>
        /[\p{L}-]$/u.test(before) || Number(end) <= Number(from) ? null : `${say.whole(from)} ${to} ${say.whole(end)}`,
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}):(?<b>\d{1,3})(?![\d:])`,
      ({ a = '', b = '' }) => `${say.whole(a)} ${against} ${say.whole(b)}`,
    ),
    // "1,2,3,4" is a list.
    rule('cardinal', 'digit', String.raw`\d{1,2}(?:,\d{1,2}){2,8}(?![\d\p{L}]|[.,]\d)`, (_groups, _around, match) =>
      match
        .split(',')
        .map((part) => say.whole(part))
        .join(', '),
    ),
    // "1:25 000".
    rule(
      'score',
      'digit',
      `1:(?<b>\\d{4,7}|${say.WHOLE}(?<=\\D\\d{3}))(?!\\d)`,
      ({ b = '' }) => `${say.whole('1')} ${against} ${say.whole(b)}`,
    ),
    // Versions.
    rule('serial', 'digit', String.raw`\d{1,4}(?:\.\d{1,2}){2,4}(?!\d|\.\d)`, (_groups, _around, match) =>
      match
        .split('.')
        .map((part) => say.whole(part))
        .join(` ${marks['.']} `),
    ),
  ]
}

export function numbers(words: Words, say: Speaker): Rule[] {
  const { WHOLE, NUMBER } = say
  const magnitudes = magnitudesOf(words)
  const readWhole: Read = ({ sign, number = '' }, around) => {
    if (!isSignFree(sign, around)) return null
    const signWord = sign === undefined ? '' : sign === '+' ? `${words.plus} ` : `${words.minus} `
    if (sign === undefined && /^0\d/.test(number)) return `${signWord}${say.digits(number)}`
    const value = Number(say.plain(number))
    const inContext = value > LARGEST_SPELLED ? null : words.bare?.(value, around, number)
    return `${signWord}${inContext ?? say.whole(number)}`
  }
  return [
    ...beforeWords(
      magnitudes.beginnings,
      signed('cardinal', `(?<sign>[-−–])?(?<number>${NUMBER})${magnitudes.pattern}`, (groups, around) => {
        const { sign, number = '' } = groups
        const found = magnitudes.find(groups)
        if (found === null || !isSignFree(sign, around)) return null
        return `${say.number(`${sign ?? ''}${number}`, found.word.gender)} ${magnitudeForm(found, number, say)}`
      }),
    ),
    ...signed(
      'decimal',
      String.raw`(?<sign>[-−–+])?(?<number>(?:${WHOLE})?,\d{1,40}|\d{1,9}\.\d{1,2}(?![\d.]))(?!,?\d)`,
      ({ sign = '', number = '' }, around) => (isSignFree(sign, around) ? say.number(`${sign}${number}`) : null),
    ),
    ...signed('cardinal', `(?<sign>[-−–+])?(?<number>${WHOLE})`, readWhole),
  ]
}
