import {
  END,
  endsSentence,
  keepingSentenceEnd,
  listRule,
  NEVER,
  oneOf,
  romanValue,
  rule,
  rulesAt,
  SUBSCRIPTS,
} from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { endsOf } from './sentence-ends.ts'
import type { Speaker } from './speaker.ts'
import type { Words } from './words.ts'

const VOWEL = /[AEIOUYÄÖÜÉÈÀÓАЕЁИОУЫЭЮЯ]/
const SHOUT = /^[\s!?,.'’"-]+\p{Lu}{4,}(?![\p{L}\d])/u
const SHOUT_BEFORE = /(?:^|[^\p{L}\d])\p{Lu}{4,}[\s!?,.'’"-]+$/u

export function romans({ romanBefore, rulers, cardinal, ordinal }: Words): Rule[] {
  // Languages with numerals of their own have neither.
  if (romanBefore === NEVER && rulers === NEVER) return []
  return [
    rule(
      'roman',
      'letter',
      `(?<word>${romanBefore}) (?<numeral>[IVX]|[IVXLCDM]{2,12})${END}(?!\\.?º|ª)`,
      ({ word = '', numeral = '' }) => {
        const value = romanValue(numeral)
        return value === null ? null : `${word} ${cardinal(value)}`
      },
    ),
    rule(
      'roman',
      'letter',
      `(?<name>${rulers}) (?<numeral>[IVX]{1,7})${END}\\.?`,
      ({ name = '', numeral = '' }, { after }, match) => {
        const value = romanValue(numeral)
        if (value === null) return null
        const spoken = `${name} ${ordinal(value, 'ruler', name)}`
        return match.endsWith('.') && endsSentence(after) ? { spoken, length: match.length - 1 } : spoken
      },
    ),
  ]
}

/** Also with a capital, as a sentence begins. */
const withCapitals = (forms: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(forms).map((entry) => entry.map((text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`)),
  ),
  ...forms,
})

export function abbreviations(words: Words): Rule[] {
  const ends = endsOf(words)
  const all = withCapitals(words.abbreviations)
  const beforeNumbers = withCapitals(words.beforeNumbers)
  const beforeNames = Object.keys(beforeNumbers)
  const names = Object.keys(all)
  const letters = names.filter((name) => /^\p{L}/u.test(name))
  const read: Read = ({ word = '' }, { before, after }, match) => {
    const isEnd = /^['"”’»)\]]*\s*$/.test(after) || (words.sentenceEnders?.has(word) && ends(after))
    const isLast = match.endsWith('.') && isEnd
    if (/[-\p{L}]$/u.test(before) && !/^\p{Ll}/u.test(match)) return null
    return { spoken: all[word] as string, length: match.length - (isLast ? 1 : 0) }
  }
  return [
    listRule(
      'abbreviation',
      beforeNames,
      `(?<word>${oneOf(beforeNames)})[ \u00a0]?(?=\\d)`,
      ({ word = '' }) => `${beforeNumbers[word]} `,
    ),
    // "Chap. IV".
    listRule(
      'abbreviation',
      beforeNames,
      `(?<word>${oneOf(beforeNames.filter((name) => name.endsWith('.')))})[ \u00a0]?(?<numeral>[IVX]{1,7})${END}`,
      ({ word = '', numeral = '' }) => {
        const value = romanValue(numeral)
        return value === null ? null : `${beforeNumbers[word]} ${words.cardinal(value)}`
      },
    ),
    rule(
      'abbreviation',
      'symbol',
      `(?<word>${oneOf(beforeNames.filter((name) => !/^\p{L}/u.test(name)))})[ \u00a0]?(?=\\d)`,
      ({ word = '' }) => `${beforeNumbers[word]} `,
    ),
    listRule('abbreviation', letters, `(?<word>${oneOf(letters)})(?!\\p{L})`, read),
    rule('abbreviation', 'symbol', `(?<word>${oneOf(names.filter((name) => !/^\p{L}/u.test(name)))})(?!\\p{L})`, read),
  ]
}

/** A letter behind one of these is its name, not the initial of a person. */
const NAMED_BY_LETTER =
  /(?<!\p{L})(?:plan|vitamin[e]?|gruppe|groupe|klasse|classe|hepatitis|hépatite|typ|type|punkt|point|buchstabe|lettre|variante|option|block|bloc|halle|hall|tor|teil|serie|série|zone|sektor|secteur|kategorie|catégorie|linie|ligne|liga|план[аеу]?|витамин[аеу]?|групп[аеуы]|класс[аеу]?|гепатит[аеу]?|тип[аеу]?|букв[аеуы]|вариант[аеу]?|пункт[аеу]?|блок[аеу]?|сектор[аеу]?|зон[аеуы]|сери[яию]|лиг[аеуи]|корпус[аеу]?)\s$/iu

export function acronyms({ acronyms: said, letter, starters = NEVER }: Words): Rule[] {
  const STARTER = new RegExp(`^ (?:${starters})(?![\\p{L}.])`, 'u')
  if (said === undefined) return []
  const spell = (letters: string): string => Array.from(letters, letter).join(' ')
  return [
    // "J. K. Rowling", "U.S.A.".
    rule('acronym', 'letter', String.raw`(?:\p{Lu}\.){2,8}`, (_groups, around, match) =>
      keepingSentenceEnd(match, around, spell(match.replaceAll('.', ''))),
    ),
    rule(
      'acronym',
      'letter',
      String.raw`(?<initial>\p{Lu})\.(?=(?: ?\p{Lu}\.){0,3} ?\p{Lu}\p{Ll})`,
      ({ initial = '' }, { before, after }, match) => {
        if (!/(?:^|[\s(]|\p{Lu}\. ?)$/u.test(before)) return null
        // "Plan B. Dann": the period ends the sentence.
        const isEnd = STARTER.test(after) || (NAMED_BY_LETTER.test(before) && /^ \p{Lu}\p{Ll}/u.test(after))
        return { spoken: letter(initial), length: match.length - (isEnd ? 1 : 0) }
      },
    ),
    rule(
      'acronym',
      'letter',
      String.raw`\p{Lu}{2,5}(?![\p{L}\d${SUBSCRIPTS}])`,
      (_groups, { before, after }, match) => {
        const isSpelled = !said.has(match) && (match.length < 4 || !VOWEL.test(match))
        return isSpelled &&
          !SHOUT.test(after) &&
          !SHOUT_BEFORE.test(before) &&
          !/(?:[\d@#&]|(?<!\p{Lu})\/)$/u.test(before)
          ? spell(match)
          : null
      },
    ),
  ]
}

const PLATE_BEFORE =
  /(?:matr[íi]cula|placa|coche|carro|veh[íi]culo|veículo|targa\p{L}*|auto|veicolo|kennzeichen|wagen|plaque|immatriculé\p{L}*|номер\p{L}*)[:,]?\s(?:\S{1,12}\s){0,2}$/iu

/** "B-AB 1234", "AB123CD". A plate in parts needs a word before it, unless hyphens join them. */
export function plates({ plates: shapes = NEVER, platesAsNumbers, letter }: Words, { digits, whole }: Speaker): Rule[] {
  const say = (part: string): string => {
    if (/\D/.test(part)) return Array.from(part, letter).join(' ')
    return platesAsNumbers === true && !part.startsWith('0') ? whole(part) : digits(part)
  }
  return rulesAt(['letter', 'digit'], 'serial', `(?:${shapes})(?![\\p{L}\\d-])`, (_groups, { before }, match) =>
    (/^[^-]*\s/.test(match) && !PLATE_BEFORE.test(before)) || /[\p{L}\p{N}-]$/u.test(before)
      ? null
      : (match.match(/\p{L}+|\d+/gu) ?? []).map(say).join(' '),
  )
}

/** "A320", "COVID-19", "25B". */
export function serials({ digits, whole }: Speaker): Rule[] {
  const read: Read = (_groups, _around, match) =>
    (match.match(/\p{L}+|\d+/gu) ?? [])
      .map((part) => (/^\D/.test(part) ? part : part.startsWith('0') || part.length > 4 ? digits(part) : whole(part)))
      .join(' ')
  return [
    // IBAN.
    rule(
      'serial',
      'letter',
      String.raw`[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,3})?(?![\p{L}\d])`,
      (_groups, _around, match) =>
        (match.replaceAll(' ', '').match(/\p{L}|\d{1,4}/gu) ?? [])
          .map((part) => (/\d/.test(part) ? digits(part) : part))
          .join(', '),
    ),
    // ISBN.
    rule(
      'serial',
      'digit',
      String.raw`\d{1,5}(?:[- ]\d{1,7}){1,4}(?:[- ]?X)?(?![\d\p{L}])`,
      (_groups, { before }, match) =>
        /ISBN[\s:]{0,3}(?:-1[03][\s:]{0,3})?$|ISSN[\s:]{0,3}$/.test(before)
          ? match
              .split(/[- ]/)
              .map((part) => (part === 'X' ? part : digits(part)))
              .join(', ')
          : null,
    ),
    rule('serial', 'letter', String.raw`\p{L}{1,12}-?\d{1,9}(?:-?\p{L}{1,6}\d{0,6})?(?![\p{L}\d]|[.,]\d)`, read),
    rule('serial', 'digit', String.raw`\d{1,6}\p{Lu}{1,4}\d{0,6}(?![\p{L}\d])`, read),
  ]
}
