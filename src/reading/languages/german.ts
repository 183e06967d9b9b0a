import { rulesOf } from '../european/european.ts'
import { endsOf } from '../european/sentence-ends.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { spell } from '../number-rules.ts'
import { DASH, END, inAnyCase, keepingSentenceEnd, listRule, oneOf, romanValue, rule, wordRule } from '../rules.ts'
import type { Around, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  BEFORE_NUMBERS,
  CURRENCIES,
  DAYS,
  FEMININE,
  FRACTIONS,
  GREETINGS,
  MAGNITUDES,
  MARKS,
  MASCULINE,
  MONTH_FORMS,
  MONTHS,
  NEUTER,
  PER_UNITS,
  ROMAN_BEFORE,
  RULERS,
  SAID_AS_WORDS,
  SECTION_BEFORE,
  SENTENCE_STARTS,
  SYMBOLS,
  UNITS,
} from './german-words.ts'

/** Compounds are spoken in words, because eSpeak stresses long ones wrongly: "zwei tausend dreizehn". */
const say = (ruleSet: string, value: number): string => spell('de', ruleSet, value, ' ')

/** Before an ordinal number, perhaps with another one: "am 3. und 4. Mai". */
const AND_ANOTHER = String.raw`\s(?:\d{1,4}\.?,? ?(?:und|oder|bis|bis zum|–|-) ?)?$`
const WEAK_N = new RegExp(
  String.raw`\b(?:am|vom|zum|beim|im|ins|dem|den|des|zur|einem|einen|einer|eines|seit|ab|bis|nach|meinem|seinem|ihrem|diesem|jedem|unserem|keinem|spätestens|frühestens)${AND_ANOTHER}`,
  'i',
)
const WEAK_N_BEHIND_PREPOSITION = new RegExp(
  String.raw`\b(?:in|an|auf|bei|mit|nach|seit|von|zu|aus|unter|vor|während|trotz|wegen|ende|anfang|mitte|beginn|ab|bis zu) der${AND_ANOTHER}`,
  'i',
)
const WEAK_E = new RegExp(
  String.raw`\b(?:die|das|der|diese|dieser|dieses|jede|jeder|jedes|eine|keine|seine|ihre|meine|unsere)${AND_ANOTHER}`,
  'i',
)
const ADVERB =
  '(?:(?:rund|etwa|ca\\.|circa|knapp|nur|fast|genau|gut|mindestens|höchstens|maximal|weniger als|mehr als) )?'
const DATIVE_BEFORE = new RegExp(
  String.raw`(?<![\p{L}])(?:mit|nach|seit|von|zu|aus|bei|vor|in|binnen|ab|außer|gegenüber|samt|an|unter|jeweils in) ${ADVERB}$`,
  'iu',
)
const ACCUSATIVE_BEFORE = new RegExp(
  String.raw`(?<![\p{L}])(?:für|ohne|um|durch|gegen|pro|je|über|auf|bis|habe?n?|hast|hat|hatten?|gibt|gab|kauft?e?n?|brauch(?:t|e|en|te)|kostete?n?|dauerte?|erziel(?:t|te|ten)|nehmen|nimmt|Sie|bekam|bekommt|verlor|verliert|bezahlt?e?n?|zahlt?e?n?|enthält|machte?) ${ADVERB}$`,
  'iu',
)
/** "Er trug 1 Koffer": the object of a verb behind its subject, unless the verb has none. */
const OBJECT_BEFORE = new RegExp(
  String.raw`(?<!\p{L})(?:ich|du|er|sie|wir|ihr|man|wer|das|dies) (?!(?:bin|bist|ist|sind|seid|war|warst|waren|wart|wird|wurde|wurden|werde|werden|bleibt|blieb|heißt|scheint|fehlt|kommt|kam|folgt|steht|liegt) )\p{Ll}{2,} ${ADVERB}$`,
  'iu',
)
const MEASURED =
  /^[^.,;!?]{0,30}(?<!\p{L})(?:alt|lang|breit|hoch|tief|dick|weit|groß|schwer|entfernt|später|früher|zuvor|danach)(?!\p{L})/u
