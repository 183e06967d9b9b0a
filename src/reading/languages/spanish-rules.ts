import type { Counted } from '../european/words.ts'
import { shortDateRules } from '../romance/dates.ts'
import { romanceRules } from '../romance/romance.ts'
import { countedForms, type RomanceWords } from '../romance/words.ts'
import { END, endsSentence, inAnyCase, listRule, oneOf, rule, wordRule } from '../rules.ts'
import type { Around, Read, Rule } from '../scan.ts'
import { cardinal, counted, date, fraction, hoursOf, MONTHS, name, ordinal, places, time } from './spanish-numbers.ts'
import { UNITS } from './spanish-words.ts'

/** Tried before the rules that Spanish shares with other languages. */
export function spanishRules(romance: RomanceWords): Rule[] {
  return [
    ...measureRules(),
    rule('symbol', 'symbol', '§', (_groups, { before }) =>
      /(?:^|\s)(?:el|del|al)\s$/i.test(before) ? 'párrafo' : null,
    ),
    // "c/ Mayor".
    wordRule('abbreviation', ['c'], String.raw`c\/ ?(?=\p{Lu})`, (_groups, { before }) =>
      /[\p{L}/]$/u.test(before) ? null : 'calle ',
    ),
    ...romanceRules(romance),
    wordRule(
      'roman',
      ['m', 'M'],
      String.raw`(?<name>[Mm]aría) (?<numeral>vi{0,3}|i[vx]|x)(?!\p{L})`,
      ({ name: queen = '', numeral = '' }) =>
        `${queen} ${ordinal(['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'].indexOf(numeral), 'feminine')}`,
    ),
    rule('symbol', 'symbol', '&(?= ?[Hh]?[iíIÍ](?![ae]))', () => 'e'),
    wordRule(
      'acronym',
      ['ip', 'usb', 'pdf', 'html', 'sms', 'dvd', 'cd', 'tv'],
      String.raw`(?:ip|usb|url|pdf|html|sms|dvd|cd|tv|pc)(?!\p{L})`,
      (_groups, _around, match) => Array.from(match).join(' '),
    ),
    ...dateRules(),
    ...timeRules(),
    ...zoneRules(),
    ...telephoneRules(),
    ...hugeRules(),
    ...apostropheRules(romance),
    roomRule(),
  ]
}

function dateRules(): Rule[] {
  const forms = inAnyCase(MONTHS.flat())
  return [
    // "junio 21 2021", as it is written in America.
    listRule(
      'date',
      forms,
      String.raw`(?<month>${oneOf(forms)})(?!\p{L})\.? (?<day>\d{1,2}),? (?<year>\d{4})(?!\d)`,
      ({ month = '', day = '', year = '' }) =>
        date(Number(day), MONTHS.findIndex((names) => names.includes(month.toLowerCase())) + 1, Number(year)),
    ),
    ...shortDateRules(
      'el|del|al|día|desde el|hasta el|hoy|ayer|mañana|este|lunes|martes|miércoles|jueves|viernes|sábado|domingo',
      (day, month) => date(day, month, null),
    ),
  ]
}

/** "de 12.00 a 13.30": hours of a beginning and an end. */
const isOpening = ({ before, after }: Around): boolean =>
  (/(?:^|\s)(?:de|desde)\s$/i.test(before) && /^ a (?:las )?\d{1,2}[.:][0-5]\d(?!\d)/.test(after)) ||
  /(?:^|\s)(?:de|desde) \d{1,2}\.[0-5]\d a (?:las )?$/.test(before)

