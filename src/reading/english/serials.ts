import { END, rule, wordRule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { isWord } from './acronyms.ts'
import { cardinal, decimal, digits, inName, plural, spellOut, year } from './numbers.ts'

const YEAR = /^(?:1[89]|20)\d\d$/

/** Names with numbers in them. */
export const serials = (): Rule[] => [...publications(), ...models()]

const publications = (): Rule[] => [
  wordRule(
    'serial',
    Array.from('vV'),
    String.raw`[vV](?<version>\d{1,4}(?:\.\d{1,6}){1,4})${END}`,
    ({ version = '' }) => `version ${version.split('.').map(cardinal).join(' point ')}`,
  ),
  wordRule(
    'serial',
    Array.from('I'),
    String.raw`(?<name>ISBN(?:-1[03])?|ISSN):? ?(?<number>\d[\d -]{6,18}[\dX])${END}`,
    ({ name = '', number = '' }) => `${spellOut(name.slice(0, 4))} ${number.split(/[ -]/).map(inIsbn).join(', ')}`,
  ),
  // Numbers of libraries.
  wordRule(
    'serial',
    Array.from('OPL'),
    String.raw`(?<name>OCLC|PMID|LCCN):? ?(?<number>\d{4,12})${END}`,
    ({ name = '', number = '' }) => `${spellOut(name)} ${digits(number)}`,
  ),
  rule('serial', 'digit', String.raw`97[89]-\d{1,5}-\d{1,7}-\d{1,7}-[\dX]${END}`, (_groups, _around, match) =>
    match.split('-').map(inIsbn).join(', '),
  ),
]

const models = (): Rule[] => [
  // "COVID-19", "MIG-25", "F-16", "covid-19.5".
  rule(
    'serial',
    'letter',
    String.raw`(?<name>\p{L}{1,12})-(?<number>\d{1,6})(?:(?<places>\.\d{1,4})|(?<plural>s))?(?![\d\p{L}]|-[\p{L}\d])`,
    ({ name = '', number = '', places, plural: many }) => {
      if (places !== undefined) return `${name} ${decimal(number + places)}`
      const said = YEAR.test(number) ? year(number) : inName(number)
      return `${lettersBefore(name)}-${many === undefined ? said : plural(said)}`
    },
  ),
  // "A320", "B2A23C", "MP3".
  rule('serial', 'letter', String.raw`\p{L}{1,12}\d{1,12}(?:\p{L}{1,12}|\d{1,12}){0,6}(?![\p{L}\d])`, readParts),
  // "Boeing 747-400".
  rule('serial', 'digit', String.raw`(?<a>7\d7)(?:-(?<b>[1-9]00))?(?![\p{L}\d-])`, ({ a = '', b }, { before }) =>
    b !== undefined || /Boeing $/.test(before)
      ? `${cardinal(a[0] as string)} ${cardinal(a.slice(1))}${b === undefined ? '' : ` ${cardinal(b)}`}`
      : null,
  ),
  // "4-4-2", "4–2–3–1".
  rule('serial', 'digit', String.raw`\d(?:[-–]\d){2,4}(?![\d\p{L}]|[-–.,]\d)`, (_groups, _around, match) =>
    match.split(/[-–]/).map(cardinal).join('-'),
  ),
  // "25d08A", "133-ABC", "1-413-te-b-1-5".
  rule('serial', 'digit', String.raw`(?=\d{1,12}\p{L})(?:\d{1,12}|\p{L}{1,12}){2,8}(?![\p{L}\d])`, readParts),
  rule('serial', 'digit', String.raw`\d{1,9}(?:-(?:\d{1,9}|\p{L}{1,9})){1,6}(?![\p{L}\d])`, (groups, around, match) =>
    /^\d-\d{4}$/.test(match)
      ? match.split('-').map(cardinal).join('-')
      : /\p{L}/u.test(match) || /^\d-\d{5}/.test(match) || match.split('-').length > 2
        ? readParts(groups, around, match)
        : null,
  ),
  rule('serial', 'digit', String.raw`\d{1,9}(?:\/\d{1,9}){2,5}(?!\d)`, (_groups, _around, match) =>
    match.split('/').map(inName).join('/'),
  ),
]

const readParts: Read = (_groups, _around, match) => {
  if (/^\d+(?:st|nd|rd|th|s)$/i.test(match)) return null
  const spoken = (match.match(/\p{L}+|\d+|-/gu) ?? []).map((part, index) => {
    if (!/^\d/.test(part)) return index === 0 ? lettersBefore(part) : lettersIn(part)
    if (index === 0 || part.length !== 4 || /000?$/.test(part)) return inName(part)
    return YEAR.test(part) ? year(part) : digits(part)
  })
  return spoken.join(' ').replaceAll(' - ', '-')
}

/** Capitals that cannot be a word are said one by one. */
const lettersIn = (part: string): string =>
  /^\p{Lu}{2,4}$/u.test(part) && (part.length === 2 || !/[AEIOUY]/.test(part)) ? Array.from(part).join(' ') : part

/** Before a number: "ACR-1", but "MIG-25". */
const lettersBefore = (part: string): string =>
  /^\p{Lu}{2,4}$/u.test(part) && !isWord(part) ? spellOut(part) : lettersIn(part)

const inIsbn = (part: string): string => (part.endsWith('X') ? `${digits(part.slice(0, -1))} X`.trim() : digits(part))
