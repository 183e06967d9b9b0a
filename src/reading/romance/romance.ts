import { oneOf, rule, wordRule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { romanRules } from './romans.ts'
import type { RomanceWords } from './words.ts'

/** Rules that the three languages share, each in its own words. */
export const romanceRules = (words: RomanceWords): Rule[] => [
  ...romanRules(words),
  ...scoreRules(words),
  ...halfRules(words),
  ...slashRules(words),
  ...codeRules(words),
  ...thousandRules(words),
  ...hyphenRules(words),
  ...telephoneRules(words),
]

/** "el 12/10": a day and its month, if an article or a preposition stands before. */
export function shortDateRules(before: string, date: (day: number, month: number) => string): Rule[] {
  const BEFORE = new RegExp(`(?:^|[\\s(])(?:(?:${before})\\s|(?:all|dall|dell)?l?['’])$`, 'i')
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})[/.](?<month>\d{1,2})(?![\d/%]|[.,]\d)`,
      ({ day = '', month = '' }, around) => {
        const isDate = Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12
        return isDate && !(day === '24' && month === '7') && BEFORE.test(around.before)
          ? date(Number(day), Number(month))
          : null
      },
    ),
  ]
}

/** "ganó 3-1": a score, if such a word stands beside it. */
function scoreRules({ cardinal, scoreBefore, scoreBehind, scoreJoint: joint }: RomanceWords): Rule[] {
  const BEFORE = new RegExp(`(?:${scoreBefore})\\p{L}*\\s(?:\\S{1,12}\\s){0,2}$`, 'iu')
  const AFTER = new RegExp(`^\\s(?:${scoreBehind})(?!\\p{L})`, 'iu')
  return [
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,3}) ?[-–:] ?(?<b>\d{1,3})(?![\d:%]|[-–/.,]\d)`,
      ({ a = '', b = '' }, around) =>
        BEFORE.test(around.before) || AFTER.test(around.after)
          ? `${cardinal(Number(a))} ${joint} ${cardinal(Number(b))}`
          : null,
    ),
  ]
}

/** Titles that are single letters: only before a name. */
export const titleRule = (titles: Readonly<Record<string, string>>): Rule =>
  wordRule(
    'abbreviation',
    Object.keys(titles),
    String.raw`(?<title>${oneOf(Object.keys(titles))})(?= \p{Lu}\p{Ll})`,
    ({ title = '' }) => titles[title] ?? null,
  )

/** "1/2 taza": half a cup is feminine. */
function halfRules({ cardinal, genderOf, noNouns, half, andHalf }: RomanceWords): Rule[] {
  return [
    rule(
      'fraction',
      'digit',
      String.raw`(?:(?<whole>\d{1,3}) )?(?:1\/2|½)(?= (?<noun>\p{Ll}{3,30}))`,
      ({ whole, noun = '' }, { before }) => {
        if (noNouns.has(noun) || /[\d/.,]$/.test(before)) return null
        const gender = genderOf(noun)
        return whole === undefined ? half[gender] : `${cardinal(Number(whole), gender)} ${andHalf} ${half[gender]}`
      },
    ),
  ]
}

/** Laws, and round the clock. */
function slashRules({ cardinal, of, per, perUnits }: RomanceWords): Rule[] {
  const LAW =
    /(?:le[iy]|lege|legge|decreto|decreto-lei|resolução|resolución|orden|directiva|regolamento|reglamento|portaria|d\.l\.)(?: \p{L}{4,14})?(?: n\S{1,3})? $/iu
  const PER = oneOf(Object.keys(perUnits))
  return [
    rule('measure', 'symbol', `\\/ ?(?<unit>${PER})(?!\\p{L})`, ({ unit = '' }, { before }) =>
      /(?:\$|€|£) ?[\d.,]+$|\d ?(?:€|\$|£)$/.test(before) || (unit.length > 2 && /\d\s?$/.test(before))
        ? ` ${per} ${perUnits[unit]}`
        : null,
    ),
    rule('cardinal', 'digit', String.raw`24\/7(?![\d/])`, () => `${cardinal(24)} ${cardinal(7)}`),
    rule(
      'serial',
      'digit',
      String.raw`(?<number>\d{1,3}(?:\.\d{3})?|\d{4,5})\/(?<year>(?:19|20)\d\d|\d\d)(?![\d/])`,
      ({ number = '', year = '' }, { before }) =>
        LAW.test(before) ? `${cardinal(Number(number.replace('.', '')))} ${of} ${cardinal(Number(year))}` : null,
    ),
  ]
}

