import { rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

const UNIT_BEHIND = /^ ?(?:min|h|s|seg|sec|m|km|cm|mm|g|kg|ml|l|€|%|°|º|euros?|reais|años|anni|anos)(?![\p{L}])/u
/** A set of a match, not a part of a whole. */
const SET_BEFORE = /(?:venc|ganh?|derrot|perd|parcia|sets?|bat|vit[óo]ria|victoria)\p{L}*\s(?:\S{1,12}\s){0,6}$/iu
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
        return NEAR.test(before) || AFTER.test(after) || (isBetween && a.length < 3 && b.length < 3) ? say(a, b) : null
      },
    ),
  ]
}

/** Hyphens that are said "a": between times, between a year and a short one, and of sets that are lost. */
export const hyphenRules = ({ cardinal, scoreJoint: joint, number: numberWord }: RomanceWords): Rule[] => [
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
  // "Calle 14 # 23-45".
  rule(
    'serial',
    'symbol',
    String.raw`# ?(?<a>\d{1,3})(?<letter>\p{Lu}?) ?[-–] ?(?<b>\d{1,3})(?!\d)`,
    ({ a = '', letter = '', b = '' }) =>
      [numberWord, cardinal(Number(a)), letter, cardinal(Number(b))].filter(Boolean).join(' '),
  ),
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
