import type { Counted, Gender } from '../european/words.ts'
import { spell } from '../number-rules.ts'

export const MONTHS = [
  ['enero', 'ene'],
  ['febrero', 'feb'],
  ['marzo', 'mar'],
  ['abril', 'abr'],
  ['mayo', 'may'],
  ['junio', 'jun'],
  ['julio', 'jul'],
  ['agosto', 'ago'],
  ['septiembre', 'setiembre', 'sept', 'sep'],
  ['octubre', 'oct'],
  ['noviembre', 'nov'],
  ['diciembre', 'dic'],
]
const FRACTIONS: Readonly<Record<number, string>> = {
  2: 'medio',
  3: 'tercio',
  4: 'cuarto',
  5: 'quinto',
  6: 'sexto',
  7: 'séptimo',
  8: 'octavo',
  9: 'noveno',
  10: 'décimo',
}
/** Nouns in -a that are masculine, and others that are feminine. */
const MASCULINE =
  /^(?:día|mapa|problema|tema|sistema|programa|idioma|poema|planeta|clima|drama|fantasma|síntoma|diploma|tranvía|sofá|papá|esquema|dilema|lema|aroma|cometa|kilograma|telegrama|gorila|atleta|periodista|turista|artista|deportista|futbolista|especialista|guardia|policía)s?$/
const FEMININE =
  /(?:as?|ción|ciones|sión|siones|dad|dades|tud|tudes|umbres?|triz|trices)$|^(?:mujer|vez|vece|noche|tarde|clase|calle|parte|llave|nave|frase|serie|torre|sede|flor|mano|foto|moto|luz|luce|red|rede|ley|leye|fuente|muerte|base|fase|imagen|imágene|sangre|carne|nube|gente|señal|cárcel|sal|piel|razón|razone|canción|voz|voce|cruz|cruce|raíz|raíce|superficie|especie|madre|tribu|radio|tesis|crisis|víctima)(?:es|s)?$/
export const KNOWN_LABELS =
  /^(?:com|net|org|gmail|nvidia|google|hotmail|yahoo|info|facebook|youtube|twitter|instagram|whatsapp|outlook|microsoft|wikipedia|web|blog)$/i

export const genderOf = (noun: string): Gender =>
  FEMININE.test(noun) && !MASCULINE.test(noun) ? 'feminine' : 'masculine'
const plural = (one: string): string => (/[aeiouáéó]$/.test(one) ? `${one}s` : `${one}es`)
export const name = (one: string, other = one.replace(/^\S+/, plural)): Counted => ({
  gender: genderOf(one.split(' ')[0] as string),
  forms: { one, other, many: other },
})

/** "uno" by itself, "un" and "una" before a noun. */
export function cardinal(value: number, gender?: Gender): string {
  return spell(
    'es',
    gender === undefined
      ? 'spellout-numbering'
      : `spellout-cardinal-${gender === 'feminine' ? 'feminine' : 'masculine'}`,
    value,
  )
}

/** Up to 29 in one word: undécimo, vigesimoprimera. CLDR writes the later ones in two. */
export function ordinal(value: number, gender: Gender, isShort = false): string {
  if (value === 0) return 'cero'
  const set = gender === 'feminine' ? 'feminine' : isShort ? 'masculine-adjective' : 'masculine'
  const said = spell('es', `spellout-ordinal-${set}`, value)
    .replace(/\bdecimoprimer([oa])\b/, 'undécim$1')
    .replace(/\bdecimosegund([oa])\b/, 'duodécim$1')
    .replace(/\boctingésim/, 'octingentésim')
    .replace(/^(\S+) (?=milésim[oa]$)/, '$1')
  return value > 20 && value < 30 ? said.replace(/^vigésim[oa] /, 'vigesimo').replace('oo', 'o') : said
}

/** Behind the comma: zeros one by one, up to three digits as a number, more by pairs. */
export function places(digits: string, gender?: Gender): string {
  const oneByOne = (part: string): string => Array.from(part, (digit) => cardinal(Number(digit), gender)).join(' ')
  if (digits.startsWith('0')) return oneByOne(digits)
  if (digits.length <= 3) return cardinal(Number(digits), gender)
  return (digits.match(/..?/g) ?? [])
    .map((pair) => (pair.startsWith('0') ? oneByOne(pair) : cardinal(Number(pair), gender)))
    .join(' ')
}

export const decimal = (whole: string, digits: string): string => `${cardinal(Number(whole))} coma ${places(digits)}`
export const monthYear = (month: number, year: number): string => `${MONTHS[month - 1]?.[0]} de ${cardinal(year)}`

const dayOf = (day: number): string => (day === 1 ? 'primero' : cardinal(day))
export const date = (day: number, month: number, year: number | null): string =>
  `${dayOf(day)} de ${MONTHS[month - 1]?.[0]}${year === null ? '' : ` de ${cardinal(year)}`}`

export function time(hour: number, minute: number, second: number | null): string {
  const hours = hour === 1 ? 'una' : hour === 0 ? 'cero' : cardinal(hour, 'feminine')
  if (second !== null && (minute > 0 || second > 0))
    return `${hours} ${hour === 1 ? 'hora' : 'horas'} ${counted(minute, 'minuto')} y ${counted(second, 'segundo')}`
  if (minute === 0) return hours
  return `${hours} y ${minute === 15 ? 'cuarto' : minute === 30 ? 'media' : cardinal(minute)}`
}

export const hoursOf = (hours: number): string => `${cardinal(hours, 'feminine')} hora${hours === 1 ? '' : 's'}`
export const counted = (value: number, noun: string): string =>
  `${cardinal(value, 'masculine')} ${noun}${value === 1 ? '' : 's'}`

export function fraction(top: number, bottom: number): string {
  if (top === 1 && bottom === 2) return 'medio'
  const count = top === 1 ? 'un' : cardinal(top)
  const denominator = denominatorOf(bottom)
  return denominator === null
    ? `${cardinal(top)} sobre ${cardinal(bottom)}`
    : `${count} ${denominator}${top === 1 ? '' : 's'}`
}

/** Null: such a fraction is said with "sobre". */
function denominatorOf(bottom: number): string | null {
  const known = FRACTIONS[bottom]
  if (known !== undefined) return known
  if (bottom > 10 && bottom < 100) {
    const stem = cardinal(bottom).normalize('NFD').replaceAll('\u0301', '').normalize('NFC').replaceAll(' ', '')
    return `${bottom === 18 ? stem : stem.replace(/[oae]$/, (vowel) => (vowel === 'e' ? 'e' : ''))}avo`
  }
  const isRound = (bottom < 1000 && bottom % 100 === 0) || (bottom < 1e6 && bottom % 1000 === 0) || bottom === 1e6
  return isRound && bottom > 0
    ? ordinal(bottom, 'masculine')
        .replaceAll(' ', '')
        .replace(/^un(?=mill)/, '')
    : null
}
