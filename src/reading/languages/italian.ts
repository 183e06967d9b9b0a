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
import { keepingSentenceEnd, rule, rulesAt, wordRule } from '../rules.ts'
import type { Rule, RuleBook } from '../scan.ts'
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
} from './italian-words.ts'

const MONTHS = [
  ['gennaio', 'genn', 'gen'],
  ['febbraio', 'febb', 'feb'],
  ['marzo', 'mar'],
  ['aprile', 'apr'],
  ['maggio', 'mag'],
  ['giugno', 'giu'],
  ['luglio', 'lug'],
  ['agosto', 'ago'],
  ['settembre', 'sett', 'set'],
  ['ottobre', 'ott'],
  ['novembre', 'nov'],
  ['dicembre', 'dic'],
]
const FRACTIONS = ['', '', 'mezzo', 'terzo', 'quarto', 'quinto', 'sesto', 'settimo', 'ottavo', 'nono', 'decimo']
const SCALES = [
  [1e15, 'un milione di miliardi', 'milioni di miliardi'],
  [1e12, 'mille miliardi', 'mila miliardi'],
  [1e9, 'un miliardo', 'miliardi'],
  [1e6, 'un milione', 'milioni'],
] as const
const FEMININE =
  /^(?:or[ae]|volt[ae]|.*(?:zion[ei]|sion[ei]|tà|tù|rice|rici|gione|gioni))$|[^m]a$|^(?:mani?|auto|moto|foto|radio|parte|parti|notte|notti|classe|classi|gente|legge|leggi|fine|chiave|chiavi|nave|navi|rete|reti|serie|torre|torri|frase|frasi|arte|arti|madre|madri|moglie|mogli|specie|fase|fasi|base|basi|voce|voci|fonte|fonti|valle|valli|corte|corti|morte|morti|persone|donne|case|sterline|tonnellate|calorie|settimane|pagine|squadre|città|stelle|camere|vittime)$/
const MASCULINE =
  /^(?:problema|tema|sistema|programma|poeta|pianeta|clima|dramma|diploma|sisma|pigiama|papa|atleta|giornalista|turista)$/
/** 1 before these is `uno`: s with a consonant, z, gn, ps, x, y. */
const UNO = /^(?:s[^aeiouàèéìòùh]|z|gn|ps|pn|x|y)/i
const KNOWN_LABELS =
  /^(?:[Cc]om|net|org|gov|edu|html?|gmail|nvidia|google|amazon|facebook|youtube|info|yahoo|hotmail|libero|web|blog)$|^(?:it|us)$/

/** Plurals in -e are feminine. */
const genderOf = (noun: string, isPlural = false): Gender =>
  (FEMININE.test(noun) && !MASCULINE.test(noun)) || (isPlural && noun.endsWith('e')) ? 'feminine' : 'masculine'
const name = (one: string, other = one): Counted => ({
  gender: genderOf(one.split(' ')[0] as string),
  forms: { one, other, many: other },
})

/** Spoken in parts, so that each keeps its stress: tremila cinquecento quarantaquattro. */
function cardinal(value: number, gender?: Gender): string {
  if (value === 1 && gender !== undefined) return gender === 'feminine' ? 'una' : 'un'
  for (const [size, one, many] of SCALES) {
    if (value < size) continue
    const count = Math.floor(value / size)
    return join(
      count === 1 ? one : many.startsWith('mila') ? `${underMillion(count)}${many}` : `${cardinal(count)} ${many}`,
      value % size === 0 ? '' : cardinal(value % size),
    )
  }
  return underMillion(value)
}

function underMillion(value: number): string {
  // Engines say "ventitré" and "ventitre" alike, and texts have both.
  if (value < 100) return spell('it', 'spellout-numbering', value).replace('é', 'e')
  if (value < 1000)
    return join(
      spell('it', 'spellout-numbering', value - (value % 100)),
      value % 100 === 0 ? '' : underMillion(value % 100),
    )
  const thousands = Math.floor(value / 1000)
  const said = thousands === 1 ? 'mille' : `${underMillion(thousands)}mila`
  return join(said, value % 1000 === 0 ? '' : underMillion(value % 1000))
}

const join = (...parts: string[]): string => parts.filter(Boolean).join(' ')

const ordinal = (value: number, gender: Gender): string =>
  value === 0 ? 'zero' : spell('it', `spellout-ordinal-${gender === 'feminine' ? 'feminine' : 'masculine'}`, value)