const DETERMINER = /\b(?:am|vom|zum|beim|im|dem|den|des|zur|der|die|das)\s$/i
const YEAR_BEFORE =
  /\b(?:Jahr|Jahre|Jahres|Jahren|seit|anno|Ende|Anfang|Mitte|Sommer|Herbst|Winter|Frühjahr|Frühling|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|©)\s$/
const COUNT_BEFORE =
  /\b(?:über|rund|etwa|ca\.|circa|fast|als|auf|insgesamt|nur|knapp|gut|Nr\.|Nummer|jeweils|je|zu)\s$/i

export const german = (): RuleBook => rulesOf(words())

/** The data of the language. */
const DATA = {
  months: MONTH_FORMS,
  magnitudes: MAGNITUDES,
  currencies: CURRENCIES,
  units: UNITS,
  perUnits: PER_UNITS,
  marks: MARKS,
  saidAsWords: SAID_AS_WORDS,
  addressWords: { gmail: 'g mail' },
  acronyms: ACRONYMS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  romanBefore: ROMAN_BEFORE,
  rulers: RULERS,
  sectionBefore: SECTION_BEFORE,
  sentenceEnders: new Set(Object.keys(ABBREVIATIONS)),
  beforeUnits: ['pro', 'je', 'per'],
}

const words = (): Words => ({
  ...DATA,
  locale: 'de',
  groupMarks: ".\u00a0\u202f\u2009 ’'",
  minus: 'minus',
  plus: 'plus',
  percent: 'Prozent',
  to: 'bis',
  against: 'zu',
  per: 'pro',
  by: 'mal',
  and: '',
  amountAnd: '',
  cardinal,
  ordinal,
  ordinalHints: String.raw`(?<hint>te[rsmnl]?|ste[rsmn]?)(?!\p{L})|\.(?=\s*$)`,
  decimal: (whole, places) =>
    `${cardinal(Number(whole))} Komma ${Array.from(places, (digit) => cardinal(Number(digit))).join(' ')}`,
  year,
  date,
  monthYear: (month, written) => `${MONTHS[month - 1]} ${year(written)}`,
  dateJoint: ' ?',
  time,
  timeMarks: '[:.]',
  timeWords: 'Uhr|h',
  fraction,
  halfOf,
  counted,
  square: (unit) => `Quadrat ${unit}`,
  cubic: (unit) => `Kubik ${unit}`,
  letter: (letter) => letter,
  country: (number) => cardinal(Number(number)),
  bare,
  sentenceStart,
  starters: oneOf(SENTENCE_STARTS),
  plates: String.raw`[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}[EH]?`,
  more: more(),
})

const more = (): Rule[] => [
  ...datesAndOrdinals(),
  ...rulers(),
  ...names(),
  ...compounds(),
  ...thousands(),
  ...sizes(),
  ...durations(),
  ...clockTimes(),
  ...shortDates(),
  ...counts(),
  ...shortWords(),
]

/** A noun may follow an abbreviation: "12 Std. Fahrt", but "12 Std. Dann kam er." */
const sentenceStart = `(?:${oneOf(SENTENCE_STARTS)})(?!\\p{L})`
const endsSentence = endsOf({ sentenceStart })

function cardinal(value: number, gender?: Gender): string {
  const said = say(gender === undefined ? 'spellout-numbering' : `spellout-cardinal-${gender}`, value)
  // "drei hundert eins Milliarden".
  return value > 1e8 ? said.replaceAll(/(?<=hundert |tausend )eine (?=\p{Lu}\p{Ll}+e?n)/gu, 'eins ') : said
}

const year = (value: number): string =>
  say(value >= 1100 && value < 2000 ? 'spellout-numbering-year' : 'spellout-numbering', value)

const QUEEN = /a$|[Kk]önigin|beth$|the$/

