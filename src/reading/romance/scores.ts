import { rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

const UNIT_BEHIND = /^ ?(?:min|h|s|seg|sec|m|km|cm|mm|g|kg|ml|l|€|%|°|º|euros?|reais|años|anni|anos)(?![\p{L}])/u
/** A set of a match, not a part of a whole. */
const SET_BEFORE = /(?:venc|ganh?|derrot|perd|parcia|sets?|bat|vit[óo]ria|victoria)\p{L}*\s(?:\S{1,12}\s){0,6}\(?$/iu
const RATIO =
  /(?:dilu[\p{L}-]*|escala|scala|proporci[óo]n|proporção|proporzione|razão|ratio|relaci[óo]n|rapporto|relação)(?: d[ei]| a)? $/iu
const BETWEEN_NAMES = [/\p{Lu}\p{L}+\.?\s$/u, /^\s\p{Lu}/u] as const

/** "ganó 3-1", "2 x 1": a score, if such a word or two names stand beside it. */
export function scoreRules(words: RomanceWords): Rule[] {
  const { cardinal, scoreBefore, scoreBehind, scoreJoint: joint, scoreMarks } = words
  const say = (a: string, b: string): string => `${cardinal(Number(a))} ${joint} ${cardinal(Number(b))}`
  const NEAR = new RegExp(`(?:${scoreBefore})\\p{L}*\\s(?:\\S{1,12}\\s){0,2}$`, 'iu')
  const AFTER = new RegExp(`^\\s(?:${scoreBehind})(?!\\p{L})`, 'iu')
  return [
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}) ?(?<mark>[${scoreMarks}]) ?(?<b>\d{1,3})(?![\d:%]|[-–/.,]\d)`,
      ({ a = '', mark = '', b = '' }, { before, after }) => {
        if (UNIT_BEHIND.test(after) || /^ ?=/.test(after) || /[\d/]$/.test(before)) return null
        const isBetween = /[-–x]/.test(mark) && BETWEEN_NAMES[0].test(before) && BETWEEN_NAMES[1].test(after)
        if (mark === '/') return SET_BEFORE.test(before) && !/^ d/.test(after) ? say(a, b) : null
        return NEAR.test(before) ||
          (mark === ':' && RATIO.test(before)) ||
          AFTER.test(after) ||
          (isBetween && a.length < 3 && b.length < 3)
          ? say(a, b)
          : null
      },
    ),
  ]
}

/** Hyphens that are said "a": between times, between a year and a short one, and of sets that are lost. */
export function hyphenRules(words: RomanceWords): Rule[] {
  const { cardinal, scoreJoint: joint } = words
  return [
    rule(
      'range',
      'symbol',
      String.raw` ?[-–—/] ?(?=\d{1,2}(?:[:.h]\d\d|h)?(?![\d/:]|[.,]\d))`,
      (_groups, { before, after }) => {
        const isClock = /\d[:h]\d\d(?: ?h)?\s?$|\d ?h$|(?:ore|dalle|e)\s\d{1,2}[.,][0-5]\d$/.test(before)
        return isClock || (/\d\.\d\d(?: ?h)?$/.test(before) && /^\d{1,2}[:.h]\d\d/.test(after))
          ? `${/\s$/.test(before) ? '' : ' '}${joint} `
          : null
      },
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>(?:1[0-9]|20)\d\d)[-–](?<to>\d\d)(?![\d\p{L}]|[-–/.,]\d)`,
      ({ from = '', to = '' }) =>
        Number(to) > Number(from) % 100 ? `${cardinal(Number(from))} ${joint} ${cardinal(Number(to))}` : null,
    ),
    ...countRangeRules(words),
    ...houseNumberRules(words),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,2})(?:[-–]| [-–] )(?<b>\d{1,2})(?![\d\p{L}%]|[-–/.,:]\d| ?=)`,
      ({ a = '', b = '' }, { before }) =>
        Number(b) <= Number(a) && !/[\p{L}\p{N}][-–.,/]?$/u.test(before) && !/^0./.test(b)
          ? `${cardinal(Number(a))} ${joint} ${cardinal(Number(b))}`
          : null,
    ),
  ]
}

/** "2.000-3.000", "20-21 mujeres": both numbers have the gender of the noun. */
function countRangeRules({ cardinal, genderOf, noNouns, units, scoreJoint: joint }: RomanceWords): Rule[] {
  const COUNT = String.raw`\d{1,3}(?:\.\d{3}){0,3}`
  const countOf = (count: string): number => Number(count.replaceAll('.', ''))
  return [
    rule(
      'range',
      'digit',
      `(?<from>${COUNT}) ?[-–] ?(?<to>${COUNT})(?![\\d%º°]|[.,:/-]\\d)`,
      ({ from = '', to = '' }, { before, after }) => {
        const noun = /^ (?<noun>\p{Ll}{3,30})/u.exec(after)?.groups?.noun ?? ''
        const isCounted = noun !== '' && !noNouns.has(noun) && units[noun] === undefined
        if (!isCounted && !(from.includes('.') && to.includes('.'))) return null
        if (countOf(to) <= countOf(from) || /[\p{L}\p{N}][-–.,/]?$/u.test(before)) return null
        const gender = isCounted ? genderOf(noun, true) : undefined
        const first = cardinal(countOf(from), gender === 'feminine' ? gender : undefined)
        return `${first} ${joint} ${cardinal(countOf(to), gender)}`
      },
    ),
  ]
}

/** House numbers of Colombia are no ranges. */
const houseNumberRules = ({ cardinal, number: numberWord }: RomanceWords): Rule[] => [
  // "Calle 72 No. 10-34".
  rule(
    'serial',
    'digit',
    String.raw`(?<a>\d{1,3})(?<letter>\p{Lu}?) ?[-–] ?(?<b>\d{1,3})(?!\d)`,
    ({ a = '', letter = '', b = '' }, { before }) =>
      /(?:calle|carrera|cra\.|kra\.|cll\.|cl\.|diagonal|transversal)\s[^,]{1,16}(?:n\S{1,2}|#)\s?$/i.test(before)
        ? [cardinal(Number(a)), letter, cardinal(Number(b))].filter(Boolean).join(' ')
        : null,
  ),
  // "Calle 14 # 23-45".
  rule(
    'serial',
    'symbol',
    String.raw`# ?(?<a>\d{1,3})(?<letter>\p{Lu}?) ?[-–] ?(?<b>\d{1,3})(?!\d)`,
    ({ a = '', letter = '', b = '' }) =>
      [numberWord, cardinal(Number(a)), letter, cardinal(Number(b))].filter(Boolean).join(' '),
  ),
]
