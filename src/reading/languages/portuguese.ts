import { rulesOf } from '../european/european.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { spell } from '../number-rules.ts'
import { romanceRules, shortDateRules, titleRule } from '../romance/romance.ts'
import { beforeNoun, countedForms, currencyForms, isDegree, type RomanceWords, SHARED_WORDS } from '../romance/words.ts'
import { rule, wordRule } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  BEFORE_NUMBERS,
  CURRENCIES,
  MARKS,
  PER_UNITS,
  SYMBOLS,
  TITLES,
  UNITS,
} from './portuguese-words.ts'

/** Brazil, or Portugal. */
type Locale = 'pt' | 'pt-PT'

const MONTHS = [
  ['janeiro', 'jan'],
  ['fevereiro', 'fev'],
  ['março', 'mar'],
  ['abril', 'abr'],
  ['maio', 'mai'],
  ['junho', 'jun'],
  ['julho', 'jul'],
  ['agosto', 'ago'],
  ['setembro', 'set'],
  ['outubro', 'out'],
  ['novembro', 'nov'],
  ['dezembro', 'dez'],
]
const FRACTIONS: Readonly<Record<number, string>> = {
  2: 'meio',
  3: 'terço',
  4: 'quarto',
  5: 'quinto',
  6: 'sexto',
  7: 'sétimo',
  8: 'oitavo',
  9: 'nono',
  10: 'décimo',
  100: 'centésimo',
  1000: 'milésimo',
}
/** Nouns in -a that are masculine, and others that are feminine. */
const MASCULINE =
  /^(?:dia|mapa|problema|tema|sistema|programa|idioma|poema|planeta|clima|drama|fantasma|sintoma|diploma|cinema|esquema|dilema|lema|aroma|cometa|(?:\p{L}*[iq]\p{L}*)?grama|telegrama|gorila|atleta|jornalista|turista|artista|guarda|quilograma|miligrama|micrograma)s?$/u
const FEMININE =
  /(?:as?|ção|ções|são|sões|dades?|tudes?|gens?|ices?|ãs?)$|^(?:vez|veze|noite|mulher|mulhere|tarde|parte|mão|mãe|flor|flore|cor|core|luz|luze|lei|foto|moto|classe|fase|base|frase|série|torre|rede|sede|ponte|chave|fonte|gente|morte|carne|voz|voze|cruz|cruze|raiz|raíze|superfície|espécie|tribo|tese|crise|paz|pele|nave|árvore|região|regiões|opinião|opiniões|reunião|reuniões|milha|libra|cidade|colher|colhere)(?:es|s)?$/
const KNOWN_LABELS =
  /^(?:com|net|org|gmail|google|nvidia|microsoft|amazon|facebook|hotmail|yahoo|info|youtube|twitter|instagram|whatsapp|outlook|uol|globo|web|blog|br)$/i

const genderOf = (noun: string): Gender => (FEMININE.test(noun) && !MASCULINE.test(noun) ? 'feminine' : 'masculine')
const name = (one: string, other = one.replace(/^\S+/, '$&s')): Counted => ({
  gender: genderOf(one.split(' ')[0] as string),
  forms: { one, other, many: other },
})

/** "quilómetro" is written otherwise in Portugal, where a euro has "cêntimos". */
const written = (table: string, locale: Locale): string =>
  locale === 'pt'
    ? table
    : table
        .replaceAll('ômetro', 'ómetro')
        .replaceAll(/(euro.*|.*)centavo/g, (row) => (row.includes('euro') ? row.replace('centavo', 'cêntimo') : row))

const ARTICLES = 'o|a|os|as|do|da|dos|das|no|na|ao|à|um|uma|seu|sua'
const NO_NOUNS = new Set(
  'de|e|a|em|o|ou|por|para|com|que|ao|do|da|dos|das|no|na|os|as|se|não|é|são|foi|era|sobre|como|mais|menos|mil|milhão|milhões|bilhão|bilhões|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|entre|já|vírgula|até|às|está|estão|contra|vezes'
    .split('|')
    .filter((word) => word !== 'vezes'),
)

const TABLES = {
  perUnits: PER_UNITS,
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  acronyms: ACRONYMS,
}

/** The rules of Portuguese, in the order in which they are tried. */
export const portuguese = (locale: Locale = 'pt'): RuleBook => rulesOf(words(locale))

