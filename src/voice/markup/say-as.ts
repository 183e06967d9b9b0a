import { LANGUAGE_CODES, type Language } from '../../engines/espeak/detect-language.ts'

/** The attributes of SSML's `say-as`. */
export interface SayAs {
  /** Its `interpret-as`. */
  readonly as: string
  /** Its `format`; empty without one. */
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
const UNITS: Readonly<Record<string, string>> = {
  ...{
    mm: 'millimeter',
    cm: 'centimeter',
    m: 'meter',
    km: 'kilometer',
    in: 'inch',
    ft: 'foot',
    yd: 'yard',
    mi: 'mile',
  },
  ...{ g: 'gram', kg: 'kilogram', lb: 'pound', oz: 'ounce', ml: 'milliliter', l: 'liter', gal: 'gallon' },
  ...{ ms: 'millisecond', s: 'second', min: 'minute', h: 'hour', d: 'day', 'km/h': 'kilometer-per-hour' },
  ...{ mph: 'mile-per-hour', '°c': 'celsius', '°f': 'fahrenheit', '%': 'percent', kb: 'kilobyte', mb: 'megabyte' },
  ...{ gb: 'gigabyte', tb: 'terabyte' },
}
const CURRENCIES: Readonly<Record<string, string>> = {
  ...{ $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₽': 'RUB', '₩': 'KRW', '₹': 'INR' },
}
const CLOCKS: Readonly<Record<Language, (hour: number, minute: number) => string>> = {
  English: (hour, minute) => `${hour} ${minute === 0 ? "o'clock" : minute < 10 ? `oh ${minute}` : minute}`,
  German: (hour, minute) => `${hour === 1 ? 'ein' : hour} Uhr${minute === 0 ? '' : ` ${minute}`}`,
  French: (hour, minute) => `${hour} ${hour < 2 ? 'heure' : 'heures'}${minute === 0 ? '' : ` ${minute}`}`,
  Italian: (hour, minute) => (minute === 0 ? `${hour}` : `${hour} e ${minute}`),
  Spanish: (hour, minute) => (minute === 0 ? `${hour} en punto` : `${hour} y ${minute}`),
  Portuguese: (hour, minute) => `${hour} ${hour === 1 ? 'hora' : 'horas'}${minute === 0 ? '' : ` e ${minute}`}`,
  Russian: (hour, minute) => (minute === 0 ? `${hour} часов` : `${hour} ${minute < 10 ? `ноль ${minute}` : minute}`),
  Chinese: (hour, minute) => `${hour}点${minute === 0 ? '' : `${minute}分`}`,
  Japanese: (hour, minute) => `${hour}時${minute === 0 ? '' : `${minute}分`}`,
  Korean: (hour, minute) => `${hour}시${minute === 0 ? '' : ` ${minute}분`}`,
}
/** The order of a date without a format: the one usual in the language, or ISO 8601. */
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
  time,
  unit,
  currency,
  fraction,
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

function time(text: string, language: Language): string | null {
  const [, hour, minute = '0', , half] =
    /^(\d{1,2})(?:[:.h](\d{2}))?(:\d{2})?\s*([ap])?\.?\s*(?:m\.?)?$/i.exec(text) ?? []
  if (hour === undefined || Number(hour) > 24 || Number(minute) > 59) return null
  const isNoon = half !== undefined && Number(hour) <= 12
  if (language === 'English' && half !== undefined) {
    const clock =
      minute === '00' || minute === '0' ? String(Number(hour)) : CLOCKS.English(Number(hour), Number(minute))
    return `${clock} ${half.toUpperCase()} M`
  }
  const hours = isNoon ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  return CLOCKS[language](hours, Number(minute))
}

function unit(text: string, language: Language): string | null {
  const [, number, name = ''] = /^([+-]?\d{1,15}(?:[.,]\d{1,6})?)\s?(\S+)$/.exec(text) ?? []
  const known = UNITS[name] ?? UNITS[name.toLowerCase()]
  if (number === undefined || known === undefined) return null
  return formatted(number, language, { style: 'unit', unit: known, unitDisplay: 'long' })
}

function currency(text: string, language: Language): string | null {
  const [, before, number, after] =
    /^(\p{Sc}|[A-Z]{3})?\s?(\d{1,15}(?:[.,]\d{1,2})?)\s?(\p{Sc}|[A-Z]{3})?$/u.exec(text) ?? []
  const name = before ?? after ?? ''
  const code = CURRENCIES[name] ?? (/^[A-Z]{3}$/.test(name) ? name : undefined)
  if (number === undefined || code === undefined) return null
  const digits = /[.,]/.test(number) ? 2 : 0
  const format = { style: 'currency', currency: code, currencyDisplay: 'name' } as const
  return formatted(number, language, { ...format, minimumFractionDigits: digits, maximumFractionDigits: digits })
}

const formatted = (number: string, language: Language, options: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(LANGUAGE_CODES[language], { maximumFractionDigits: 6, ...options, useGrouping: false })
    .format(Number(number.replace(',', '.')))
    .replace(/[\u00a0\u202f]/g, ' ')

function fraction(text: string, language: Language): string | null {
  const [, above, below] = /^(\d{1,9})\s*[/⁄]\s*(\d{1,9})$/.exec(text) ?? []
  if (above === undefined || below === undefined) return null
  if (language === 'Chinese') return `${below}分之${above}`
  if (language === 'Japanese') return `${below}分の${above}`
  if (language === 'Korean') return `${below}분의 ${above}`
  if (language !== 'English') return null
  const isOne = Number(above) === 1
  if (below === '2') return isOne ? 'one half' : `${above} halves`
  if (below === '4') return isOne ? 'one quarter' : `${above} quarters`
  return `${above} ${ordinal(Number(below), language)}${isOne ? '' : 's'}`
}
