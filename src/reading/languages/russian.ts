import { rulesOf } from '../european/european.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { LARGEST_SPELLED, spell } from '../number-rules.ts'
import { keepingSentenceEnd, oneOf, romanValue, rule, wordRule } from '../rules.ts'
import type { Around, Read, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  ADDRESS_WORDS,
  BEFORE_NUMBERS,
  CURRENCIES,
  counted,
  DECIMAL_PARTS,
  ENDINGS,
  LETTERS,
  MAGNITUDES,
  MARKS,
  MONTH_FORMS,
  MONTH_NAMES,
  MONTHS,
  PER_UNITS,
  ROMAN_BEFORE,
  RULERS,
  RULERS_OBLIQUE,
  SYMBOLS,
  UNITS,
} from './russian-words.ts'

type Case = 'genitive' | 'dative' | 'instrumental' | 'prepositional'

const START = '(?:^|[\\s(«„])'
const GENITIVE_BEFORE = new RegExp(
  `${START}(?:от|до|из|из-за|без|для|около|после|более|менее|больше|меньше|свыше|порядка|старше|моложе|выше|ниже|кроме|против|вокруг|у|с|со|течение|начала|конца|середины|количестве|размере|осенью|весной|летом|зимой|начале|конце|середине)\\s$`,
  'i',
)
const DATIVE_BEFORE = new RegExp(`${START}(?:к|ко|благодаря|равно|равна)\\s$`, 'i')
const PREPOSITIONAL_BEFORE = new RegExp(`${START}(?:в|во|на|о|об|обо|при)\\s$`, 'i')
const AT_YEAR = new RegExp(`${START}(?:в|во|о|об|при)\\s$`, 'i')
const ACCUSATIVE_BEFORE = new RegExp(`${START}(?:на|в|во|за|через|по|про)\\s$`, 'i')
const HOUR = counted(['м', 'час', 'часа', 'часов'])
const MINUTE = counted(['ж', 'минута', 'минуты', 'минут'])
const SECOND = counted(['ж', 'секунда', 'секунды', 'секунд'])

export const russian = (): RuleBook => {
  const { rules } = rulesOf(words())
  return { rules: rules.map((one) => ({ ...one, read: inAccusative(one.read) })) }
}

/** "на 1,2 %": "на одну целую две десятых процента". */
const inAccusative =
  (read: Read): Read =>
  (groups, around, match) => {
    const answer = read(groups, around, match)
    if (answer === null || !ACCUSATIVE_BEFORE.test(around.before)) return answer
    const change = (spoken: string) =>
      spoken
        .replace(/(?<![а-я])одна целая(?= )/, 'одну целую')
        .replace(/(?<=цел(?:ую|ых) (?:[а-я]+ )*)одна (десят|сот|тысячн)ая/, 'одну $1ую')
    return typeof answer === 'string' ? change(answer) : { ...answer, spoken: change(answer.spoken) }
  }

/** The data of the language. */
const DATA = {
  months: MONTH_FORMS,
  magnitudes: MAGNITUDES,
  currencies: CURRENCIES,
  units: UNITS,
  perUnits: PER_UNITS,
  marks: MARKS,
  saidAsWords: new Set<string>(),
  addressWords: ADDRESS_WORDS,
  acronyms: ACRONYMS,
  symbols: SYMBOLS,
  abbreviations: ABBREVIATIONS,
  beforeNumbers: BEFORE_NUMBERS,
  romanBefore: ROMAN_BEFORE,
  rulers: RULERS,
}