/** Words joined by their "e": mil cento e dez, um milhão e cem mil. CLDR joins too many before thousands. */
const cardinalOf =
  (locale: Locale) =>
  (value: number, gender: Gender = 'masculine'): string =>
    spell(locale, `spellout-cardinal-${gender === 'feminine' ? 'feminine' : 'masculine'}`, value).replace(
      /(milhão|milhões|bilhões|bilhão) e (?=\p{L}+ e \p{L}+(?: e \p{L}+)? mil\b)/u,
      '$1 ',
    )

const ordinalOf =
  (locale: Locale) =>
  (value: number, gender: Gender): string =>
    value === 0 ? 'zero' : spell(locale, `spellout-ordinal-${gender === 'feminine' ? 'feminine' : 'masculine'}`, value)

function romanceOf(locale: Locale): RomanceWords {
  return {
    cardinal: cardinalOf(locale),
    ordinal: ordinalOf(locale),
    genderOf,
    largestOrdinal: 10,
    ordinalNouns: '[Ss]éculos?|[Aa]to|[Ll]ivro|[Cc]ena|[Cc]anto',
    cardinalNouns:
      '[Cc]apítulo|[Tt]omo|[Vv]olume|[Tt]ítulo|[Aa]nexo|[Ff]ase|[Tt]ipo|[Aa]rtigo|[Nn]ível|[Gg]rupo|[Pp]arte|Rocky|Apollo|Fantasy|[Cc]lasse|Unidade',
    rulers:
      'Pedro|João Paulo|João|Luís|Henrique|Carlos|Napoleão|Filipe|Pio|Bento|Jorge|Eduardo|Guilherme|Frederico|Paulo|Alexandre|Nicolau|Leopoldo|Ricardo|Afonso|Sancho|Manuel|Ramsés|Inocêncio|Leão|Gregório|Fernando|Dinis|José|Sebastião|Miguel|Urbano|Clemente|Sisto|Júlio|Bonifácio|Ptolomeu|Ivan',
    queens: 'Isabel|Elizabeth|Catarina|Maria|Cristina|Margarida|Cleópatra',
    and: 'e o|e|a|ao|ou',
    andHalf: 'e',
    half: { masculine: 'meio', feminine: 'meia', neuter: 'meio' },
    point: 'ponto',
    of: 'de',
    per: 'por',
    perUnits: PER_UNITS,
    scoreBefore: 'ganh|venc|perd|derrot|empat|por|gole|placar|resultado|termin',
    scoreBehind: 'contra|sobre|diante',
    scoreJoint: 'a',
    over: 'de',
    century: ['[Ss]éc\\.', 'século'],
    beforeNumbers: BEFORE_NUMBERS,
    telephone: 'tel|telefone|telemóvel|cel|celular|fax|WhatsApp',
    codes: 'CEP|PIN|[Cc]ódigo postal|senha|código|CPF',
    feminineBefore: '(?:à|às|as|das|nas) ',
    articles: ARTICLES,
    noNouns: NO_NOUNS,
  }
}

const JOINTS = {
  groupMarks: '. \u00a0\u202f\u2009',
  minus: 'menos',
  plus: 'mais',
  percent: 'por cento',
  per: 'por',
  by: 'por',
  and: 'e ',
  amountAnd: 'e ',
}

function words(locale: Locale): Words {
  const romance = romanceOf(locale)
  const cardinal = cardinalOf(locale)
  const dayOf = (day: number): string => (day === 1 && locale === 'pt' ? 'primeiro' : cardinal(day))
  const date = (day: number, month: number, year: number | null): string =>
    `${dayOf(day)} de ${MONTHS[month - 1]?.[0]}${year === null ? '' : ` de ${cardinal(year)}`}`
  return {
    ...SHARED_WORDS,
    ...TABLES,
    ...JOINTS,
    locale,
    cardinal,
    ordinal: (value, hint = '', before = '') =>
      isDegree(value, hint, before) ? '' : romance.ordinal(value, /a|ª/.test(hint) ? 'feminine' : 'masculine'),
    ordinalHints: String.raw`(?<hint>\.?[ºª]|°|[oa]s?)(?![\p{L}\d])`,
    decimal: (whole, places) =>
      `${cardinal(Number(whole))} vírgula ${Array.from(places, (digit) => cardinal(Number(digit))).join(' ')}`,
    year: (value) => cardinal(value),
    date,
    monthYear: (month, year) => `${MONTHS[month - 1]?.[0]} de ${cardinal(year)}`,
    months: MONTHS,
    dateJoint: ' (?:de )?',
    time: timeOf(cardinal),
    timeWords: 'hs?|horas?',
    fraction: fractionOf(cardinal),
    magnitudes: magnitudesOf(locale),
    currencies: currencyForms(written(CURRENCIES, locale), name),
    units: countedForms(written(UNITS, locale), name),
    square: (unit, isPlural) => `${unit} quadrado${isPlural ? 's' : ''}`,
    cubic: (unit, isPlural) => `${unit} cúbico${isPlural ? 's' : ''}`,
    isSaid: (label) => KNOWN_LABELS.test(label),
    bare: beforeNoun(romance, (value, _noun, gender) => cardinal(value, gender)),
    more: ownRules(romance, date),
  }
}

