import { inAnyCase, keepingSentenceEnd, listRule, oneOf, rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import type { RomanceWords } from './words.ts'

/** A letter behind one of these is its name, not the initial of a person. */
const NAMED_BY_LETTER =
  /(?:vitamina|grup[oi]|gruppo|plan[oa]?|piano|clas[es]e|hepatitis|epatite|hepatite|tipo|let[rt]era|letra|opción|opzione|opção|seri?e|série|apartado|sec?t+or[e]?|blo[qc][uo]e?|bloco|sala|aula|puerta|porta|escala|escalera|categor[íi]a|nivel|nível|fase|zona|punt?o|ponto|anexo|planta|turma|liga|l[íi]n[eh]a|línea|linea|gripe)\s$/iu
/** A letter behind one of these stands for itself. */
const NO_WORD_BEHIND = /(?:\d|letra|lettera|la|tecla|tasto|eixo|eje|asse|valore?|sala)\s$/i
const FREE = /(?:^|[\s«"“'’(¿¡[])$/

/** Abbreviations that a sentence may end with, days and months, initials, and words without a period. */
export const shortRules = (words: RomanceWords): Rule[] => [
  ...weekdayRules(words),
  ...closingRules(words),
  ...monthRules(words),
  titleRule(words),
  ...initialRules(words),
  ...plainRules(words),
]

/** "etc.", "S. A.": the period stays if it ends the sentence too. */
function closingRules({ closing }: RomanceWords): Rule[] {
  const forms = Object.keys(closing)
  return [
    listRule('abbreviation', forms, String.raw`(?<word>${oneOf(forms)})(?!\p{L})`, ({ word = '' }, around, match) =>
      /[-\p{L}]$/u.test(around.before) ? null : keepingSentenceEnd(match, around, closing[word] ?? ''),
    ),
  ]
}

/** "lun.-vie.", "sáb., 10 h". */
function weekdayRules({ weekdays, to }: RomanceWords): Rule[] {
  const forms = inAnyCase(Object.keys(weekdays))
  const DAY = oneOf(forms)
  const nameOf = (day: string | undefined): string => weekdays[(day ?? '').toLowerCase()] ?? ''
  return [
    listRule(
      'date',
      forms,
      String.raw`(?<a>${DAY})\.? ?[-–] ?(?<b>${DAY})(?!\p{L})(?:\.(?! \p{Lu}))?`,
      ({ a, b }) => `${nameOf(a)} ${to} ${nameOf(b)}`,
    ),
    listRule('date', forms, String.raw`(?<day>${DAY})\.(?=,? ?\d|[,;:)]| \p{Ll})`, ({ day }, { before, after }) => {
      const isWord =
        /^(?:mar|dom|sex|seg)$/i.test(day ?? '') &&
        /(?:^|\s)(?:el|al|del|no|o|do|ao|il|nel)\s$/i.test(before) &&
        !/^,? ?\d/.test(after)
      return isWord || /\d\s?$/.test(before) ? null : nameOf(day)
    }),
  ]
}

/** "ene.-mar.", "en dic. hay", "7/set/2022". */
function monthRules({ months, to, date, monthYear }: RomanceWords): Rule[] {
  const short = months.flatMap((names, index) => names.slice(1).map((name) => [name, index] as const))
  const numbers = new Map(short)
  const forms = inAnyCase(short.map(([name]) => name))
  const MONTH = oneOf(forms)
  const indexOf = (month: string | undefined): number => numbers.get((month ?? '').toLowerCase()) ?? 0
  const nameOf = (month: string | undefined): string => months[indexOf(month)]?.[0] ?? ''
  return [
    listRule(
      'date',
      forms,
      String.raw`(?<a>${MONTH})\.? ?[-–/] ?(?<b>${MONTH})(?!\p{L})(?:\.(?! \p{Lu}))?(?: (?<year>\d{4})(?!\d))?`,
      ({ a, b, year }) =>
        `${nameOf(a)} ${to} ${year === undefined ? nameOf(b) : monthYear(indexOf(b) + 1, Number(year))}`,
    ),
    listRule('date', forms, String.raw`(?<month>${MONTH})\.(?= \p{Ll}|[,;)])`, ({ month }, { before }) =>
      /(?:^|\s)(?:en|em|in|de|di|a|desde|hasta|até|da|fino a)\s$/i.test(before) ? nameOf(month) : null,
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})\/(?<month>${MONTH})\.?\/(?<year>\d{4}|\d\d)(?![\d/])`,
      ({ day = '', month, year = '' }) => date(Number(day), indexOf(month) + 1, Number(year)),
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<day>[0-3]?\d)\/(?<month>0?[1-9]|1[0-2])\/['’](?<year>\d\d)(?!\d)`,
      ({ day = '', month = '', year = '' }) => date(Number(day), Number(month), Number(year)),
    ),
  ]
}

/** Titles that are single letters: only before a name. */
const titleRule = ({ titles, starters }: RomanceWords): Rule => {
  const STARTER = new RegExp(`^(?:${starters})$`)
  return listRule(
    'abbreviation',
    Object.keys(titles),
    String.raw`(?<title>${oneOf(Object.keys(titles))})(?= (?<name>\p{Lu}\p{Ll}{1,20}))`,
    ({ title = '', name = '' }, { before }) =>
      title.length === 2 && (STARTER.test(name) || NAMED_BY_LETTER.test(before)) ? null : (titles[title] ?? null),
  )
}

/** "J. L. Borges" has no pauses; "la vitamina C. El resto" has one. */
function initialRules({ starters }: RomanceWords): Rule[] {
  const STARTER = new RegExp(`^(?:${starters})$`)
  const read: Read = ({ initials = '', name = '' }, { before }, match) => {
    if (!FREE.test(before)) return null
    const isEnd = STARTER.test(name) || (initials.length === 2 && NAMED_BY_LETTER.test(before))
    const letters = (initials.match(/\p{Lu}/gu) ?? []).join(' ')
    return { spoken: letters, length: match.length - (isEnd ? 1 : 0) }
  }
  return [
    rule(
      'acronym',
      'letter',
      String.raw`(?<initials>\p{Lu}\.(?: ?\p{Lu}\.){0,3})(?= ?(?:(?<name>\p{Lu}\p{Ll}{1,20})|(?:d[aeio]s?|del|della?|de la|von|van) \p{Lu}|d['’]\p{Lu}))`,
      read,
    ),
  ]
}

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

/** "c/u", "y/o", "p/ o show", and words of chats such as "xq". */
function plainRules({ slashed, chat }: RomanceWords): Rule[] {
  const capitals = Object.entries(chat)
    .filter(([word]) => word.length > 2)
    .map(([word, said]) => [capital(word), said] as const)
  const said: Readonly<Record<string, string>> = { ...Object.fromEntries(capitals), ...chat }
  const plain = Object.keys(said)
  const [open, closed] = [true, false].map((isOpen) =>
    Object.keys(slashed).filter((word) => word.endsWith('/') === isOpen),
  )
  const read: Read = ({ word = '' }, { before }) => (/[-\p{L}/]$/u.test(before) ? null : (slashed[word] ?? null))
  return [
    listRule('abbreviation', closed ?? [], String.raw`(?<word>${oneOf(closed ?? [])})(?![\p{L}\d/])`, read),
    listRule(
      'abbreviation',
      open ?? [],
      String.raw`(?<word>${oneOf(open ?? [])})(?= ?(?:\p{L}{2}|[aeoy](?!\p{L})))`,
      read,
    ),
    listRule(
      'abbreviation',
      plain,
      String.raw`(?<word>${oneOf(plain)})(?![\p{L}\d@/_='’-])`,
      ({ word = '' }, { before }) =>
        FREE.test(before) && !(/^.(?: |$)/.test(word) && NO_WORD_BEHIND.test(before)) ? (said[word] ?? null) : null,
    ),
  ]
}