function ordinal(value: number, hint = '', before = ''): string {
  if (hint === 'ruler') return `${QUEEN.test(before) ? 'die' : 'der'} ${say('spellout-ordinal', value)}`
  // A period at the end of the text: "am 5.", but "im Jahr 1945." ends a sentence.
  if (hint === '' && before !== '' && !DETERMINER.test(before)) return ''
  const ending = /^s?te([rsmn]?)l?$/.exec(hint)?.[1]
  return ordinalWith(value, ending ?? endingOf(before, ''))
}

const ordinalWith = (value: number, ending: string): string =>
  say(ending === '' ? 'spellout-ordinal' : `spellout-ordinal-${ending}`, value)

/** The ending of an adjective by the words before it and the noun behind it. */
function endingOf(before: string, noun: string): string {
  if (WEAK_N.test(before) || WEAK_N_BEHIND_PREPOSITION.test(before)) return 'n'
  if (WEAK_E.test(before)) return ''
  if (NEUTER.test(noun)) return 's'
  return FEMININE.test(noun) ? '' : 'r'
}

function date(day: number, month: number, written: number | null, before: string): string {
  const isBehindWeekday =
    /(?<!\p{L})(?:am|den|dem|vom|zum|für|bis|ab|seit)\s[^.]{0,20}(?:tag|woch|abend|Mo|Di|Mi|Do|Fr|Sa|So)\.?,?\s$/iu.test(
      before,
    )
  const ending = isBehindWeekday ? 'n' : endingOf(before, '')
  return `${ordinalWith(day, ending)} ${MONTHS[month - 1]}${written === null ? '' : ` ${year(written)}`}`
}

function time(hour: number, minute: number, second: number | null): string {
  const hours = `${hour === 1 ? 'ein' : cardinal(hour)} Uhr`
  if (second === null) return minute === 0 ? hours : `${hours} ${cardinal(minute)}`
  const part = (value: number, name: string) => `${cardinal(value, 'feminine')} ${name}${value === 1 ? '' : 'n'}`
  return `${hours} ${part(minute, 'Minute')} ${part(second, 'Sekunde')}`
}

function fraction(top: number, bottom: number): string {
  const number = cardinal(top, 'neuter')
  if (top === bottom) return `${cardinal(top)} von ${cardinal(bottom)}`
  if (top === 24 && bottom === 7) return `${cardinal(top)} ${cardinal(bottom)}`
  if ((top > 30 && top > bottom) || (bottom > 1900 && bottom < 2100))
    return `${cardinal(top)} Schrägstrich ${cardinal(bottom)}`
  if (bottom < 2) return `${number} durch ${cardinal(bottom)}`
  if (bottom === 2 && top > 1) return `${number} halbe`
  return `${number} ${FRACTIONS[bottom] ?? `${say('spellout-ordinal', bottom)}l`}`
}

type Case = 'nominative' | 'accusative' | 'dative'
const ONE: Readonly<Record<Case, Readonly<Record<Gender, string>>>> = {
  nominative: { masculine: 'ein', feminine: 'eine', neuter: 'ein' },
  accusative: { masculine: 'einen', feminine: 'eine', neuter: 'ein' },
  dative: { masculine: 'einem', feminine: 'einer', neuter: 'einem' },
}
const HALF: typeof ONE = {
  nominative: { masculine: 'ein halber', feminine: 'eine halbe', neuter: 'ein halbes' },
  accusative: { masculine: 'einen halben', feminine: 'eine halbe', neuter: 'ein halbes' },
  dative: { masculine: 'einem halben', feminine: 'einer halben', neuter: 'einem halben' },
}

function caseOf({ before, after }: Around): Case {
  if (DATIVE_BEFORE.test(before)) return 'dative'
  const isObject = ACCUSATIVE_BEFORE.test(before) || OBJECT_BEFORE.test(before) || MEASURED.test(after)
  return isObject ? 'accusative' : 'nominative'
}

/** "mit einem Euro", "nach einer Stunde", "einen Monat alt". */
const one = (gender: Gender, around: Around): string => ONE[caseOf(around)][gender]