const words = (): Words => ({
  ...DATA,
  locale: 'ru',
  groupMarks: ' \u00a0\u202f\u2009.',
  minus: 'минус',
  plus: 'плюс',
  percent: 'процентов',
  to: '–',
  against: '–',
  per: 'в',
  by: 'на',
  and: 'и ',
  amountAnd: '',
  cardinal,
  ordinal,
  ordinalHints: String.raw`-(?<hint>[а-яё]{1,3})(?![\p{L}\d])`,
  decimal,
  year: (value) => ordinalForm(value, 'masculine'),
  date,
  monthYear: (month, year) => `${MONTH_NAMES[month - 1]} ${ordinalForm(year, 'masculine-genitive')}`,
  dateJoint: ' ',
  time,
  timeMarks: '[:.]',
  timeWords: 'ч\\.?',
  fraction,
  partOf: ({ forms }) => forms.other,
  square: (unit) => `${adjectiveFor(unit, 'квадратн')} ${unit}`,
  cubic: (unit) => `${adjectiveFor(unit, 'кубическ')} ${unit}`,
  letter: (letter) => LETTERS[letter.toLowerCase()] ?? letter,
  phone,
  counted: countedIn,
  bare,
  more: more(),
})

function cardinal(value: number, gender: Gender = 'masculine'): string {
  return spell('ru', `spellout-cardinal-${gender}`, value)
}

const cardinalIn = (value: number, gender: Gender, grammaticalCase: Case): string =>
  spell('ru', `spellout-cardinal-${gender}-${grammaticalCase}`, value)

/** "тысяча девятьсот", not "одна тысяча девятьсот". */
const ordinalForm = (value: number, form: string): string =>
  spell('ru', `spellout-ordinal-${form}`, value).replace(/^одна тысяча/, 'тысяча')

function ordinal(value: number, hint = '', before = ''): string {
  if (hint === 'ruler') return ordinalForm(value, /а$/.test(before) ? 'feminine' : 'masculine')
  // "4-х", "5-ти", "3-мя" are cardinal numbers.
  if (value <= 4 && /^(?:х|ух|ёх|ех)$/.test(hint)) return cardinalIn(value, 'masculine', 'genitive')
  if (/^(?:ти|и|ми)$/.test(hint) && value < 100) return cardinalIn(value, 'masculine', 'genitive')
  if (/^(?:мя|умя|емя)$/.test(hint)) return cardinalIn(value, 'masculine', 'instrumental')
  const form = ENDINGS[hint]
  return form === undefined ? '' : ordinalForm(value, form)
}

const isOne = (value: number): boolean => value % 10 === 1 && value % 100 !== 11

function decimal(whole: string, places: string): string {
  const names = DECIMAL_PARTS[places.length]
  if (names === undefined) return `${cardinal(Number(whole))} запятая ${digits(places)}`
  const [before, after] = [Number(whole), Number(places)]
  const wholes = `${cardinal(before, 'feminine')} ${isOne(before) ? 'целая' : 'целых'}`
  return `${wholes} ${cardinal(after, 'feminine')} ${names[isOne(after) ? 0 : 1]}`
}

const digits = (number: string): string => Array.from(number, (digit) => cardinal(Number(digit))).join(' ')

/** A day is in the genitive in a sentence, in the dative behind "к", and in the nominative by itself. */
function date(day: number, month: number, year: number | null, before: string, after: string): string {
  const isAlone = before.trim() === '' && /^[^\p{Ll}]*$/u.test(after)
  const isNominative = isAlone || /(?:^|\s)(?:на|по|за|—|–)\s$/i.test(before) || /^ [—–-]/.test(after)
  const form = DATIVE_BEFORE.test(before) ? 'neuter-dative' : isNominative ? 'neuter' : 'neuter-genitive'
  const yearWords = year === null ? '' : ` ${ordinalForm(year, 'masculine-genitive')}`
  return `${ordinalForm(day, form)} ${MONTHS[month - 1]}${yearWords}`
}

/** "с девяти часов до восемнадцати часов тридцати минут", "к десяти часам". */
function time(hour: number, minute: number, second: number | null, before: string): string {
  const parts: (readonly [number, Counted])[] = [
    [hour, HOUR],
    ...(minute === 0 && second === null ? [] : ([[minute, MINUTE]] as const)),
    ...(second === null ? [] : ([[second, SECOND]] as const)),
  ]
  const grammaticalCase: Case | null = GENITIVE_BEFORE.test(before)
    ? 'genitive'
    : DATIVE_BEFORE.test(before)
      ? 'dative'
      : null
  return parts.map(([value, thing]) => countIn(value, thing, grammaticalCase)).join(' ')
}

