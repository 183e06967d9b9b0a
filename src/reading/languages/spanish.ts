import { rulesOf } from '../european/european.ts'
import type { Words } from '../european/words.ts'
import {
  beforeNoun,
  betweenBy,
  countedForms,
  currencyForms,
  isDegree,
  type RomanceWords,
  SHARED_WORDS,
} from '../romance/words.ts'
import type { RuleBook } from '../scan.ts'
import {
  cardinal,
  date,
  decimal,
  fraction,
  genderOf,
  KNOWN_LABELS,
  MONTHS,
  monthYear,
  name,
  ordinal,
  time,
} from './spanish-numbers.ts'
import { spanishRules } from './spanish-rules.ts'
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
} from './spanish-words.ts'

const ROMANCE: RomanceWords = {
  cardinal,
  ordinal,
  thousands: (count) => cardinal(1000 * count),
  genderOf,
  largestOrdinal: 10,
  ordinalNouns: '[Ss]iglos?|[Aa]cto|[Ll]ibro|[Ee]scena|[Pp]arte',
  cardinalNouns:
    '[Cc]apítulo|[Tt]omo|[Vv]olumen|[Tt]ítulo|[Aa]nexo|[Ff]ase|[Tt]ipo|[Aa]rtículo|[Nn]ivel|[Gg]rupo|Rocky|Apolo|Fantasy|Unidad|[Cc]ategoría',
  rulers:
    'Vaticano|Felipe|Carlos|Alfonso|Fernando|Juan Pablo|Juan|Luis|Enrique|Napoleón|Pedro|Pío|Benedicto|Jorge|Eduardo|Guillermo|Federico|Pablo|Alejandro|Nicolás|Leopoldo|Ricardo|Jaime|Sancho|Ramsés|Inocencio|León|Gregorio|Urbano|Clemente|Sixto|Julio|Ramiro|Otón|Francisco|Víctor Manuel|Ptolomeo|Iván|Bonifacio',
  queens: 'María|maría|Isabel|Catalina|Cristina|Margarita|Cleopatra',
  and: 'y el|y|a|al|o',
  andHalf: 'y',
  half: { masculine: 'medio', feminine: 'media', neuter: 'medio' },
  fraction,
  partJoint: 'de',
  partName: (bottom, isPlural) => `${ordinal(bottom, 'feminine')}${isPlural ? 's' : ''}`,
  singular: (noun) => noun.replace(/(?<=[aeo])s$|(?<=[rnldz])es$/, ''),
  decimal,
  date,
  monthYear,
  months: MONTHS,
  units: countedForms(UNITS, name),
  inch: name('pulgada'),
  minuteOf: (value, before) => (/(?:^|\s)(?:el|al|del)\s$/i.test(before) ? `minuto ${cardinal(value)}` : null),
  quarters: { T: 'trimestre', S: 'semestre' },
  minus: 'menos',
  plus: 'más',
  times: 'por',
  divided: 'entre',
  by: 'por',
  to: 'a',
  or: 'o',
  bar: 'barra',
  each: 'cada',
  outOf: 'de',
  pressure: 'sobre',
  number: 'número',
  degrees: 'grados',
  acronyms: ACRONYMS,
  spelled: SPELLED,
  closing: CLOSING,
  titles: TITLES,
  weekdays: WEEKDAYS,
  slashed: SLASHED,
  chat: CHAT,
  extremes: { máx: 'máxima', mín: 'mínima' },
  feminineNoun: '(?:a|dad)|[Vv]el\\.|[Tt]emp\\.|T\\.ª',
  starters:
    'El|La|Los|Las|Un|Una|Unos|Unas|En|No|Se|Es|Y|Pero|Después|Luego|Por|Para|Con|A|Que|Lo|Le|Les|Me|Te|Nos|Si|Sí|Su|Sus|Este|Esta|Esto|Ese|Esa|Hay|Fue|Era|Son|Ya|Hoy|Ayer|Mañana|También|Así|Como|Cuando|Desde|Al|Todo|Todos|Además|Sin|Según|Tras|Mi|Tu|Qué|Cómo|Ahora|Entonces|Más|Aunque|Porque|Donde|Aquí|Allí|Nadie|Nunca|Siempre',
  phones: String.raw`\d{2} \d{3} \d{2} \d{2}|\d{3} \d{2} \d{2} \d{2}|\d{3} \d{3} \d{4}|\d{2} \d{4} \d{4}`,
  shortPhones: String.raw`[6-9]\d{2} \d{3} \d{3}`,
  numeralNouns:
    '\\p{Lu}\\p{Ll}+|trimestre|semestre|guerra|edición|congreso|república|cumbre|milenio|dinastía|legislatura',
  point: 'punto',
  of: 'de',
  per: (unit) => `por ${unit}`,
  perUnits: PER_UNITS,
  scoreBefore: 'gan|venci|perdi|derrot|empat|por|gole|marcador|resultado|termin|impus|cay',
  scoreBehind: 'ante|al|contra|sobre|frente',
  scoreJoint: 'a',
  scoreMarks: '-–:/',
  over: 'sobre',
  centuries: [
    ['[Ss]\\.', 'siglo'],
    ['[Ss]s\\.', 'siglos'],
  ],
  beforeNumbers: BEFORE_NUMBERS,
  telephone: 'tel|tel[ée]fono|teléf|tfno|móvil|móv|cel|celular|fax|WhatsApp',
  codes: '[Cc]ódigo postal|C\\.? ?P\\.?|PIN|clave|contraseña|DNI|NIF|NIE|CIF|RUT|CUIT|número de cuenta|código|c\\/c',
  feminineBefore: '(?:a|hasta|desde|de|sobre) la |las ',
  articles: 'el|la|los|las|del|al|un|una|su|de la|en la',
  noNouns: new Set(
    'de|y|e|a|en|o|u|por|para|con|que|al|del|el|la|lo|los|las|se|no|es|son|fue|era|sobre|como|más|menos|mil|millón|millones|billón|billones|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|entre|ya|si|sin|ha|han|hay|está|están'.split(
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
}

const JOINTS = {
  groupMarks: '. \u00a0\u202f\u2009',
  minus: 'menos',
  plus: 'más',
  percent: 'por ciento',
  per: 'por',
  perMany: 'cada',
  by: 'por',
  and: 'y ',
  amountAnd: '',
}

/** The rules of Spanish, in the order in which they are tried. */
export const spanish = (): RuleBook => rulesOf(words())

function words(): Words {
  return {
    ...SHARED_WORDS,
    ...TABLES,
    ...JOINTS,
    locale: 'es',
    cardinal,
    ordinal: (value, hint = '', before = '') =>
      isDegree(value, hint, before)
        ? ''
        : ordinal(value, /^\.?[ªar]*a$|ª/.test(hint) ? 'feminine' : 'masculine', /ᵉʳ|er/.test(hint)),
    ordinalHints: String.raw`(?<hint>\.?[ºª]|\.?ᵉʳ|\.?o|\.?er|ero|era|r[oa]|d[oa]|t[oa]|m[oa]|v[oa]|n[oa]|°)(?:(?![\p{L}\d])|(?<=[ºª])(?=\p{Lu}(?!\p{L})))(?:\.(?= \p{Ll}))?`,
    decimal,
    year: (value) => cardinal(value),
    date,
    monthYear,
    months: MONTHS,
    dateJoint: ' (?:de )?(?:del )?',
    time,
    timeWords: 'hs?|horas?',
    fraction,
    magnitudes: [
      { pattern: 'mil M(?=[ €$])', word: name('mil millones', 'mil millones'), joint: 'de ' },
      { pattern: 'mil', word: name('mil', 'mil') },
      { pattern: 'millones|millón|M(?=[ €$])|mill|MM', word: name('millón', 'millones'), joint: 'de ' },
      { pattern: 'billones|billón', word: name('billón', 'billones'), joint: 'de ' },
      { pattern: 'trillones|trillón', word: name('trillón', 'trillones'), joint: 'de ' },
    ],
    currencies: currencyForms(CURRENCIES, name),
    units: ROMANCE.units,
    square: (unit, isPlural) => `${unit} cuadrad${/a/.test(unit.slice(-2)) ? 'a' : 'o'}${isPlural ? 's' : ''}`,
    cubic: (unit, isPlural) => `${unit} cúbic${/a/.test(unit.slice(-2)) ? 'a' : 'o'}${isPlural ? 's' : ''}`,
    ranged: betweenBy('a', 'y'),
    plates: String.raw`\d{4}[ -]?[B-DF-HJ-NP-TV-Z]{3}`,
    isSaid: (label) => KNOWN_LABELS.test(label),
    bare: beforeNoun(ROMANCE, (value, _noun, gender) => cardinal(value, gender)),
    more: spanishRules(ROMANCE),
  }
}
