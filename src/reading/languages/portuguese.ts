import { rulesOf } from '../european/european.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { spell } from '../number-rules.ts'
import { shortDateRules } from '../romance/dates.ts'
import { romanceRules } from '../romance/romance.ts'
import {
  beforeNoun,
  betweenBy,
  countedForms,
  currencyForms,
  isDegree,
  type RomanceWords,
  SHARED_WORDS,
} from '../romance/words.ts'
import { rule, wordRule } from '../rules.ts'
import type { Read, Rule, RuleBook } from '../scan.ts'
import { spokenForms } from '../table.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  BEFORE_NUMBERS,
  CHAT,
  CLOSING,
  CURRENCIES,
  MARKS,
  PER_UNITS,
  SLASHED,
  SPELLED,
  SYMBOLS,
  TITLES,
  UNITS,
  WEEKDAYS,
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
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
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

/** These rules are the same in Brazil and Portugal. */
const SHARED = {
  genderOf,
  largestOrdinal: 10,
  ordinalNouns: '[Ss]éculos?|[Aa]to|[Ll]ivro|[Cc]ena|[Cc]anto',
  cardinalNouns:
    '[Cc]apítulo|[Tt]omo|[Vv]olume|[Tt]ítulo|[Aa]nexo|[Ff]ase|[Tt]ipo|[Aa]rtigo|[Nn]ível|[Gg]rupo|[Pp]arte|Rocky|Apollo|Fantasy|[Cc]lasse|Unidade|[Ii]nciso',
  rulers:
    'Vaticano|Pedro|João Paulo|João|Luís|Henrique|Carlos|Napoleão|Filipe|Pio|Bento|Jorge|Eduardo|Guilherme|Frederico|Paulo|Alexandre|Nicolau|Leopoldo|Ricardo|Afonso|Sancho|Manuel|Ramsés|Inocêncio|Leão|Gregório|Fernando|Dinis|José|Sebastião|Miguel|Urbano|Clemente|Sisto|Júlio|Bonifácio|Ptolomeu|Ivan',
  queens: 'Isabel|Elizabeth|Catarina|Maria|Cristina|Margarida|Cleópatra',
  and: 'e o|e|a|ao|ou',
  andHalf: 'e',
  half: { masculine: 'meio', feminine: 'meia', neuter: 'meio' },
  partJoint: 'de',
  singular: (noun: string): string => noun.replace(/(?<=[aeo])s$/, '').replace(/(?<=[rlz])e$/, ''),
  monthYear: (month: number, year: number): string => `${MONTHS[month - 1]?.[0]} de ${cardinalOf('pt')(year)}`,
  months: MONTHS,
  inch: name('polegada'),
  quarters: { T: 'trimestre', S: 'semestre' },
  minus: 'menos',
  plus: 'mais',
  times: 'vezes',
  divided: 'dividido por',
  by: 'por',
  to: 'a',
  or: 'ou',
  bar: 'barra',
  each: 'a cada',
  outOf: 'de',
  pressure: 'por',
  number: 'número',
  degrees: 'graus',
  acronyms: ACRONYMS,
  spelled: SPELLED,
  closing: CLOSING,
  titles: TITLES,
  weekdays: WEEKDAYS,
  slashed: SLASHED,
  chat: CHAT,
  extremes: { máx: 'máxima', mín: 'mínima' },
  feminineNoun: '(?:a|dade)|[Vv]el\\.|[Tt]emp\\.',
  starters:
    'O|A|Os|As|Um|Uma|Em|No|Na|Não|Se|É|E|Mas|Depois|Por|Para|Com|Que|Lhe|Me|Te|Sim|Seu|Sua|Este|Esta|Isto|Esse|Essa|Isso|Há|Foi|Era|São|Já|Hoje|Ontem|Amanhã|Também|Assim|Como|Quando|Desde|Ao|Todo|Todos|Além|Sem|Segundo|Após|Meu|Minha|Qual|Agora|Então|Mais|Embora|Porque|Onde|Aqui|Ali|Ninguém|Nunca|Sempre|Ele|Ela|Eles|Elas|Eu|Nós|Você',
  phones: String.raw`\d{2} \d{4,5}[ -]\d{4}|0800[ -]\d{3}[ -]\d{4}`,
  shortPhones: String.raw`[29]\d{2} \d{3} \d{3}|9[1236]\d{7}`,
  numeralNouns: '\\p{Lu}\\p{Ll}+|trimestre|semestre|guerra|edição|congresso|república|milênio|dinastia',
  point: 'ponto',
  of: 'de',
  per: (unit: string): string => `por ${unit}`,
  scoreBefore: 'ganh|venc|perd|derrot|empat|por|gole|placar|resultado|termin|parcia|set',
  scoreBehind: 'contra|sobre|diante',
  scoreJoint: 'a',
  scoreMarks: '-–:x/',
  over: 'de',
  centuries: [
    ['[Ss]éc\\.', 'século'],
    ['[Ss]écs\\.', 'séculos'],
  ],
  telephone: 'tel|telefone|telemóvel|tlm|telm|cel|celular|fax|WhatsApp',
  codes: 'CEP|PIN|[Cc]ódigo postal|senha|[Cc]ódigo|CPF|CNPJ|RG|NIF|c\\/c|[Cc]onta|ag\\.|[Aa]gência',
  feminineBefore: '(?:à|às|as|das|nas) ',
  articles: ARTICLES,
  noNouns: NO_NOUNS,
} as const

