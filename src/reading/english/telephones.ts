import { END, rule, rulesAt } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { cardinal, digits } from './numbers.ts'

const CALL_BEFORE = /\b(?:call|phone|tel|telephone|number|fax|dial|at|text|mobile|cell)\b\.?:? ?$/i

/** Any word but one that goes on with the sentence. */
const NOUN_AFTER = /^ (?!(?:or|and|for|to|at|from|if|in|is|was|ext|extension|before|after|on|when)\b)\p{Ll}/u

export const telephones = (): Rule[] => [...phones(), ...otherNumbers()]

const phones = (): Rule[] => [
  ...rulesAt(
    ['digit', 'symbol'],
    'telephone',
    String.raw`(?<plus>\+)?(?:(?<country>\d{1,3})[ .-]?)?\((?<area>\d{2,4})\)[ .-]?(?<rest>\d{3,4}[ .-]\d{3,4})(?![\d-]\d)`,
    ({ plus, country, area = '', rest = '' }) => {
      const prefix = country === undefined ? '' : `${plus === undefined ? '' : 'plus '}${digits(country)}, `
      return `${prefix}${digits(area)}, ${inGroups(rest)}`
    },
  ),
  rule(
    'telephone',
    'symbol',
    String.raw`\+(?<country>\d{1,3})(?<rest>(?:[ .-]\(?\d{1,5}\)?){2,6})(?!\d)`,
    ({ country = '', rest = '' }) => `plus ${digits(country)}, ${inGroups(rest)}`,
  ),
  rule('telephone', 'symbol', String.raw`\+(?<all>\d{8,15})(?!\d)`, ({ all = '' }) => `plus ${digits(all)}`),
  rule(
    'telephone',
    'digit',
    String.raw`(?<country>1[-. ])?(?<rest>\d{3}[-. ]\d{3}[-. ]\d{4}(?:-\d{1,4})?)(?![\d.]\d|[-–]\d)`,
    ({ country, rest = '' }) => `${country === undefined ? '' : 'one, '}${inGroups(rest)}`,
  ),
  // "1-800-GO-U-HAUL".
  rule(
    'telephone',
    'digit',
    String.raw`(?<country>1-)?(?<code>8\d\d|900)-(?<word>(?=[\d-]{0,8}[A-Z])[A-Z\d]{1,8}(?:-[A-Z\d]{1,8}){0,4})${END}`,
    ({ country, code = '', word = '' }) =>
      [
        ...(country === undefined ? [] : ['one']),
        inGroups(code),
        word
          .split('-')
          .map((part) => (/^\d+$/.test(part) ? `${digits(part)},` : part))
          .join(' '),
      ].join(', '),
  ),
]

const otherNumbers = (): Rule[] => [
  rule(
    'telephone',
    'digit',
    String.raw`(?<ip>\d{1,3}(?:\.\d{1,3}){3})(?:\/(?<mask>\d{1,2})|:(?<port>\d{1,5}))?(?![\d.]\d)`,
    ({ ip = '', mask, port }) => {
      const end = mask !== undefined ? ` slash ${cardinal(mask)}` : port !== undefined ? ` colon ${digits(port)}` : ''
      return `${ip.split('.').map(digits).join(' dot ')}${end}`
    },
  ),
  rule('telephone', 'digit', String.raw`\d{3}-\d{2}-\d{4}(?![\d-])`, (_groups, _around, match) => inGroups(match)),
  // "555-1234"; a range ends with a round number.
  rule(
    'telephone',
    'digit',
    String.raw`\d{3}-\d{4}(?![\d-]|\p{L}|[.,:]\d| ?[%°])`,
    (_groups, { before, after }, match) =>
      CALL_BEFORE.test(before) || (!match.endsWith('0') && !/[\p{L}\d]-?$/u.test(before) && !NOUN_AFTER.test(after))
        ? inGroups(match)
        : null,
  ),
  // "62704-1234".
  rule('telephone', 'digit', String.raw`\d{5}-\d{4}(?![\d-]|\p{L})`, (_groups, _around, match) => inGroups(match)),
  rule('telephone', 'digit', String.raw`0\d{2,4}[ -]\d{3,4}(?:[ -]\d{3,4}){0,2}(?![\d-])`, (_groups, _around, match) =>
    inGroups(match),
  ),
  // Cards.
  rule(
    'telephone',
    'digit',
    String.raw`\d{4}(?<mark>[ -])\d{4}\k<mark>\d{4}\k<mark>\d{1,7}${END}`,
    (_groups, _around, match) => inGroups(match),
  ),
]

const inGroups = (number: string): string =>
  number
    .split(/\D+/)
    .filter(Boolean)
    .map((part) => (part === '800' || part === '900' ? cardinal(part) : digits(part)))
    .join(', ')