/** "21 mil mujeres": the thousands have the gender of the noun too. */
const thousandRules = ({ cardinal, genderOf, noNouns }: RomanceWords): Rule[] => [
  rule(
    'cardinal',
    'digit',
    String.raw`(?<number>\d{1,3})(?= mil (?<noun>\p{Ll}{3,30}))`,
    ({ number = '', noun = '' }, { before }) =>
      noNouns.has(noun) || /[\d.,]$/.test(before) || Number(number) < 2
        ? null
        : cardinal(Number(number), genderOf(noun)),
  ),
]

/** Hyphens that are said "a": between times, between a year and a short one, and of sets that are lost. */
function hyphenRules({ cardinal, over }: RomanceWords): Rule[] {
  return [
    rule('date', 'symbol', String.raw`['’](?<year>\d\d|\d00)(?![\d\p{L}'’])`, ({ year = '' }, { before }) =>
      /(?:^|\s)$/.test(before) ? cardinal(Number(year)) : null,
    ),
    rule('range', 'symbol', ' ?[-–—] ?(?=\\d{1,2}[:.h]\\d\\d)', (_groups, { before }) =>
      /\d[:.h]\d\d(?: ?h)?$/.test(before) ? ' a ' : null,
    ),
    rule(
      'range',
      'digit',
      String.raw`(?<from>(?:1[0-9]|20)\d\d)[-–](?<to>\d\d)(?![\d\p{L}]|[-–/.,]\d)`,
      ({ from = '', to = '' }) =>
        Number(to) > Number(from) % 100 ? `${cardinal(Number(from))} a ${cardinal(Number(to))}` : null,
    ),
    rule(
      'score',
      'digit',
      String.raw`(?<a>\d{1,2})[-–](?<b>\d{1,2})(?![\d\p{L}%]|[-–/.,:]\d)`,
      ({ a = '', b = '' }, { before }) =>
        Number(b) <= Number(a) && !/[\p{L}\p{N}][-–.,/]?$/u.test(before) && !/^0./.test(b)
          ? `${cardinal(Number(a))} a ${cardinal(Number(b))}`
          : null,
    ),
    rule('decimal', 'symbol', String.raw`\/(?=\d{1,3}(?!\d))`, (_groups, { before }) =>
      /\d,\d{1,2}$/.test(before) ? ` ${over} ` : null,
    ),
  ]
}

/** Digits in groups behind "Tel." */
function telephoneRules({ cardinal, telephone }: RomanceWords): Rule[] {
  const BEFORE = new RegExp(`(?:^|[\\s(])(?:${telephone})[.:\\s]{1,3}$`, 'i')
  const digits = (part: string): string => Array.from(part, (digit) => cardinal(Number(digit))).join(' ')
  return [
    rule(
      'telephone',
      'digit',
      String.raw`\d{2,9}(?:[ .-]\d{2,8}){0,4}(?![\d,]|[ ./-]\d)`,
      (_groups, { before }, match) => (BEFORE.test(before) ? match.split(/\D/).map(digits).join(', ') : null),
    ),
  ]
}

/** Postcodes, passwords and versions. */
function codeRules({ cardinal, codes, point }: RomanceWords): Rule[] {
  const CODE = new RegExp(`(?:^|[\\s(])(?:${codes})[:\\s]*(?:es|é|è)?\\s$`, 'u')
  const VERSION =
    /(?:versi[oó]n|versão|versione|Python|Android|iOS|Windows|Java|Node\.js|Bluetooth|USB|v\.?|art\.|art[íi]c?ulo|artigo|articolo|cap[íi]tulo)\s$/i
  const digits = (written: string): string =>
    Array.from(written.replaceAll(/\D/g, ''), (digit) => cardinal(Number(digit))).join(' ')
  return [
    rule('telephone', 'digit', String.raw`\d{3,16}(?:[.-]\d{2,4}){0,3}(?![\d.,]\d|\d)`, (_groups, { before }, match) =>
      CODE.test(before) ? digits(match) : null,
    ),
    rule('serial', 'digit', String.raw`\d{1,3}(?:\.\d{1,3}){1,3}(?!\d)`, (_groups, { before }, match) =>
      VERSION.test(before)
        ? match
            .split('.')
            .map((part) => cardinal(Number(part)))
            .join(` ${point} `)
        : null,
    ),
  ]
}