function romanceOf(locale: Locale): RomanceWords {
  const cardinal = cardinalOf(locale)
  const ordinal = ordinalOf(locale)
  return {
    ...SHARED,
    cardinal,
    thousands: (count) => cardinal(1000 * count),
    ordinal,
    fraction: fractionOf(cardinal),
    partName: (bottom, isPlural) => `${bottom === 3 ? 'terça' : ordinal(bottom, 'feminine')}${isPlural ? 's' : ''}`,
    decimal: decimalOf(cardinal),
    date: dateOf(locale),
    units: countedForms(written(UNITS, locale), name),
    perUnits: spokenForms(written(PER_UNITS, locale)),
    beforeNumbers: spokenForms(written(BEFORE_NUMBERS, locale)),
    minuteOf: (value, before) => (/(?:^|\s)(?:o|ao|no|do)\s$/i.test(before) ? `minuto ${cardinal(value)}` : null),
  }
}

const decimalOf =
  (cardinal: (value: number) => string) =>
  (whole: string, places: string): string =>
    `${cardinal(Number(whole))} vírgula ${Array.from(places, (digit) => cardinal(Number(digit))).join(' ')}`

const dateOf = (locale: Locale) => {
  const cardinal = cardinalOf(locale)
  return (day: number, month: number, year: number | null): string => {
    const said = day === 1 && locale === 'pt' ? 'primeiro' : cardinal(day)
    return `${said} de ${MONTHS[month - 1]?.[0]}${year === null ? '' : ` de ${cardinal(year)}`}`
  }
}

const JOINTS = {
  groupMarks: '. \u00a0\u202f\u2009',
  minus: 'menos',
  plus: 'mais',
  percent: 'por cento',
  per: 'por',
  perMany: 'a cada',
  by: 'por',
  and: 'e ',
  amountAnd: 'e ',
}

function words(locale: Locale): Words {
  const romance = romanceOf(locale)
  const cardinal = cardinalOf(locale)
  const date = dateOf(locale)
  return {
    ...SHARED_WORDS,
    ...TABLES,
    ...JOINTS,
    locale,
    cardinal,
    ordinal: (value, hint = '', before = '') =>
      isDegree(value, hint, before) || (/^[ao]$/.test(hint) && FIGURE.test(before))
        ? ''
        : romance.ordinal(value, /a|ª/.test(hint) ? 'feminine' : 'masculine'),
    ordinalHints: String.raw`(?<hint>\.?[ºª]|°|[oa]s?)(?:(?![\p{L}\d])|(?<=[ºª])(?=\p{Lu}(?!\p{L})))`,
    perUnits: romance.perUnits,
    beforeNumbers: romance.beforeNumbers,
    decimal: romance.decimal,
    year: (value) => cardinal(value),
    date,
    monthYear: romance.monthYear,
    months: MONTHS,
    dateJoint: ' (?:de )?',
    time: timeOf(cardinal),
    timeWords: 'hs?|horas?',
    fraction: fractionOf(cardinal),
    magnitudes: magnitudesOf(locale),
    currencies: currencyForms(written(CURRENCIES, locale), name),
    units: romance.units,
    halfOf: (_around, gender) => (gender === undefined ? null : romance.half[gender]),
    partOf: ({ forms }) => `de ${forms.one}`,
    square: (unit, isPlural) => `${unit} quadrado${isPlural ? 's' : ''}`,
    cubic: (unit, isPlural) => `${unit} cúbico${isPlural ? 's' : ''}`,
    ranged: betweenBy('a', 'e'),
    plates: String.raw`[A-Z]{3}-?\d{4}|[A-Z]{3}\d[A-Z]\d{2}|\d{2}-[A-Z]{2}-\d{2}|[A-Z]{2}-\d{2}-[A-Z]{2}|[A-Z]{2}-\d{2}-\d{2}`,
    isSaid: (label) => KNOWN_LABELS.test(label),
    bare: beforeNoun(romance, (value, _noun, gender) => cardinal(value, gender)),
    more: ownRules(romance, date),
  }
}