const magnitudesOf = (locale: Locale): Words['magnitudes'] => [
  { pattern: 'mil milhões', word: name('mil milhões', 'mil milhões'), joint: 'de ' },
  { pattern: 'mil', word: name('mil', 'mil') },
  { pattern: 'milhões|milhão|mi', word: name('milhão', 'milhões'), joint: 'de ' },
  {
    pattern: locale === 'pt' ? 'bilhões|bilhão|bi' : 'bilhões|bilhão|biliões|bilião',
    word: locale === 'pt' ? name('bilhão', 'bilhões') : name('bilião', 'biliões'),
    joint: 'de ',
  },
  { pattern: 'trilhões|trilhão|tri', word: name('trilhão', 'trilhões'), joint: 'de ' },
]

const timeOf =
  (cardinal: (value: number, gender?: Gender) => string) =>
  (hour: number, minute: number, second: number | null): string => {
    const of = (value: number, one: string, gender: Gender = 'masculine'): string =>
      `${cardinal(value, gender)} ${one}${value === 1 ? '' : 's'}`
    const hours = of(hour, 'hora', 'feminine')
    if (second !== null) return `${hours} e ${of(minute, 'minuto')} e ${of(second, 'segundo')}`
    return minute === 0 ? hours : `${hours} e ${cardinal(minute)}`
  }

const fractionOf =
  (cardinal: (value: number) => string) =>
  (top: number, bottom: number): string => {
    if (bottom < 2) return `${cardinal(top)} sobre ${cardinal(bottom)}`
    const part = FRACTIONS[bottom]
    return part === undefined
      ? `${cardinal(top)} ${cardinal(bottom)} avos`
      : `${cardinal(top)} ${part}${top > 1 ? 's' : ''}`
  }

function ownRules(romance: RomanceWords, date: (day: number, month: number, year: null) => string): Rule[] {
  const time = timeOf(romance.cardinal)
  const clock: Read = ({ hour = '', minute = '0' }, { after }) =>
    /^ ?\d/.test(after) ? null : time(Number(hour), Number(minute), null)
  return [
    ...romanceRules(romance),
    titleRule(TITLES),
    ...shortDateRules(
      'o|no|do|ao|dia|em|desde|até|de|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|sábado|domingo',
      (day, month) => date(day, month, null),
    ),
    rule(
      'math',
      'digit',
      String.raw`(?<a>\d{1,9}) × (?<b>\d{1,9})(?= ?[=?])`,
      ({ a = '', b = '' }) => `${romance.cardinal(Number(a))} vezes ${romance.cardinal(Number(b))}`,
    ),
    wordRule(
      'abbreviation',
      ['m'],
      String.raw`m(?<middle>á|í)(?<end>x|n)\.`,
      ({ middle = '', end = '' }, { before }) => (/(?:a|dade)\s$/.test(before) ? `m${middle}${end}ima` : null),
    ),
    rule('time', 'digit', String.raw`(?<hour>[01]?\d|2[0-4]) ?[hH](?:s|rs)?(?![\p{L}\d])`, clock),
    rule(
      'time',
      'digit',
      String.raw`(?<hour>[01]?\d|2[0-3])\.(?<minute>[0-5]\d)(?!\d|[.,]\d| ?(?:%|\p{L}{0,3}[€$]|mil))`,
      (groups, around, match) =>
        around.before === '' || /(?:^|\s)(?:às|as|das|até as)\s$/i.test(around.before)
          ? clock(groups, around, match)
          : null,
    ),
  ]
}