const genderOf = (noun: string): Gender | null => {
  if (NEUTER.test(noun)) return 'neuter'
  return FEMININE.test(noun) ? 'feminine' : MASCULINE.test(noun) ? 'masculine' : null
}

/** "mit einem Euro", "seit drei Monaten". */
function counted(value: number, thing: Counted, around: Around): string | null {
  if (value === 1) return `${one(thing.gender, around)} ${thing.forms.one}`
  const isDative = /[^i]e$/.test(thing.forms.other) && DATIVE_BEFORE.test(around.before)
  return isDative ? `${cardinal(value)} ${thing.forms.other}n` : null
}

/** "einen halben Liter", "eine halbe Stunde", "die Hälfte der Stimmen". */
function halfOf(around: Around, unit?: Gender, name?: string): string | null {
  // Feet and inches by themselves have no ending: "ein halb Zoll".
  if (around.before + around.after === '' && /^(?:Fuß|Zoll)$/.test(name ?? '')) return 'ein halb'
  if (unit === undefined && /^ (?:der|des) /.test(around.after)) return 'die Hälfte'
  const gender = unit ?? genderOf(around.after.slice(1))
  return gender === null ? null : HALF[caseOf(around)][gender]
}

/** "1 neue Frage": the ending of an adjective knows the gender. */
const ADJECTIVE = /^ [a-zäöüß]{3,}(?<ending>es?|en|er|em) (?=\p{Lu})/u

/** "Artikel 1 Absatz 2", "Platz 1". */
const NUMBERED =
  /(?:Artikel|Art\.|Absatz|Abs\.|Satz|§|Nr\.|Nummer|Platz|Kapitel|Kap\.|Seite|S\.|Teil|Band|Bd\.|Stufe|Gleis|Linie|Klasse|Phase|Version|Typ|Abb\.|Tab\.|Note|Zimmer|Haus|Halle|Raum|Tag|Woche|Runde|Gruppe|Formel|Rang|Liga|Schritt|Punkt) $/

/** Before a noun or its adjective. */
function oneBefore(around: Around): string | null {
  if (NUMBERED.test(around.before)) return null
  const ending = ADJECTIVE.exec(around.after)?.groups?.ending
  const noun = around.after.replace(ADJECTIVE, ' ').slice(1)
  if (!/^\p{Lu}\p{Ll}+(?!\p{L})/u.test(noun)) return null
  const gender = genderOf(noun) ?? (ending === 'e' ? 'feminine' : ending === 'es' ? 'neuter' : 'masculine')
  const isUnsure = genderOf(noun) === null && ending === undefined && !DATIVE_BEFORE.test(around.before)
  return isUnsure ? 'ein' : one(gender, around)
}

/** "1 Uhr", "1 Frau", "seit 1999". */
function bare(value: number, { before, after }: Around, written: string): string | null {
  if (value === 1 && /^ Uhr/.test(after)) return 'ein'
  if (value === 1) return oneBefore({ before, after })
  if (value % 100 === 1 && value < 1000 && /^ \p{Lu}\p{Ll}/u.test(after))
    return cardinal(value, FEMININE.test(after.slice(1)) ? 'feminine' : 'neuter')
  const isYearLike = /^\d{4}$/.test(written) && value >= 1100 && value < 2000
  const isCounted = /^ (?:\p{Lu}\p{Ll}{2,}(?:e|en|er|n|s)\b|Euro|Prozent|Meter|Mann|Kilometer)/u.test(after)
  const isYear = YEAR_BEFORE.test(before) || (!COUNT_BEFORE.test(before) && !isCounted && before + after !== '')
  return isYearLike && isYear ? year(value) : null
}