const magnitudesOf = (locale: Locale): Words['magnitudes'] => [
  { pattern: 'mil milhões', word: name('mil milhões', 'mil milhões'), joint: 'de ' },
  { pattern: 'mil', word: name('mil', 'mil') },
  { pattern: 'milhões|milhão|mi|M(?=[ €$])', word: name('milhão', 'milhões'), joint: 'de ' },
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
    ...nameRules(),
    ...romanceRules(romance),
    ...timesRules(romance),
    ...shortDateRules(
      'o|no|do|ao|dia|em|desde|até|de|hoje|ontem|amanhã|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|sábado|domingo',
      (day, month) => date(day, month, null),
    ),
    rule(
      'math',
      'digit',
      String.raw`(?<a>\d{1,9}) × (?<b>\d{1,9})(?= ?[=?])`,
      ({ a = '', b = '' }) => `${romance.cardinal(Number(a))} vezes ${romance.cardinal(Number(b))}`,
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

/** "D. Maria I", "R. XV de Novembro", "3ª-feira". */
const nameRules = (): Rule[] => [
  wordRule(
    'abbreviation',
    ['D', 'R'],
    String.raw`D\.(?= (?:\p{Lu}\p{Ll}{1,20}a|Isabel|Leonor|Inês|Beatriz)(?!\p{L}))|R\.(?= (?:(?:[XVI]{1,6}|\d{1,2}) de |d[aeo]s? \p{Lu}))`,
    (_groups, _around, match) => (match === 'D.' ? 'dona' : 'rua'),
  ),
  rule('date', 'digit', '3ª(?=[- ]?feira)', () => 'terça'),
]

/** "Fig. 1a" is no ordinal number. */
const FIGURE = /(?:fig|tab)\p{Ll}*\.? ?$/iu

/** "12x sem juros", "Brasil x Argentina", "4000-123 Porto". */
const timesRules = ({ cardinal }: RomanceWords): Rule[] => [
  rule(
    'cardinal',
    'digit',
    String.raw`(?<count>\d{1,3})[xX](?= (?:de|sem|com|no|por|mais|ao)(?!\p{L})|[.,;:!)]|$)`,
    ({ count = '' }) => (count === '1' ? 'uma vez' : `${cardinal(Number(count), 'feminine')} vezes`),
  ),
  rule('time', 'digit', String.raw`(?<hours>\d{1,2})\/\k<hours> ?h(?!\p{L})`, ({ hours = '' }) => {
    const said = cardinal(Number(hours), 'feminine')
    return `${said} em ${said} horas`
  }),
  wordRule('abbreviation', ['t'], String.raw`tri(?!\p{L})`, (_groups, { before }) =>
    /\dº\s$/.test(before) ? 'trimestre' : null,
  ),
  wordRule('score', ['x'], String.raw`x(?= \p{Lu}\p{Ll}{2})`, (_groups, { before }) =>
    /\p{Lu}\p{L}{2,20}\s$/u.test(before) ? 'contra' : null,
  ),
  rule('telephone', 'digit', String.raw`(?<area>\d{4})-(?<place>\d{3})(?= \p{Lu}\p{Ll})`, ({ area = '', place = '' }) =>
    [area, place].map((part) => Array.from(part, (digit) => cardinal(Number(digit))).join(' ')).join(', '),
  ),
]