/** Behind the comma: zeros one by one, then a number of up to three digits. */
function places(digits: string): string {
  const zeros = /^0*/.exec(digits)?.[0] ?? ''
  const rest = digits.slice(zeros.length)
  if (rest.length > 3) return Array.from(digits, (digit) => cardinal(Number(digit))).join(' ')
  return join(...Array.from(zeros, () => 'zero'), rest === '' ? '' : cardinal(Number(rest)))
}

/** "il primo", but "l'uno". */
const dayOf = (day: number, before = ''): string => (day === 1 && !/l['’]$/.test(before) ? 'primo' : cardinal(day))
const monthOf = (month: number): string => MONTHS[month - 1]?.[0] ?? ''

const decimal = (whole: string, digits: string): string => `${cardinal(Number(whole))} virgola ${places(digits)}`
const monthYear = (month: number, year: number): string => `${monthOf(month)} ${cardinal(year)}`
/** "tazze", "cucchiai", "bicchieri", "litri". */
const singular = (noun: string): string =>
  genderOf(noun, true) === 'feminine'
    ? noun.replace(/e$/, 'a')
    : noun
        .replace(/(?<=[a])i$/, 'io')
        .replace(/ieri$/, 'iere')
        .replace(/(?<=[^aeiou])i$/, 'o')

function time(hour: number, minute: number, second: number | null, before = ' '): string {
  const hours = hour === 1 ? 'una' : cardinal(hour)
  if (second !== null) return `${hours} e ${cardinal(minute)} minuti e ${cardinal(second)} secondi`
  if (minute === 0) return hours
  // A time by itself names its minutes; in a sentence the words beside it say what it is.
  return `${hours} e ${cardinal(minute)}${before === '' ? ' minuti' : ''}`
}

function fraction(top: number, bottom: number): string {
  if (bottom < 2 || bottom > 1000) return `${cardinal(top)} su ${cardinal(bottom)}`
  const part = FRACTIONS[bottom] ?? ordinal(bottom, 'masculine')
  return `${cardinal(top, top === 1 ? 'masculine' : undefined)} ${top === 1 ? part : part.replace(/o$/, 'i').replace(/ii$/, 'i')}`
}

/** "1 persona", "1 studente", "1 anno". */
function oneOf(value: number, noun: string, gender: Gender): string | null {
  if (value !== 1) return null
  if (gender === 'feminine') return 'una'
  return UNO.test(noun) ? 'uno' : 'un'
}

const ROMANCE: RomanceWords = {
  cardinal,
  ordinal,
  thousands: (count) => cardinal(1000 * count),
  genderOf,
  largestOrdinal: Number.POSITIVE_INFINITY,
  ordinalNouns: '[Ss]ecol[oi]|[Cc]apitolo|[Tt]omo|[Pp]arte|[Vv]olume|[Aa]tto|[Ll]ibro|[Tt]itolo|[Cc]anto|[Ss]cena',
  cardinalNouns: '[Ff]ase|[Cc]lasse|[Aa]rticolo|Rocky|Apollo|[Tt]ipo|[Aa]llegato|[Tt]appa|Fantasy',
  rulers:
    'Vaticano|Vittorio Emanuele|Umberto|Giovanni Paolo|Giovanni|Luigi|Enrico|Carlo|Napoleone|Filippo|Pio|Benedetto|Giorgio|Edoardo|Guglielmo|Federico|Pietro|Paolo|Alessandro|Nicola|Leopoldo|Riccardo|Giacomo|Ramses|Ramesse|Innocenzo|Leone|Gregorio|Ferdinando|Francesco|Giulio|Sisto|Urbano|Clemente|Bonifacio|Amedeo|Cosimo|Ottone|Tolomeo|Ivan|Alfonso|Papa',
  queens: 'Elisabetta|Caterina|Maria|Cristina|Margherita|Cleopatra',
  and: 'e il|e|al|ed|o',
  andHalf: 'e',
  half: { masculine: 'mezzo', feminine: 'mezza', neuter: 'mezzo' },
  fraction,
  partJoint: 'di',
  partName: (bottom, isPlural) => ordinal(bottom, 'feminine').replace(/a$/, isPlural ? 'e' : 'a'),
  singular,
  decimal,
  date: (day, month, year) => join(dayOf(day), monthOf(month), cardinal(year)),
  monthYear,
  months: MONTHS,
  units: countedForms(UNITS, name),
  inch: name('pollice', 'pollici'),
  minuteOf: (value, before, after) =>
    /^ minut/.test(after) || /(?:^|\s)(?:al|il|nel|dal|del)\s$/i.test(before) ? ordinal(value, 'masculine') : null,
  quarters: { T: 'trimestre', S: 'semestre' },
  minus: 'meno',
  plus: 'più',
  times: 'per',
  divided: 'diviso',
  by: 'per',
  to: 'a',
  or: 'o',
  bar: 'barra',
  each: 'ogni',
  outOf: 'di',
  pressure: 'su',
  number: 'numero',
  degrees: 'gradi',
  acronyms: ACRONYMS,
  spelled: SPELLED,
  closing: CLOSING,
  titles: TITLES,
  weekdays: WEEKDAYS,
  slashed: SLASHED,
  chat: CHAT,
  extremes: { max: 'massima', min: 'minima' },
  feminineNoun: '(?:a|tà)|[Vv]el\\.|[Tt]emp\\.|T',
  starters:
    'Il|I|Gli|Le|L|Un|Una|Uno|In|Non|Si|È|E|Ma|Dopo|Poi|Per|Con|A|Che|Lo|Mi|Ti|Ci|Se|Sì|Suo|Sua|Questo|Questa|Quello|Quella|Era|Sono|Già|Oggi|Ieri|Domani|Anche|Così|Come|Quando|Al|Alla|Nel|Nella|Tutto|Tutti|Inoltre|Senza|Secondo|Cosa|Ora|Allora|Più|Anzi|Perché|Dove|Qui|Nessuno|Mai|Sempre',
  phones: String.raw`(?:800|803|848|840|89\d|199)[ -]\d{3}[ -]?\d{3}|3\d{2} \d{3} \d{4}|3\d{2} \d{2} \d{2} \d{3}`,
  shortPhones: '(?!)',
  numeralNouns: 'trimestre|congresso|secolo|semestre|quadrimestre|turno|grado|guerra|edizione|sezione',
  point: 'punto',
  of: 'del',
  per: (unit) =>
    /^[aeiou]/.test(unit) ? `all’${unit}` : genderOf(unit) === 'feminine' ? `alla ${unit}` : `al ${unit}`,
  perUnits: PER_UNITS,
  scoreBefore: 'vinto|vince|vinse|batte|battut|perso|perse|pareggi|finit|per|sul|finisce|sconfitt|risultato|termin',
  scoreBehind: 'contro|ai danni|sul|al',
  scoreJoint: 'a',
  scoreMarks: '-–:',
  over: 'su',
  centuries: [
    ['[Ss]ec\\.', 'secolo'],
    ['[Ss]ecc\\.', 'secoli'],
  ],
  beforeNumbers: BEFORE_NUMBERS,
  telephone: 'tel|telefono|cell|cellulare|fisso|fax|verde|WhatsApp',
  codes: 'CAP|PIN|[Cc]odice|password|numero di conto|c\\/c|P\\. ?IVA|[Pp]artita IVA',
  feminineBefore: "(?:all|dall)['’]",
  articles: "il|la|lo|del|della|dello|dal|dalla|nel|nella|al|alla|sul|sulla|un|una|l'|dell'",
  noNouns: new Set(
    'di|e|ed|o|a|al|in|su|per|con|da|del|della|dei|dal|che|si|non|sono|ha|è|il|la|lo|le|gli|mila|milione|milioni|miliardo|miliardi|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre'.split(
      '|',
    ),
  ),
}

const TABLES = {
  perUnits: PER_UNITS,
  marks: MARKS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  acronyms: ACRONYMS,
  fileWords: { py: 'python' },
  plates: String.raw`[A-Z]{2}[ -]?\d{3}[ -]?[A-Z]{2}`,
}

const JOINTS = {
  groupMarks: ".\u00a0\u202f\u2009 ’'",
  minus: 'meno',
  plus: 'più',
  percent: 'percento',
  per: 'per',
  perMany: 'ogni',
  by: 'per',
  and: 'e ',
  amountAnd: '',
}

const between = betweenBy('a', 'e')
const NO_FROM =
  /(?:[(:–-]|(?:^|[\s(])(?:da|dal|dai|dalle|dalla|dall['’]|tra|fra|pp?\.|pag\S*|art\S*|cap\S*|versett[io]|ann[io]|numer[io]|nn?\.|or[ae]|stagione|l['’]|il|i|gli|la|le|nel|nei|nella|nelle|del|dei|della|delle|al|ai|alle|alla|sul|sui))\s?$/i

/** "Servono 3-5 giorni": "da tre a cinque giorni". */
function ranged(spoken: string, before: string, written: string, after: string): string {
  const isCount = /\p{L}|%/u.test(written) || /^ \p{Ll}{3}/u.test(after)
  return isCount && before !== '' && !/^\d{4}/.test(written) && !NO_FROM.test(before) && / a /.test(spoken)
    ? `da ${spoken}`
    : between(spoken, before)
}

/** "Fig. 1a" is no ordinal number. */
const FIGURE = /(?:fig|tab)\p{Ll}*\.? ?$/iu

/** The rules of Italian, in the order in which they are tried. */
export const italian = (): RuleBook => rulesOf(words())

function words(): Words {
  return {
    ...SHARED_WORDS,
    ...TABLES,
    ...JOINTS,
    locale: 'it',
    cardinal,
    ordinal: (value, hint = '', before = '') =>
      isDegree(value, hint, before) || (/^[ao]$/.test(hint) && FIGURE.test(before))
        ? ''
        : ordinal(value, /[aª^e]$/.test(hint) && hint !== 'ruler' ? 'feminine' : 'masculine'),
    ordinalHints: String.raw`(?<hint>º|ª|°|\^|esimo|esima|mo|ma|[ao](?= \p{L}))(?:(?![\p{L}\d])|(?<=[ºª°^])(?=\p{Lu}(?!\p{L})))`,
    decimal,
    year: (value) => cardinal(value),
    date: (day, month, year, before) => join(dayOf(day, before), monthOf(month), year === null ? '' : cardinal(year)),
    monthYear,
    months: MONTHS,
    dateJoint: ' (?:de[l] )?',
    time,
    timeWords: 'h|ore',
    fraction,
    magnitudes: [
      { pattern: 'mila', word: name('mila') },
      { pattern: 'milioni|milione|mln|mil|M(?=[ €$])', word: name('milione', 'milioni'), joint: 'di ' },
      { pattern: 'miliardi|miliardo|mld|mrd', word: name('miliardo', 'miliardi'), joint: 'di ' },
    ],
    currencies: currencyForms(CURRENCIES, name),
    units: ROMANCE.units,
    halfOf: (_around, gender) => (gender === undefined ? null : ROMANCE.half[gender]),
    partOf: ({ forms }) => `di ${forms.one}`,
    square: (unit, isPlural) => `${unit} quadrat${isPlural ? 'i' : 'o'}`,
    cubic: (unit, isPlural) => `${unit} cub${isPlural ? 'i' : 'o'}`,
    isSaid: (label) => KNOWN_LABELS.test(label),
    ranged,
    counted: (value, { forms, gender }) =>
      value === 1 && gender === 'feminine' && /^[aeiou]/.test(forms.one ?? '') ? `un’${forms.one}` : null,
    bare: beforeNoun(ROMANCE, oneOf),
    more: ownRules(),
  }
}

function ownRules(): Rule[] {
  return [
    saintRule(),
    ...lawRules(),
    ...romanceRules(ROMANCE),
    unitBeforeRule(),
    ...shortDateRules(
      'il|dal|al|del|nel|oggi|ieri|domani|entro il|fino al|dopo il|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica',
      (day, month, before) => `${dayOf(day, before)} ${monthOf(month)}`,
    ),
    ...elisionRules(),
    ...telephoneRules(),
    ...timeRules(),
    rule(
      'measure',
      'digit',
      String.raw`(?<number>\d{1,3}(?:\.\d{3})*|\d{1,9}) ha(?= (?:di|a|per) |[.,;:)]|$)`,
      ({ number = '' }) => `${cardinal(Number(number.replaceAll('.', '')))} ${number === '1' ? 'ettaro' : 'ettari'}`,
    ),
  ]
}

const timeRules = (): Rule[] => [
  // "alle 9 e 1/2".
  ...rulesAt(['digit', 'symbol'], 'time', '(?:1/2|½)(?![/ ]?\\d)', (_groups, { before }) =>
    /(?:\d| h) e $/.test(before) ? 'mezzo' : null,
  ),
  // "1 h 15 min".
  rule(
    'measure',
    'digit',
    String.raw`(?<hours>\d{1,3}) h(?: e)? (?<minutes>\d{1,2}) min(?!\p{L})`,
    ({ hours = '', minutes = '' }) =>
      `${hours === '1' ? 'un’ora' : `${cardinal(Number(hours))} ore`} e ${minutes === '1' ? 'un minuto' : `${cardinal(Number(minutes))} minuti`}`,
  ),
  rule(
    'time',
    'digit',
    String.raw`(?<hour>[01]?\d|2[0-3])[.,](?<minute>[0-5]\d)(?!\d|[.,]\d|[\s\u00a0]?(?:%|€|\p{L}{0,3}[€$]))`,
    ({ hour = '', minute = '' }, { before }) =>
      /(?:^|\s)(?:ore|alle|dalle|le|ore:)\s(?:\S{1,11}\s(?:e|alle)\s)?$/i.test(before)
        ? time(Number(hour), Number(minute), null)
        : null,
  ),
]

/** "S. Antonio", "S. Maria", "S. Stefano", "S.Francesco". */
const saintRule = (): Rule =>
  wordRule(
    'abbreviation',
    ['S'],
    String.raw`S\. ?(?=(?<name>\p{Lu}\p{Ll}{2,20})(?<more> e \p{Lu})?)|SS\. ?(?=\p{Lu}\p{Ll}{2})`,
    ({ name: saint }) => {
      if (saint === undefined) return 'Santi '
      if (/^[AEIOU]/.test(saint)) return 'Sant’'
      if (/a$/.test(saint) && !/^(?:Luca|Nicola|Battista|Mattia)$/.test(saint)) return 'Santa '
      return /^(?:S[^aeiou]|Z)/.test(saint) ? 'Santo ' : 'San '
    },
  )

/** "art. 14, c. 2": a part of an article. */
const lawRules = (): Rule[] => [
  wordRule('abbreviation', ['c'], String.raw`co?\. ?(?=\d)`, (_groups, { before }) =>
    /art\p{L}{0,6}\.? ?\d[^;]{0,12},? $/iu.test(before) ? 'comma ' : null,
  ),
  wordRule('abbreviation', ['c'], String.raw`c\.a\.`, (_groups, { before, after }) =>
    /\d ?V $/.test(before) ? 'corrente alternata' : /^ \p{Lu}/u.test(after) ? 'cortese attenzione' : null,
  ),
  // "3° p.", "x 4 persone".
  wordRule('abbreviation', ['p'], String.raw`p\.(?!\p{L}| ?\d)`, (_groups, around, match) =>
    /\d° $/.test(around.before) ? keepingSentenceEnd(match, around, 'piano') : null,
  ),
  wordRule('abbreviation', ['x'], String.raw`x(?= \d{1,2} \p{Ll}{2})`, (_groups, { before }) =>
    /\p{Ll}{3} $/u.test(before) ? 'per' : null,
  ),
]

/** "kg 5", as lists and recipes have it. */
const unitBeforeRule = (): Rule =>
  wordRule(
    'measure',
    Array.from('KkGglmch'),
    String.raw`(?<unit>[Kk]g|[Gg]r|lt|m[tlqm]|cm|cl|hl)\.? ?(?<number>\d{1,6})(?:,(?<places>\d{1,3}))?(?![\d.,:]\d|[\d/])`,
    ({ unit = '', number = '', places: digits }, { before }) => {
      const counted = ROMANCE.units[unit === 'Gr' ? 'gr' : unit]
      if (counted === undefined || /\d\s?$/.test(before)) return null
      return digits === undefined
        ? `${cardinal(Number(number), counted.gender)} ${number === '1' ? counted.forms.one : counted.forms.other}`
        : `${decimal(number, digits)} ${counted.forms.other}`
    },
  )

/** "1 ora" is said un'ora, which leaves no space. */
const elisionRules = (): Rule[] => [
  rule('cardinal', 'digit', String.raw`1 (?=(?<noun>[aeiouàèéìòùh]\p{Ll}{1,30}))`, ({ noun = '' }, { before }) =>
    genderOf(noun) === 'feminine' &&
    !/[\p{L}\p{N}][-.,/:]?$/u.test(before) &&
    !/^(?:e|ed|o|a|al|in|agosto|aprile|ottobre)$/.test(noun)
      ? 'un’'
      : null,
  ),
]

/** Mobile numbers, and those of a place behind its code. */
function telephoneRules(): Rule[] {
  const digits = (part: string): string =>
    Array.from(part.replaceAll(/\D/g, ''), (digit) => cardinal(Number(digit))).join(' ')
  return [
    rule(
      'telephone',
      'digit',
      String.raw`(?:3\d\d|0\d{1,3})[ ./-]\d{3,4}(?:[ -]?\d{2,4}){1,2}(?![\d.,]\d|\d)|3\d{9}(?!\d)`,
      (_groups, { before }, match) =>
        /\D/.test(match) || /(?:tel|cell|numero|chiam|whatsapp|al|il)\S*\s$/i.test(before)
          ? match.split(/\D+/).map(digits).join(', ')
          : null,
    ),
  ]
}