/** A count in a case: "около пяти рублей", "при ста градусах Цельсия". */
function countIn(value: number, { gender, forms }: Counted, grammaticalCase: Case | null): string {
  if (grammaticalCase === null) return `${cardinal(value, gender)} ${forms[plurals().select(value)] ?? forms.other}`
  const number = cardinalIn(value, gender, grammaticalCase)
  if (grammaticalCase === 'genitive') return `${number} ${isOne(value) ? forms.few : forms.many}`
  return `${number} ${oblique(forms.one ?? '', grammaticalCase, isOne(value))}`
}

const OBLIQUE = {
  dative: { masculine: 'у', feminine: 'е', many: 'ам' },
  instrumental: { masculine: 'ом', feminine: 'ой', many: 'ами' },
  prepositional: { masculine: 'е', feminine: 'е', many: 'ах' },
} as const

/** Of a regular noun, perhaps with a name behind it: "градус Цельсия". */
function oblique(noun: string, grammaticalCase: keyof typeof OBLIQUE, isSingular: boolean): string {
  const [first = '', ...rest] = noun.split(' ')
  if (/[оие]$/.test(first)) return noun
  const endings = OBLIQUE[grammaticalCase]
  const ending = isSingular ? endings[/а$/.test(first) ? 'feminine' : 'masculine'] : endings.many
  const soft = first.endsWith('ь') ? ending.replace(/^а/, 'я').replace(/^у/, 'ю').replace(/^о/, 'е') : ending
  return [`${first.replace(/[аь]$/, '')}${soft}`, ...rest].join(' ')
}

let pluralRules: Intl.PluralRules | null = null
function plurals(): Intl.PluralRules {
  pluralRules ??= new Intl.PluralRules('ru')
  return pluralRules
}

function fraction(top: number, bottom: number): string {
  if (bottom < 2) return `${cardinal(top)} на ${cardinal(bottom)}`
  const part =
    bottom === 2 ? `втор${isOne(top) ? 'ая' : 'ых'}` : ordinalForm(bottom, isOne(top) ? 'feminine' : 'plural-genitive')
  return `${cardinal(top, 'feminine')} ${part}`
}

function adjectiveFor(unit: string, stem: string): string {
  if (/а$/.test(unit)) return `${stem}ого`
  if (/ов$/.test(unit)) return `${stem}ых`
  return `${stem}${stem.endsWith('к') ? 'ий' : 'ый'}`
}

/** Groups of a telephone number are numbers, behind zeros. */
function phone(number: string): string {
  if (number.length > 3) return digits(number)
  const zeros = /^0+(?=.)/.exec(number)?.[0] ?? ''
  return [digits(zeros), cardinal(Number(number.slice(zeros.length)))].filter(Boolean).join(' ')
}

/** Units and currencies by the preposition before them: "до пяти рублей", "в двух километрах от". */
function countedIn(value: number, thing: Counted, { before, after }: Around): string | null {
  if (value > LARGEST_SPELLED) return null
  if (GENITIVE_BEFORE.test(before)) return countIn(value, thing, 'genitive')
  if (DATIVE_BEFORE.test(before)) return countIn(value, thing, 'dative')
  if (/(?:^|\s)(?:при|о|об)\s$/i.test(before) || (/(?:^|\s)в\s$/i.test(before) && /^ (?:от|к)\s/.test(after)))
    return countIn(value, thing, 'prepositional')
  const isAccusative = isOne(value) && thing.gender === 'feminine' && ACCUSATIVE_BEFORE.test(before)
  return isAccusative
    ? `${spell('ru', 'spellout-cardinal-feminine-accusative', value)} ${thing.forms.one?.replace(/а$/, 'у')}`
    : null
}

const NOUN = /^ (?:[а-яё]+(?:ых|их|ые|ие|ым|им|ыми|ими|ой|ая|ую|ый|ое|ого) )?(?<noun>[а-яё]{2,})/