function datesAndOrdinals(): Rule[] {
  const months = oneOf(MONTH_FORMS.flat())
  const starts = oneOf(SENTENCE_STARTS)
  return [
    // "3.–5. Mai".
    rule(
      'date',
      'digit',
      String.raw`(?<from>\d{1,2})\. ?${DASH} ?(?<to>\d{1,2})\. ?(?=(?:${months})(?!\p{L}))`,
      ({ from, to }, { before }) => {
        const ending = endingOf(before, '')
        return `${ordinalWith(Number(from), ending)} bis ${ordinalWith(Number(to), ending)} `
      },
    ),
    // "am 2.3. und 5.4."
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})\.(?<month>0?[1-9]|1[0-2])\.(?!\d)`,
      ({ day, month }, { before, after }, match) => {
        if (Number(day) < 1 || Number(day) > 31) return null
        return {
          spoken: date(Number(day), Number(month), null, before),
          length: match.length - (/^\s*$/.test(after) ? 1 : 0),
        }
      },
    ),
    // "der 3. Mann", "am 3. und 4. Mai", "im 21. Jahrhundert".
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,3})\.(?= (?:und|oder|bis)(?: zum)? \d{1,3}\.| (?!(?:${months})(?!\p{L})|(?:${starts})(?!\p{L}))(?:\p{Lu}\p{Ll}|(?:OG|UG|FC|SC|SV|TV|FSV|EU|UN)(?!\p{L}))|:|,? \d{1,3}\. \p{Lu}| (?:kleine|große|neue|deutsche|internationale)[nrs]? )`,
      ({ number }, { before, after }) =>
        ordinalWith(Number(number), endingOf(before, after.replace(/^ (?:(?:und|oder|bis|bis zum) \d{1,3}\. )?/, ''))),
    ),
    rule('ordinal', 'digit', String.raw`(?<number>\d{1,3})\.(?= \p{L})`, ({ number }, { before }) =>
      DETERMINER.test(before) || / als $/.test(before) ? ordinalWith(Number(number), endingOf(before, '')) : null,
    ),
  ]
}

/** "unter Wilhelm II.", "gegen Karl XII.", "Ludwigs XIV.". */
function rulers(): Rule[] {
  return [
    wordRule(
      'roman',
      Array.from('ABCEFGHIJKLMNOPRW'),
      String.raw`(?<name>${RULERS})(?<genitive>s?) (?<numeral>[IVX]{1,7})(?![\p{L}\p{N}])\.?`,
      (groups, around, match) => {
        const { name = '', genitive = '', numeral = '' } = groups
        const value = romanValue(numeral)
        const isDative =
          /(?<!\p{L})(?:unter|von|mit|bei|nach|zu|seit|aus|vor|an) (?:(?:König|Kaiser|Papst)(?:in)? )?$/iu.test(
            around.before,
          )
        const isAccusative = /(?<!\p{L})(?:gegen|für|durch|ohne|um|über) (?:(?:König|Kaiser|Papst)(?:in)? )?$/iu.test(
          around.before,
        )
        if (value === null || (genitive === '' && !isDative && !isAccusative)) return null
        const isQueen = QUEEN.test(name)
        const article =
          genitive !== '' ? (isQueen ? 'der' : 'des') : isDative ? (isQueen ? 'der' : 'dem') : isQueen ? 'die' : 'den'
        const ending = article === 'die' ? '' : 'n'
        return keepingSentenceEnd(
          match,
          around,
          `${name}${genitive} ${article} ${ordinalWith(value, ending)}`,
          endsSentence,
        )
      },
    ),
  ]
}

const DAY = `(?:${oneOf(Object.keys(DAYS))})`
const PAIRED_BEHIND = new RegExp(
  `^(?:(?: und |, ?| & |/)${DAY}(?!\\p{L})|,? \\d{1,2}(?:[:.]\\d\\d)?(?: ?[-–] ?\\d{1,2}(?:[:.]\\d\\d)?)? ?(?:Uhr|h)|,? \\d{1,2}\\.(?: ?\\d{1,2}\\.| \\p{Lu}))`,
  'u',
)
const PAIRED_BEFORE = new RegExp(`(?<!\\p{L})${DAY}(?: und |, ?| & |/)$`, 'u')

