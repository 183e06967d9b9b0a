import { LANGUAGE_CODES, type Language } from '../../engines/espeak/detect-language.ts'

export interface SayAs {
  readonly as: string
  readonly format: string
}

const ORDINALS: Readonly<Partial<Record<Language, string>>> = {
  French: 'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
  Italian: 'primo secondo terzo quarto quinto sesto settimo ottavo nono decimo',
  Spanish: 'primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo',
  Portuguese: 'primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo',
  German:
    'erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste zweiundzwanzigste dreiundzwanzigste vierundzwanzigste fünfundzwanzigste sechsundzwanzigste siebenundzwanzigste achtundzwanzigste neunundzwanzigste dreißigste einunddreißigste',
  Russian:
    'первый второй третий четвёртый пятый шестой седьмой восьмой девятый десятый одиннадцатый двенадцатый тринадцатый четырнадцатый пятнадцатый шестнадцатый семнадцатый восемнадцатый девятнадцатый двадцатый',
  Korean: '첫_번째 두_번째 세_번째 네_번째 다섯_번째 여섯_번째 일곱_번째 여덟_번째 아홉_번째 열_번째',
}
const US_ORDER = 'mdy'
const ORDER = 'dmy'
const ISO_ORDER = 'ymd'

/** Reads a text as `say-as` asks; returns the text itself if there is no rule. Pure. */
export function saidAs(text: string, { as, format }: SayAs, language: Language): string {
  const trimmed = text.trim()
  const said = (READERS[as] ?? (() => null))(trimmed, language, format)
  return said === null ? text : text.replace(trimmed, () => said)
}

type Reader = (text: string, language: Language, format: string) => string | null

const READERS: Readonly<Record<string, Reader>> = {
  ordinal: (text, language) =>
    /^\d{1,15}$/.test(text.replace(/\D+$/, '')) ? ordinal(Number.parseInt(text, 10), language) : null,
  digits: (text) => apart(text),
  telephone: (text) => apart(text.replace(/[\s().\-–/]+/g, ', ').replace(/^, |, $/g, '')),
  date,
}

const apart = (text: string): string => text.replace(/\p{Nd}(?=\p{Nd})|\+(?=\p{Nd})/gu, '$& ')

function ordinal(number: number, language: Language): string {
  const listed = ORDINALS[language]?.split(' ')[number - 1]?.replace('_', ' ')
  if (listed !== undefined) return listed
  if (language === 'English') return `${number}${englishSuffix(number)}`
  if (language === 'Chinese') return `第${number}`
  if (language === 'Japanese') return `${number}番目`
  if (language === 'Korean') return `${number}번째`
  const suffixes: Readonly<Partial<Record<Language, string>>> = { French: 'e', German: '.', Russian: '-й' }
  return `${number}${suffixes[language] ?? 'º'}`
}

function englishSuffix(number: number): string {
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number)
  return { one: 'st', two: 'nd', few: 'rd', other: 'th', many: 'th', zero: 'th' }[rule]
}

function date(text: string, language: Language, format: string): string | null {
  const numbers = /^\d{8}$/.test(text)
    ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
    : (text.match(/\d+/g) ?? [])
  if (/\p{L}{2}/u.test(text) || numbers.length === 0) return null
  const given = format
    .toLowerCase()
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  const usual = numbers[0]!.length === 4 ? ISO_ORDER : language === 'English' ? US_ORDER : ORDER
  const order = given.length === numbers.length ? given : usual
  const part = (name: string) => (order.includes(name) ? Number(numbers[order.indexOf(name)]) : Number.NaN)
  const [day, month, year] = [part('d'), part('m'), part('y')]
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  return spokenDate(day, month, year, language)
}

function spokenDate(day: number, month: number, year: number, language: Language): string {
  const at = new Date(0)
  at.setUTCFullYear(Number.isNaN(year) ? 2000 : year, Number.isNaN(month) ? 0 : month - 1, Number.isNaN(day) ? 1 : day)
  const said = new Intl.DateTimeFormat(LANGUAGE_CODES[language], {
    timeZone: 'UTC',
    ...(!Number.isNaN(day) && { day: 'numeric' }),
    ...(!Number.isNaN(month) && { month: 'long' }),
    ...(!Number.isNaN(year) && { year: 'numeric' }),
  }).format(at)
  if (Number.isNaN(day)) return said.replace(/ г\.$/, '')
  if (language === 'English') return said.replace(/\d+/, () => ordinal(day, language))
  if (language === 'German') return said.replace(/\d+\./, () => `${ordinal(day, language)}r`)
  if (language === 'French' && day === 1) return said.replace(/1(?:er)?/, 'premier')
  return said.replace(/ г\.$/, ' года')
}
