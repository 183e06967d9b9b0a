import { oneOf, rule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { otherForm, type RomanceWords } from './words.ts'

const LAW =
  /(?:le[iy]|lege|legge|decreto|decreto-lei|resolução|resolución|orden|directiva|regolamento|reglamento|portaria|d\.(?:l|lgs|p\.r|m)\.|dpr|l\.|l[co]|rd|rdl|ec|mp|pl|dl|pec|plp)(?:[- ]\p{L}{3,14})?(?: n\S{1,3})? $/iu
const DOCUMENT =
  /(?:^|[\s(])(?:n(?:\.?[ºo°]|\.|úm\.?|ro\.?)|número|numero|expediente|factura|fattura|processo|pratica|protocollo|fatura|nota fiscal|edital|contrato|acta|ata)\s$/i
const IN_A_SUM = /[\d/.,]$/
const MARK =
  /(?:notas?|puntuación|valoración|calificación|vot[oi]|laurea|maturità|votazione|punteggio|avaliação|pontuação|media|média):? ?$/i
const PART =
  /(?:p[áa]g(?:ina)?s?\.?|diap(?:ositiva)?\.?|slide|cap(?:[íi]t[uo]lo)?\.?|episodio|episódio|pas[so]o|foto|etapa|tappa|volta|vuelta|giornata|jornada|rodada)\s$/i
const PRESSURE = /(?:tensi[óo]n|presi[óo]n|pressão|tensão|pressione)\s(?:\p{L}{1,10}\s){0,2}$/iu

/** Texts before and behind a slash: laws, documents, years, marks, units, endings. */
export const slashRules = (words: RomanceWords): Rule[] => [
  ...lawRules(words),
  ...documentRules(words),
  ...outOfRules(words),
  ...perRules(words),
  ...endingRules(words),
]

function lawRules({ cardinal, of }: RomanceWords): Rule[] {
  return [
    rule('cardinal', 'digit', String.raw`24\/7(?![\d/])`, () => `${cardinal(24)} ${cardinal(7)}`),
    rule(
      'serial',
      'digit',
      String.raw`(?<number>\d{1,3}(?:\.\d{3})?|\d{4,5})\/(?<year>(?:19|20)\d\d|\d\d)(?![\d/])`,
      ({ number = '', year = '' }, { before }) =>
        LAW.test(before) ? `${cardinal(Number(number.replace('.', '')))} ${of} ${cardinal(Number(year))}` : null,
    ),
  ]
}

/** "2025/0034", "12/2024", "03/2025", "2024/25". */
function documentRules({ cardinal, bar, monthYear }: RomanceWords): Rule[] {
  const digits = (number: string): string => Array.from(number, (digit) => cardinal(Number(digit))).join(' ')
  const say = (number: string): string => (number.startsWith('0') ? digits(number) : cardinal(Number(number)))
  const isNext = (a: string, b: string): boolean =>
    /^(?:19|20)\d\d$/.test(a) && (Number(a) + 1) % 100 === Number(b) % 100
  return [
    rule(
      'serial',
      'digit',
      String.raw`(?<a>\d{1,9})\/(?<b>\d{1,9})(?![\d/]|[.,]\d)`,
      ({ a = '', b = '' }, { before }) => {
        if (IN_A_SUM.test(before)) return null
        if (isNext(a, b)) return `${cardinal(Number(a))} ${cardinal(Number(b))}`
        const isYear = /^(?:19|20)\d\d$/.test(b)
        if (!DOCUMENT.test(before)) {
          const isVoltage = /^\d{3}$/.test(a) && /^\d{3}$/.test(b) && a !== b && b !== '110'
          if (isVoltage) return { spoken: `${cardinal(Number(a))} ${bar} `, length: a.length + 1 }
          const isCode = isYear ? a !== '1' : /^0\d/.test(b) && a.length > 2
          if (!isCode) return null
          if (isYear && /^(?:0[1-9]|1[0-2])$/.test(a)) return monthYear(Number(a), Number(b))
        }
        return `${say(a)} ${bar} ${say(b)}`
      },
    ),
    // "14/B", "CF/88".
    rule('symbol', 'symbol', String.raw`\/(?=\p{Lu}(?!\p{Ll})|\d|[a-f](?!\p{L}))`, (_groups, { before, after }) =>
      (/\d$/.test(before) && /^\p{L}/u.test(after)) || (/\p{Lu}{2}$/u.test(before) && /^\d/.test(after))
        ? ` ${bar} `
        : null,
    ),
  ]
}

/** "7/10" of a mark, "3/10" of pages, "120/80" of a pressure. */
function outOfRules({ cardinal, over, outOf, pressure, units }: RomanceWords): Rule[] {
  const read: Read = ({ a = '', b = '', unit }, { before }) => {
    const joint =
      PRESSURE.test(before) || unit !== undefined
        ? pressure
        : MARK.test(before) || (a === b && Number(a) > 31) || (b === '110' && Number(a) > 59)
          ? over
          : PART.test(before)
            ? outOf
            : null
    if (joint === null) return null
    const unitWord = unit === undefined ? '' : ` ${units[unit]?.forms.other}`
    return `${cardinal(Number(a))} ${joint} ${cardinal(Number(b))}${unitWord}`
  }
  return [
    rule('fraction', 'digit', String.raw`(?<a>\d{1,3})\/(?<b>\d{1,3})(?: ?(?<unit>mmHg))?(?![\d/\p{L}])`, read),
    rule('decimal', 'symbol', String.raw`\/(?=\d{1,3}(?!\d))`, (_groups, { before }) =>
      /\d,\d{1,2}$/.test(before) ? ` ${over} ` : null,
    ),
  ]
}

/** "9,99 €/mes", "70 lat/min", "2 veces/semana". */
function perRules({ per, perUnits }: RomanceWords): Rule[] {
  return [
    rule(
      'measure',
      'symbol',
      String.raw`\/ ?(?<unit>${oneOf(Object.keys(perUnits))})(?!\p{L})`,
      ({ unit = '' }, { before }) => {
        const isPrice = /(?:\$|€|£) ?[\d.,]+$|\d ?(?:€|\$|£)$/.test(before)
        const isCounted = /\d ?\p{L}{1,12}$/u.test(before)
        return isPrice || isCounted || (unit.length > 2 && /\d\s?$/.test(before))
          ? ` ${per(perUnits[unit] ?? '')}`
          : null
      },
    ),
  ]
}

/** "alumnos/as" and "aluno(a)" name both genders, "y/o" both words. */
function endingRules({ andHalf: and, or }: RomanceWords): Rule[] {
  return [
    rule(
      'abbreviation',
      'letter',
      String.raw`(?<word>\p{L}{2,25})(?:\/(?<end>as?|es?|ssa)|\((?<inner>as?|es?|s)\))(?![\p{L}/\d])`,
      ({ word = '', end, inner }) => {
        const other = otherForm(word, end ?? inner ?? '')
        if (other === null) return null
        return `${word} ${/[si]$/.test(word) && (end ?? inner) !== 'ssa' ? and : or} ${other}`
      },
    ),
  ]
}