function names(): Rule[] {
  const days = Object.keys(DAYS)
  return [
    // "II. Weltkrieg", "Karl V.".
    wordRule(
      'roman',
      Array.from('IVX'),
      String.raw`(?<numeral>[IVX]{1,7})\.(?= \p{Lu}\p{Ll})`,
      ({ numeral = '' }, { before, after }) => {
        const value = romanValue(numeral)
        return value === null || (/\p{L} $/u.test(before) && !DETERMINER.test(before))
          ? null
          : ordinalWith(value, endingOf(before, after.slice(1)))
      },
    ),
    // "die 80er Jahre", "1990er", "25-jährig".
    rule(
      'date',
      'digit',
      String.raw`(?<number>\d{2,4})-?er(?<ending>n?)(?![\p{L}\d])`,
      ({ number = '', ending = '' }) => `${year(Number(number))}er${ending}`,
    ),
    // "Hauptstr. 5".
    rule('abbreviation', 'letter', String.raw`(?<name>\p{L}{2,30}-?)str\.`, ({ name = '' }) => `${name}straße`),
    // "Di und Do von 8 bis 12 Uhr", "Sa 10 Uhr".
    listRule('date', days, String.raw`(?<day>${oneOf(days)})(?![\p{L}.])`, ({ day = '' }, { before, after }) =>
      PAIRED_BEHIND.test(after) || PAIRED_BEFORE.test(before) ? (DAYS[day] as string) : null,
    ),
    listRule(
      'date',
      days,
      String.raw`(?<from>${oneOf(days)})\.? ?${DASH} ?(?<to>${oneOf(days)})(?!\p{L})\.?`,
      ({ from = '', to = '' }) => `${DAYS[from]} bis ${DAYS[to]}`,
    ),
  ]
}

function compounds(): Rule[] {
  return [
    // "25-jährig", "1-malig".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,3})-(?<rest>(?:jährig|tägig|stündig|minütig|wöchig|monatig|malig|fach|mal|köpfig|teilig|stellig)[a-z]*)`,
      ({ number, rest }) => `${cardinal(Number(number), 'masculine')}${rest}`,
    ),
    // "3x täglich", "3× am Tag".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,3}) ?[x×](?= \p{L}|[,.;!?)](?!\d)|\s*$)`,
      ({ number }) => `${cardinal(Number(number), 'neuter')}mal`,
    ),
    // "1-2 Helfer", "1 oder 2 Tage".
    rule(
      'range',
      'digit',
      String.raw`1(?<joint> ?${DASH} ?| bis | oder )(?=\d{1,3}(?:,\d)? ?\p{L})`,
      ({ joint = '' }, { before }) =>
        /(?:vo[nm] |[\d.,:/-])$/.test(before) ? null : `ein ${/\p{L}/u.test(joint) ? joint.trim() : 'bis'} `,
    ),
    // "um 18h".
    rule('time', 'digit', String.raw`(?<hour>\d{1,2}) ?h(?![\p{L}\d/])`, ({ hour }, { before }) =>
      Number(hour) < 25 && /(?<!\p{L})(?:um|ab|bis|gegen|von)\s$/iu.test(before) ? time(Number(hour), 0, null) : null,
    ),
    // "* 1970".
    rule('symbol', 'symbol', String.raw`\* ?(?=\d)`, () => 'geboren'),
    rule('telephone', 'digit', String.raw`\d{5}(?= \p{Lu}\p{Ll})`, (_groups, { before }, match) =>
      /(?:, |D-|^)$/.test(before) || (/\bin $/.test(before) && !match.endsWith('00')) ? digitsOf(match) : null,
    ),
    listRule('abbreviation', ['Fr.'], String.raw`Fr\.(?=,|\s*\d|\s*$|\s*[-–])`, () => 'Freitag'),
  ]
}

function thousands(): Rule[] {
  return [
    // "5k Follower", "der 10K-Lauf".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,3})k(?= \p{Lu}\p{Ll})`,
      ({ number }) => `${cardinal(Number(number))} tausend`,
    ),
    rule(
      'serial',
      'digit',
      String.raw`(?<number>\d{1,3})K(?=[ -]\p{Lu}\p{Ll})`,
      ({ number }) => `${cardinal(Number(number))} K`,
    ),
  ]
}