/** The case and the gender of a number by the preposition before it and the ending of the noun behind it. */
function bare(value: number, { before, after }: Around): string | null {
  if (value > LARGEST_SPELLED) return null
  const noun = NOUN.exec(after)?.groups?.noun ?? ''
  const grammaticalCase = caseOf(before, noun)
  const gender = genderOf(value, noun)
  if (grammaticalCase !== null) return cardinalIn(value, gender, grammaticalCase)
  if (noun === '') return null
  return isOne(value) && /(?:у|ю)$/.test(noun)
    ? spell('ru', 'spellout-cardinal-feminine-accusative', value)
    : cardinal(value, gender)
}

function caseOf(before: string, noun: string): Case | null {
  if (/(?:ами|ями|ьми)$/.test(noun)) return 'instrumental'
  if (/(?:ах|ях)$/.test(noun) && PREPOSITIONAL_BEFORE.test(before)) return 'prepositional'
  if (/(?:ам|ям)$/.test(noun)) return 'dative'
  if (DATIVE_BEFORE.test(before)) return 'dative'
  return GENITIVE_BEFORE.test(before) ? 'genitive' : null
}

const MASCULINE_IN_A = /^(?:мужчина|юноша|дядя|дедушка|папа|судья|коллега)$/
const FEMININE_SOFT =
  /(?:ость|есть|ночь|дверь|часть|роль|площадь|скорость|тетрадь|степень|кость|мысль|речь|очередь|цель|область|болезнь|жизнь|смерть|дочь|мать|неделю)$/

/** By the nominative behind "1", or the genitive singular behind "2". */
function genderOf(value: number, noun: string): Gender {
  if (isOne(value)) {
    if (/[ая]$/.test(noun) && !MASCULINE_IN_A.test(noun)) return /(?:мя)$/.test(noun) ? 'neuter' : 'feminine'
    return FEMININE_SOFT.test(noun) ? 'feminine' : /[оеё]$/.test(noun) ? 'neuter' : 'masculine'
  }
  return /[ыи]$/.test(noun) && !/^(?:пути|люди|дети|дни|часы|годы|ребята)$/.test(noun) ? 'feminine' : 'masculine'
}

const YEAR_FORMS: Readonly<Record<string, string>> = {
  год: 'masculine',
  года: 'masculine-genitive',
  году: 'masculine-prepositional',
  годом: 'masculine-instrumental',
  годе: 'masculine-prepositional',
  век: 'masculine',
  века: 'masculine-genitive',
  веке: 'masculine-prepositional',
  веку: 'masculine-dative',
  веком: 'masculine-instrumental',
  годы: 'plural',
  годов: 'plural-genitive',
  годам: 'plural-dative',
  годах: 'plural-prepositional',
}

/** The form of a year or a century, and its noun written out: "в 1996 г." is "в ... шестом году". */
function formOf(noun: string, before: string): readonly [form: string, noun: string] {
  const isYear = noun === 'г.'
  if (noun !== 'г.' && noun !== 'в.') {
    const form = noun === 'году' && DATIVE_BEFORE.test(before) ? 'masculine-dative' : (YEAR_FORMS[noun] ?? 'masculine')
    return [form, noun]
  }
  if (AT_YEAR.test(before)) return ['masculine-prepositional', isYear ? 'году' : 'веке']
  if (DATIVE_BEFORE.test(before)) return ['masculine-dative', isYear ? 'году' : 'веку']
  if (ACCUSATIVE_BEFORE.test(before)) return ['masculine', isYear ? 'год' : 'век']
  // "квартал 2023 г.", "летом 2020 г.".
  if (/[а-яё]\s$/i.test(before)) return ['masculine-genitive', isYear ? 'года' : 'века']
  return ['masculine', isYear ? 'год' : 'век']
}

function more(): Rule[] {
  return [...years(), ...datesWithYears(), ...compounds(), ...ordinals(), ...codes(), ...numerals(), ...romanOrdinals()]
}

