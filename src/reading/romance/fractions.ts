import { oneOf, rule, rulesAt } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

/** A whole number before a fraction. */
const WHOLE = String.raw`(?:(?<whole>\d{1,3})(?: (?=\d)| ?(?=[½¼¾⅓⅔⅛])))?`

/** Halves and other parts of things: 1/2 taza, 1 ½ l, 3/4 partes. */
export const fractionRules = (words: RomanceWords): Rule[] => [
  ...unitRules(words),
  ...halfRules(words),
  partRule(words),
]

/** "½ kg", "1 ½ l". */
function unitRules({ cardinal, fraction, units, half, andHalf: and, partJoint }: RomanceWords): Rule[] {
  const read: Read = ({ whole, vulgar, top, bottom, unit = '' }, { before }) => {
    const counted = units[unit]
    if (counted === undefined || (top !== undefined && top === bottom) || /[\d/.,]$/.test(before)) return null
    const { forms, gender } = counted
    const parts = vulgar === undefined ? [top, bottom] : vulgar.normalize('NFKD').split('⁄')
    const [above = 0, below = 0] = parts.map(Number)
    const said = above === 1 && below === 2 ? half[gender] : fraction(above, below)
    if (whole !== undefined)
      return `${cardinal(Number(whole), gender)} ${whole === '1' ? forms.one : forms.other} ${and} ${said}`
    return above === 1 && below === 2 ? `${said} ${forms.one}` : `${said} ${partJoint} ${forms.one}`
  }
  return rulesAt(
    ['digit', 'symbol'],
    'fraction',
    String.raw`${WHOLE}(?:(?<vulgar>[½¼¾⅓⅔⅛])|(?<top>[1-9])\/(?<bottom>\d{1,3})) ?(?<unit>${oneOf(Object.keys(units))})(?![\p{L}\d/]|['’]\p{L})`,
    read,
  )
}

/** "1/2 taza": half a cup is feminine. "2 1/2 tazas" are two cups and a half. */
function halfRules({ cardinal, genderOf, noNouns, half, andHalf, singular }: RomanceWords): Rule[] {
  return rulesAt(
    ['digit', 'symbol'],
    'fraction',
    String.raw`${WHOLE}(?:1\/2|½)(?= (?<noun>\p{Ll}{3,30}))`,
    ({ whole, noun = '' }, { before }, match) => {
      if (noNouns.has(noun) || /[\d/.,]$/.test(before)) return null
      const gender = genderOf(noun, whole !== undefined)
      if (whole === undefined) return half[gender]
      const counted = whole === '1' ? singular(noun) : noun
      return {
        spoken: `${cardinal(Number(whole), gender)} ${counted} ${andHalf} ${half[gender]}`,
        length: match.length + 1 + noun.length,
      }
    },
  )
}

/** "3/4 partes". */
const partRule = ({ cardinal, partName }: RomanceWords): Rule =>
  rule(
    'fraction',
    'digit',
    String.raw`(?<top>\d{1,2})\/(?<bottom>[3-9]|1\d)(?= part[ei]s?(?!\p{L}))`,
    ({ top = '', bottom = '' }) => `${cardinal(Number(top), 'feminine')} ${partName(Number(bottom), top !== '1')}`,
  )