function timeRules(): Rule[] {
  const clock: Read = ({ hour = '', minute = '0' }) =>
    Number(hour) > 24 ? null : time(Number(hour), Number(minute), null)
  return [
    halfDayRule(),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2}) ?h ?(?<minute>[0-5]\d)(?<unit> ?min|m)?(?:00s)?(?![\d\p{L}])`,
      (groups, around, match) =>
        groups.unit !== undefined && around.before !== ''
          ? `${hoursOf(Number(groups.hour))} y ${counted(Number(groups.minute), 'minuto')}`
          : clock(groups, around, match),
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>\d{1,2})[.:](?<minute>[0-5]\d) ?(?:hs?|hrs?)(?:\.(?! \p{Lu}|$))?(?!\p{L})`,
      clock,
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>[01]?\d|2[0-3])\.(?<minute>[0-5]\d)(?!\d|[.,]\d| ?(?:%|\p{L}{0,3}[€$]|millones))`,
      (groups, around, match) =>
        around.before === '' || /(?:^|\s)(?:las?|hora:?)\s$/i.test(around.before) || isOpening(around)
          ? clock(groups, around, match)
          : null,
    ),
  ]
}

/** "4:30 p. m.". */
function halfDayRule(): Rule {
  const dayPart = (hour: number, half: string): string => {
    if (half.toLowerCase().startsWith('a')) return hour === 12 ? 'de la noche' : 'de la mañana'
    return hour >= 8 && hour < 12 ? 'de la noche' : hour === 12 ? 'del mediodía' : 'de la tarde'
  }
  return rule(
    'time',
    'digit',
    String.raw`(?<hour>\d{1,2})(?:[:.](?<minute>[0-5]\d))? ?(?<half>[ap]\.? ?m(?!\p{L})\.?)`,
    ({ hour = '', minute = '0', half = '' }, { after }, match) => {
      if (Number(hour) > 12 || hour === '0') return null
      const spoken = `${time(Number(hour), Number(minute), null)} ${dayPart(Number(hour), half)}`
      return match.endsWith('.') && endsSentence(after) ? { spoken, length: match.length - 1 } : spoken
    },
    'i',
  )
}

const ZONES = inAnyCase(['utc', 'gmt', 'est', 'pst', 'cet', 'cest'])

/** "10 h UTC+1", "5:02 EST": zones are spelled in small letters too. */
const zoneRules = (): Rule[] => [
  rule(
    'time',
    'digit',
    String.raw`(?<hour>\d{1,2})(?: ?h)? (?<zone>utc|gmt|est|pst) ?\+ ?(?<ahead>\d{1,2})(?::(?<more>\d\d))?(?!\d)`,
    ({ hour = '', zone = '', ahead = '', more }) => {
      const offset = ahead === '1' && more !== undefined ? 'una' : cardinal(Number(ahead))
      return `${time(Number(hour), 0, null)} ${Array.from(zone).join(' ')} más ${offset}${more === undefined ? '' : ` ${cardinal(Number(more))}`}`
    },
    'i',
  ),
  listRule('time', ZONES, `(?:${oneOf(ZONES)})${END}`, (_groups, { before }, match) =>
    /\d:\d\d ?h?s? $/i.test(before) ? Array.from(match).join(' ') : null,
  ),
]

/** "1 1/2 m" is uno y medio metro, "3 3/5 m" tres y tres quintos de metro. */
function measureRules(): Rule[] {
  const units = countedForms(UNITS, name)
  const UNIT = String.raw`(?<unit>${oneOf(Object.keys(units))})(?![\p{L}\d])`
  return [
    rule(
      'measure',
      'digit',
      String.raw`(?:(?<whole>\d{1,4}) )?(?<top>\d{1,3})\/(?<bottom>\d{1,3}) ${UNIT}`,
      ({ whole, top = '', bottom = '', unit = '' }) => {
        if (unit === 'mmHg') return null
        const { gender, forms } = units[unit] as Counted
        const isFeminine = gender === 'feminine'
        const one = whole === '1' && !isFeminine ? 'uno' : cardinal(Number(whole ?? 0), gender)
        const first = whole === undefined ? '' : `${one} y `
        if (top === '1' && bottom === '2') return `${first}${isFeminine ? 'media' : 'medio'} ${forms.one}`
        return `${first}${fraction(Number(top), Number(bottom))} de ${forms.one}`
      },
    ),
    // "0,0101 s": the last digit stands before its noun.
    rule(
      'measure',
      'digit',
      String.raw`(?<whole>\d{1,15}),(?<places>\d{0,15}1) (?<unit>${oneOf(Object.keys(units))}|millones)(?![\p{L}\d])(?! ?[/²³]|[²³])`,
      ({ whole = '', places: digits = '', unit = '' }) => {
        const { gender, forms } = units[unit] ?? name('millones', 'millones')
        const last =
          digits === '1' || /[^1]1$/.test(digits)
            ? places(digits).replace(/uno$/, gender === 'feminine' ? 'una' : 'un')
            : places(digits)
        return `${cardinal(Number(whole))} coma ${last.replace('veintiun', gender === 'feminine' ? 'veintiun' : 'veintiún')} ${forms.other}`
      },
    ),
  ]
}

function telephoneRules(): Rule[] {
  const digits = (part: string): string =>
    Array.from(part.replaceAll(/\D/g, ''), (digit) => cardinal(Number(digit))).join(' ')
  return [
    rule(
      'telephone',
      'digit',
      String.raw`(?<first>[01])-(?<code>[89]00)-(?<words>\p{L}[\p{L}-]{1,20})`,
      ({ first = '', code = '', words: said = '' }) =>
        `${cardinal(Number(first))} ${cardinal(Number(code))} ${said.replaceAll('-', ' ')}`,
    ),
    rule(
      'telephone',
      'symbol',
      String.raw`\+(?<country>\d{2}) (?<rest>\d{2,9}(?:[ -]\d{2,8}){0,4})(?!\d)`,
      ({ country = '', rest = '' }) =>
        rest.replaceAll(/\D/g, '').length < 6
          ? null
          : `más ${cardinal(Number(country))}, ${rest.split(/\D+/).map(digits).join(', ')}`,
    ),
    rule(
      'telephone',
      'digit',
      String.raw`[6-9]\d{2} ?\d{3} ?\d{3}(?![\d.,]\d|\d)|[6-9]\d{2} \d{2} \d{2} \d{2}(?!\d)`,
      (_groups, { before }, match) =>
        /(?:tel[ée]fonos?|tel\.|llam\w+|móvil|WhatsApp|contacto|número|al|o)[:\s]{1,2}$/i.test(before)
          ? (match.replaceAll(' ', '').match(/\d{3}/g)?.map(digits).join(', ') ?? null)
          : null,
    ),
  ]
}

/** "100 000 000 000 000 000 000 000": above 10^15 by parts of a million. */
function hugeRules(): Rule[] {
  const SCALES = ['', 'millones', 'billones', 'trillones', 'cuatrillones']
  return [
    rule(
      'cardinal',
      'digit',
      String.raw`\d{1,3}(?:(?<mark>[. \u00a0\u202f])\d{3})(?:\k<mark>\d{3}){3,8}(?![\d]|[.,]\d)`,
      (_groups, _around, match) => {
        const plain = match.replaceAll(/\D/g, '')
        const parts = plain.match(/\d{1,6}(?=(?:\d{6})*$)/g) ?? []
        return parts
          .map((part, index) =>
            Number(part) === 0
              ? ''
              : `${cardinal(Number(part), index === parts.length - 1 ? undefined : 'masculine')} ${SCALES[parts.length - 1 - index]}`.trim(),
          )
          .filter(Boolean)
          .join(' ')
          .replace(/^un (\S+)ones/, 'un $1ón')
      },
    ),
  ]
}

/** "15'30 euros": some write the decimal mark so. */
const apostropheRules = ({ units }: RomanceWords): Rule[] => [
  rule(
    'decimal',
    'digit',
    String.raw`(?<whole>\d{1,6})['’](?<places>\d{1,2})(?: ?(?<unit>${oneOf(Object.keys(units))})(?![\p{L}\d])|(?= (?:euros?|millones|puntos|%)))`,
    ({ whole = '', places: digits = '', unit }) =>
      `${cardinal(Number(whole))} coma ${places(digits)}${unit === undefined ? '' : ` ${units[unit]?.forms.other}`}`,
  ),
]

/** "3 hab.": a home has rooms, a town inhabitants. */
const roomRule = (): Rule =>
  rule('abbreviation', 'digit', String.raw`(?<count>[1-9]|1[0-5]) hab\.?(?!\p{L})`, ({ count = '' }) =>
    count === '1' ? 'una habitación' : `${cardinal(Number(count), 'feminine')} habitaciones`,
  )