function years(): Rule[] {
  const readYear: Read = ({ number = '', noun = '' }, around, match) => {
    const { before, after } = around
    if (number.length < 3 && (/^год/.test(noun) || (noun === 'г.' && !/^ (?:до )?н/.test(after)))) return null
    const [form, spokenNoun] = formOf(noun, before)
    return keepingSentenceEnd(match, around, `${ordinalForm(Number(number), form)} ${spokenNoun}`)
  }
  return [
    // "в 2012 году", "1996 г.", "в 21 веке".
    rule('date', 'digit', String.raw`(?<number>\d{1,4}) ?(?<noun>год[ауе]?|годом|г\.)(?!\p{L})`, readYear),
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,2}) (?<noun>век[еау]?|веком|в\.)(?![\p{L}])`,
      (groups, around, match) =>
        groups.noun === 'в.' && !/^\s*(?:$|[,.)–—-]|до н)/.test(around.after) ? null : readYear(groups, around, match),
    ),
    // "1941–1945 годы", "в 1941–1945 гг.".
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{4}) ?[-–—] ?(?<to>\d{4})(?: ?(?<noun>годы|годов|годах|годам|гг\.))?(?![\p{L}\d]|[-–./]\d)`,
      ({ from, to, noun }, { before }) => {
        if (Number(to) <= Number(from)) return null
        const spokenNoun = noun === 'гг.' ? (AT_YEAR.test(before) ? 'годах' : 'годы') : noun
        const form =
          spokenNoun === 'годах'
            ? 'masculine-prepositional'
            : spokenNoun === 'годов'
              ? 'masculine-genitive'
              : 'masculine'
        const said = `${ordinalForm(Number(from), form)} – ${ordinalForm(Number(to), form)}`
        return spokenNoun === undefined ? said : `${said} ${spokenNoun}`
      },
    ),
  ]
}

function datesWithYears(): Rule[] {
  return [
    // "с 1991 по 1995 год", "в 1990-х".
    rule(
      'date',
      'digit',
      String.raw`(?<from>\d{4}) (?<joint>по|до|и) (?<to>\d{4}) (?<noun>год|года|годах|годы|гг?\.)(?!\p{L})`,
      ({ from, joint, to, noun = '' }, { before }) => {
        const first =
          joint === 'и' ? (AT_YEAR.test(before) ? 'masculine-prepositional' : 'masculine') : 'masculine-genitive'
        const second = joint === 'до' ? 'masculine-genitive' : joint === 'и' ? first : 'masculine'
        const spokenNoun = noun.endsWith('.') ? (joint === 'до' ? 'года' : 'год') : noun
        return `${ordinalForm(Number(from), first)} ${joint} ${ordinalForm(Number(to), second)} ${spokenNoun}`
      },
    ),
    wordRule('abbreviation', Array.from('г'), String.raw`г\.`, (_groups, around, match) => {
      if (/\d{4} ?$/.test(around.before)) return keepingSentenceEnd(match, around, 'года')
      return /(?:^|[\s,(])$/.test(around.before) ? 'город' : null
    }),
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})-(?<month>${oneOf(MONTH_FORMS.flat().filter((form) => form.length < 5))})-(?<year>\d{4})(?!\d)`,
      ({ day, month = '', year }) => {
        const name = MONTHS[MONTH_FORMS.findIndex((forms) => forms.includes(month))]
        return `${ordinalForm(Number(day), 'neuter-genitive')} ${name} ${ordinalForm(Number(year), 'masculine-genitive')}`
      },
    ),
  ]
}

function compounds(): Rule[] {
  return [
    // "5-летний", "25-этажный".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>\d{1,4})-(?<rest>(?:лет|этаж|днев|час|минут|процент|кратн|тысяч|метр|местн|комнат|килом|килогр|мест|недел|месяч|миллион|градус|столет)[а-яё]{2,})`,
      ({ number, rest }) => `${jointForm(Number(number))}${rest}`,
    ),
  ]
}

function ordinals(): Rule[] {
  return [
    // "2-е место".
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,4})-е(?= (?:[а-яё]+ое )?[а-яё]+(?:о|ие|ье|ре|ле|ще|це)(?![а-яё]))`,
      ({ number }) => ordinalForm(Number(number), 'neuter'),
    ),
    // "в 10 классе", but "2 класса".
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,3}) (?<noun>(?:класс|этаж|курс|квартал|тур|сезон|подъезд|съезд|канал|разряд)(?<ending>[еау]?))(?![а-яё])`,
      ({ number, noun, ending = '' }) => {
        const value = Number(number)
        if (ending === 'а' && value % 10 > 1 && value % 10 < 5) return null
        const form =
          { '': 'masculine', е: 'masculine-prepositional', а: 'masculine-genitive', у: 'masculine-dative' }[ending] ??
          'masculine'
        return `${ordinalForm(value, form)} ${noun}`
      },
    ),
  ]
}