/** A unit within a word: "100-m-Lauf", and inches. */
function sizes(): Rule[] {
  const units = oneOf(Object.keys(UNITS).filter((unit) => /^[\p{L}%€°]+$/u.test(unit)))
  return [
    rule(
      'measure',
      'digit',
      String.raw`(?<number>\d{1,5}(?:,\d{1,2})?)-(?<unit>${units})-(?=\p{L})`,
      ({ number = '', unit = '' }) => {
        const [whole, places] = number.split(',')
        const said = cardinal(Number(whole))
        const decimals = places === undefined ? '' : ` Komma ${digitsOf(places)}`
        return `${said}${decimals} ${UNITS[unit]?.forms.one}-`
      },
    ),
    rule('measure', 'digit', String.raw`(?<number>\d{1,3})["”″](?=[-\s,.;)]|$)`, ({ number }, { before }) =>
      /["„“]/.test(before) ? null : `${cardinal(Number(number))} Zoll`,
    ),
    // "1A".
    rule('serial', 'digit', String.raw`1[aA](?![\p{L}\d])`, () => 'eins a'),
  ]
}

const digitsOf = (number: string): string => Array.from(number, (digit) => cardinal(Number(digit))).join(' ')

function durations(): Rule[] {
  const part = (value: string, name: string) =>
    `${cardinal(Number(value), 'feminine')} ${name}${Number(value) === 1 ? '' : 'n'}`
  return [
    // "2:05 Std.", "3:42,8 Min.".
    rule(
      'time',
      'digit',
      String.raw`(?<hours>\d{1,2}):(?<minutes>[0-5]\d) ?(?:Std\.|Stunden|h(?![\p{L}\d]))`,
      ({ hours = '', minutes = '' }, around, match) =>
        keepingSentenceEnd(match, around, `${part(hours, 'Stunde')} ${part(minutes, 'Minute')}`, endsSentence),
    ),
    rule(
      'time',
      'digit',
      String.raw`(?<minutes>\d{1,3}):(?<seconds>[0-5]\d)(?:,(?<places>\d{1,3}))? ?(?:Min\.|Minuten|min(?![\p{L}\d]))`,
      ({ minutes = '', seconds = '', places }, around, match) => {
        const decimals = places === undefined ? '' : ` Komma ${digitsOf(places)}`
        const said = `${cardinal(Number(seconds), 'feminine')}${decimals} ${seconds === '01' ? 'Sekunde' : 'Sekunden'}`
        return keepingSentenceEnd(match, around, `${part(minutes, 'Minute')} ${said}`, endsSentence)
      },
    ),
  ]
}

const ZONES = inAnyCase(['mez', 'mesz', 'utc', 'gmt', 'cet', 'cest', 'est', 'edt', 'pst', 'pdt'])

function clockTimes(): Rule[] {
  return [
    // "14 Uhr est": a zone, in small letters too.
    listRule('time', ZONES, `(?:${oneOf(ZONES)})${END}`, (_groups, { before }, match) =>
      /\d (?:Uhr|h) $/.test(before) ? Array.from(match.toLowerCase()).join(' ') : null,
    ),
    // "Einlass ab 18.30".
    rule(
      'time',
      'digit',
      String.raw`(?<hour>[01]?\d|2[0-3])\.(?<minute>[0-5]\d)(?=\s*$|[,;!?)]|\.(?:\s|$)| (?:und|bis|oder|los|an) )`,
      ({ hour, minute }, { before }) =>
        /(?<!\p{L})(?:um|ab|bis|gegen|von|Beginn|Einlass|Start|Ende|Abfahrt|Ankunft):? $/iu.test(before)
          ? time(Number(hour), Number(minute), null)
          : null,
    ),
    // "gegen 1/2 3".
    rule('time', 'digit', String.raw`1\/2 (?<hour>\d{1,2})(?!\d|[.,:]\d)`, ({ hour }, { before }) =>
      /(?<!\p{L})(?:gegen|um|bis|ab|so) $/iu.test(before) ? `halb ${cardinal(Number(hour))}` : null,
    ),
    // "7. 3. 1965".
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})\. (?<month>0?[1-9]|1[0-2])\.(?: (?<year>\d{4})(?!\d))?`,
      ({ day, month, year: written }, { before, after }, match) => {
        if (Number(day) < 1 || Number(day) > 31 || (written === undefined && !DETERMINER.test(before))) return null
        const isLast = written === undefined && /^\s*$/.test(after)
        const spoken = date(Number(day), Number(month), written === undefined ? null : Number(written), before)
        return { spoken, length: match.length - (isLast ? 1 : 0) }
      },
    ),
  ]
}

/** "2.3" by itself, and "am 2.3 um zehn": German writes decimals with a comma. */
const shortDates = (): Rule[] => [
  rule(
    'date',
    'digit',
    String.raw`(?<day>0?[1-9]|[12]\d|3[01])\.(?<month>0?[1-9]|1[0-2])(?![\d\p{L}%€]|[.,:/-]\d| ?(?:Uhr|h|%|€|Mio|Mrd|Millionen|Milliarden)(?!\p{L}))`,
    ({ day, month }, { before, after }) =>
      before + after === '' || /(?:^|\s)(?:am|vom|zum|den|seit dem|ab dem)\s$/i.test(before)
        ? date(Number(day), Number(month), null, before)
        : null,
  ),
]

function counts(): Rule[] {
  return [
    // "08/15".
    rule(
      'serial',
      'digit',
      String.raw`0(?<a>\d)\/(?<b>\d\d)(?!\d|[/.]\d)`,
      ({ a, b }) => `null ${cardinal(Number(a))} ${cardinal(Number(b))}`,
    ),
    // "Tel. 08 00/1 23 45 67".
    rule('telephone', 'digit', String.raw`0\d(?:[ /]{1,3}\d{1,3}){3,6}(?!\d)`, (_groups, { before }, match) =>
      /(?:Tel\.|Telefon|Fax|Mobil|Hotline|Nummer|Handy|Nr\.):? $/.test(before)
        ? match.split(/\D+/).map(digitsOf).join(', ')
        : null,
    ),
    // "in der 90.+3 Minute".
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,3})\. ?\+ ?(?=\d)`,
      ({ number }, { before }) => `${ordinalWith(Number(number), endingOf(before, ''))} plus `,
    ),
    rule('telephone', 'digit', String.raw`(?:11[0257]|116 ?117)(?!\d|[.,:]\d)`, (_groups, { before, after }, match) =>
      /(?:Notruf|Polizei|Feuerwehr|Rufnummer|Nummer|Tel\.|Telefon):? (?:unter )?(?:der |die )?$/.test(before) ||
      /^ (?:wählen|anrufen|rufen)/.test(after) ||
      /11[02] (?:oder|und) $/.test(before)
        ? digitsOf(match.replace(' ', ''))
        : null,
    ),
  ]
}

function shortWords(): Rule[] {
  return [
    // "Danke u. liebe Grüße".
    listRule('abbreviation', ['u.'], String.raw`u\.(?= (?:\p{L}{2}|\d))`, () => 'und'),
    // At the end of a message.
    listRule(
      'abbreviation',
      Object.keys(GREETINGS),
      String.raw`(?<words>${oneOf(Object.keys(GREETINGS))})(?=[,!]?\s{0,2}(?:\p{Lu}\p{L}{1,20}[.!]?)?\s*$)`,
      ({ words: name = '' }) => GREETINGS[name] ?? null,
    ),
    // "S. 5 f.".
    wordRule('abbreviation', ['f.'], String.raw`f\.(?!\p{L})`, (_groups, around, match) =>
      /\d $/.test(around.before) ? keepingSentenceEnd(match, around, 'folgende', endsSentence) : null,
    ),
  ]
}
