import { rule, rulesAt } from '../rules.ts'
import type { Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

const VERSION =
  /(?:versi[oó]n|versão|versione|Python|Android|iOS|Windows|Java|Node\.js|Bluetooth|USB|HDMI|Wi-?Fi|v\.?|ver\.|art\.|art[íi]c?ulo|artigo|articolo|cap[íi]tulo|cap\.|tab(?:la|ela|ella)?\.?|fig(?:ur[ae])?\.?|sec(?:ci[óo]n|ção)?\.?|sezione|apartado|punto|item|§)\s$/i

/** Codes whose letters and digits are said one by one, telephone numbers, and versions. */
export const codeRules = (words: RomanceWords): Rule[] => [
  ...mixedCodeRules(words),
  ...numberCodeRules(words),
  ...telephoneRules(words),
]

const digitsBy =
  ({ cardinal }: RomanceWords) =>
  (written: string): string =>
    Array.from(written.replaceAll(/\D/g, ''), (digit) => cardinal(Number(digit))).join(' ')

/** Account numbers, the codes of people and parcels, and flights. */
function mixedCodeRules(words: RomanceWords): Rule[] {
  const { cardinal, acronyms } = words
  const digits = digitsBy(words)
  const oneByOne = (code: string): string =>
    Array.from(code, (sign) => (/\d/.test(sign) ? cardinal(Number(sign)) : sign)).join(' ')
  return [
    rule(
      'serial',
      'letter',
      String.raw`[A-Z]{2}\d{2}(?: ?[A-Z\d]{3,5}){3,7}(?: [A-Z\d]{1,3})?(?![\p{L}\d])`,
      (_groups, _around, match) =>
        match.replaceAll(' ', '').length < 15 ? null : match.split(' ').map(oneByOne).join(', '),
    ),
    ...rulesAt(
      ['letter', 'digit'],
      'serial',
      String.raw`(?=\d{0,16}[A-Z])(?=[A-Z]{0,16}\d)[A-Z\d]{8,34}(?![\p{L}\d])`,
      (_groups, _around, match) => (/^[A-Z]{4,}\d{1,4}$/.test(match) ? null : oneByOne(match)),
    ),
    rule(
      'serial',
      'letter',
      String.raw`(?<letters>[A-Z]{2,3})-?(?<number>\d{1,5})(?<tail>[A-Z]{0,3}\d{0,4})(?![\p{L}\d]|[.,]\d|-\d)`,
      ({ letters = '', number = '', tail = '' }) => {
        const first = acronyms.has(letters) ? letters : Array.from(letters).join(' ')
        const said = number.startsWith('0') || number.length > 4 ? digits(number) : cardinal(Number(number))
        return [first, said, tail === '' ? '' : oneByOne(tail)].filter(Boolean).join(' ')
      },
    ),
  ]
}

/** Postcodes, passwords and versions. */
function numberCodeRules(words: RomanceWords): Rule[] {
  const { cardinal, codes, point } = words
  const CODE = new RegExp(`(?:^|[\\s(])(?:${codes})[:\\s]*(?:es|é|è)?\\s$`, 'u')
  const digits = digitsBy(words)
  return [
    rule(
      'telephone',
      'digit',
      String.raw`\d{3}(?: \d{3}){2,3}(?!\d)|\d{3,16}(?:[./-]\d{1,6}){0,4}(?![\d.,]\d|\d)|\d{1,2}\.\d{3}-\d{1,2}(?!\d)|\d{1,2}(?:\.\d{3}){2}(?:[/-]\d{1,6}){0,2}(?!\d)`,
      (_groups, { before }, match) => (CODE.test(before) ? digits(match) : null),
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

const NOUN = /^ (?<noun>\p{Ll}{2,30})/u

/** Digits in groups behind "Tel.", and those that have the shape of a telephone number. */
function telephoneRules(words: RomanceWords): Rule[] {
  const { telephone, phones, shortPhones, noNouns } = words
  const BEFORE = new RegExp(`(?:^|[\\s(])(?:${telephone})[.:\\s]{1,3}$`, 'i')
  const say = (match: string): string => match.split(/\D+/).map(digitsBy(words)).join(', ')
  return [
    rule(
      'telephone',
      'digit',
      String.raw`\d{2,9}(?:[ .-]\d{2,8}){0,4}(?![\d,]|[ ./-]\d)`,
      (_groups, { before }, match) => (BEFORE.test(before) ? say(match) : null),
    ),
    rule('telephone', 'digit', String.raw`(?:${phones})(?![\d,]|[ ./-]\d)`, (_groups, { before }, match) =>
      /[\d.,]\s?$/.test(before) ? null : say(match),
    ),
    // A noun behind such a number would be counted by it.
    rule(
      'telephone',
      'digit',
      String.raw`(?:${shortPhones})(?![\d,%€$]|[ ./-]\d| ?[€%$])`,
      (_groups, { before, after }, match) => {
        const noun = NOUN.exec(after)?.groups?.noun
        return /[\d.,$€]\s?$/.test(before) || (noun !== undefined && !noNouns.has(noun)) ? null : say(match)
      },
    ),
  ]
}