function codes(): Rule[] {
  return [
    rule(
      'telephone',
      'digit',
      String.raw`[78][- (]{1,2}\d{3}[-) ]{1,2}\d{3}[- ]\d{2}[- ]\d{2}(?!\d)`,
      (_groups, _around, match) => match.split(/\D+/).filter(Boolean).map(phone).join(' '),
    ),
    // "2-b-3": Latin letters by their names.
    rule(
      'serial',
      'digit',
      String.raw`\d{1,6}(?:-?[a-zA-Z](?![a-zA-Z])(?:-?\d{1,6})?){1,4}(?![\p{L}\d])`,
      (_groups, _around, match) =>
        (match.match(/\d+|[a-zA-Z]/g) ?? [])
          .map((part) => LETTERS[part.toLowerCase()] ?? cardinal(Number(part)))
          .join(' '),
    ),
    rule('cardinal', 'digit', String.raw`00\d{2,10}(?![\d,.])`, (_groups, _around, match) => cardinal(Number(match))),
  ]
}

/** The form of a number as the first part of a word: "пятилетний", "стопроцентный". */
function jointForm(value: number): string {
  if (value === 1) return 'одно'
  const genitive = cardinalIn(value, 'masculine', 'genitive')
  return genitive
    .replaceAll('ста', 'сто')
    .replaceAll('девяноста', 'девяносто')
    .replaceAll('тысячи', 'тысяче')
    .replaceAll(' ', '')
}

function numerals(): Rule[] {
  return [
    // "XIX век", "в XVIII в.".
    wordRule(
      'roman',
      Array.from('IVX'),
      String.raw`(?<numeral>[IVX]{1,6})(?:-(?<ending>[а-я]{1,3}))? (?<noun>век[еау]?|веком|в\.)(?!\p{L})`,
      ({ numeral = '', noun = '' }, around, match) => {
        const value = romanValue(numeral)
        if (value === null) return null
        const [form, spokenNoun] = formOf(noun, around.before)
        return keepingSentenceEnd(match, around, `${ordinalForm(value, form)} ${spokenNoun}`)
      },
    ),
    rule(
      'roman',
      'letter',
      String.raw`(?<name>${RULERS_OBLIQUE}) (?<numeral>[IVX]{1,6})(?![\p{L}\d])`,
      ({ name = '', numeral = '' }) => {
        const value = romanValue(numeral)
        if (value === null) return null
        const form = /[ая]$/.test(name)
          ? 'genitive'
          : /[ую]$/.test(name)
            ? 'dative'
            : /е$/.test(name)
              ? 'prepositional'
              : 'instrumental'
        return `${name} ${ordinalForm(value, `masculine-${form}`)}`
      },
    ),
  ]
}

function romanOrdinals(): Rule[] {
  return [
    // "II мировая война", "III этап".
    wordRule(
      'roman',
      Array.from('IVX'),
      String.raw`(?<numeral>[IVX]{1,6})(?= (?<noun>[а-яё]{3,}))`,
      ({ numeral = '', noun = '' }) => {
        const value = romanValue(numeral)
        if (value === null) return null
        const form = /(?:ая|яя|а|я)$/.test(noun)
          ? 'feminine'
          : /(?:ой|ей)$/.test(noun)
            ? 'feminine-genitive'
            : /(?:ого|его)$/.test(noun)
              ? 'masculine-genitive'
              : /(?:ом|ем)$/.test(noun)
                ? 'masculine-prepositional'
                : /(?:ые|ие)$/.test(noun)
                  ? 'plural'
                  : /(?:ое|ее)$/.test(noun)
                    ? 'neuter'
                    : 'masculine'
        return ordinalForm(value, form)
      },
    ),
  ]
}
