import { rulesOf } from '../european/european.ts'
import type { Counted, Gender, Words } from '../european/words.ts'
import { LARGEST_SPELLED, spell } from '../number-rules.ts'
import { keepingSentenceEnd, oneOf, plainDigits, romanValue, rule, SUBSCRIPTS, wordRule } from '../rules.ts'
import type { Around, Read, Rule, RuleBook } from '../scan.ts'
import {
  ABBREVIATIONS,
  ACRONYMS,
  ADDRESS_WORDS,
  BEFORE_NUMBERS,
  CURRENCIES,
  counted,
  DAYS,
  DECIMAL_PARTS,
  ELEMENTS,
  ENDINGS,
  FEMININE_STEMS,
  FORMULAS,
  LATIN_LETTERS,
  LETTERS,
  MAGNITUDES,
  MARKS,
  MASCULINE_STEMS,
  MONTH_FORMS,
  MONTH_NAMES,
  MONTHS,
  OBJECT_VERBS,
  PER_UNITS,
  ROMAN_BEFORE,
  RULERS,
  RULERS_OBLIQUE,
  SENTENCE_ENDERS,
  SYMBOLS,
  UNITS,
} from './russian-words.ts'

type Case = 'genitive' | 'dative' | 'accusative' | 'instrumental' | 'prepositional'

const START = '(?:^|[\\s(«„])'
const GENITIVE_BEFORE = new RegExp(
  `${START}(?:возрасте|протяжении|истечении|позднее|позже|раньше|ранее|дороже|дешевле|дальше|ближе|длиннее|короче|вместо|помимо|вне|внутри|возле|среди|накануне|большинство|половина|от|до|из|из-за|без|для|около|после|более|менее|больше|меньше|свыше|порядка|старше|моложе|выше|ниже|кроме|против|вокруг|у|с|со|течение|начала|конца|середины|количестве|размере|осенью|весной|летом|зимой|начале|конце|середине)\\s$`,
  'i',
)
const DATIVE_BEFORE = new RegExp(`${START}(?:к|ко|благодаря|равно|равна)\\s$`, 'i')
const PREPOSITIONAL_BEFORE = new RegExp(`${START}(?:в|во|на|о|об|обо|при)\\s$`, 'i')
const AT_YEAR = new RegExp(`${START}(?:в|во|о|об|при)\\s$`, 'i')
const ACCUSATIVE_BEFORE = new RegExp(`${START}(?:на|в|во|за|через|по|про|весит|стоит|занимает|длится|длилось)\\s$`, 'i')
/** "Добавьте 1 ч. л. соли": a verb that takes an object, in the same sentence. */
const OBJECT_OF = new RegExp(`(?:(?<!са)[йь]те|${OBJECT_VERBS})\\s(?!.*[.!?] [А-ЯЁ])`)
const EACH_BEFORE = new RegExp(`${START}по\\s$`, 'i')
const INSTRUMENTAL_BEFORE = new RegExp(`${START}(?:ограничен[аоы]?|между|перед|над)\\s$`, 'i')
const HOUR = counted(['м', 'час', 'часа', 'часов'])
const MINUTE = counted(['ж', 'минута', 'минуты', 'минут'])
const SECOND = counted(['ж', 'секунда', 'секунды', 'секунд'])

export const russian = (): RuleBook => {
  const { rules } = rulesOf(words())
  return { rules: rules.map((one) => ({ ...one, read: inItsCase(one.read) })) }
}

const DECIMAL = /^[-−–+]?(?<whole>\d[\d \u00a0\u202f]{0,20}),(?<places>\d{1,6})(?!\d)/
const FRACTION = /^(?<top>\d{1,6})\/(?<bottom>\d{1,6})(?!\d)/

/** "до 7,4 %": "до семи целых четырёх десятых процента". "на 1/3": "на одну треть". */
const inItsCase =
  (read: Read): Read =>
  (groups, around, match) => {
    const answer = read(groups, around, match)
    if (answer === null) return null
    const grammaticalCase = caseBehind(around.before)
    const inCase = grammaticalCase === null ? null : changeOf(match, grammaticalCase)
    // A dash between spaces is a pause: "два-три дня", "со счётом три один".
    const change = (spoken: string) => (inCase?.(spoken) ?? spoken).replace(' – ', '-').replace('  ', ' ')
    return typeof answer === 'string' ? change(answer) : { ...answer, spoken: change(answer.spoken) }
  }

function changeOf(match: string, grammaticalCase: Case): (spoken: string) => string {
  const { whole, places = '' } = DECIMAL.exec(match)?.groups ?? {}
  const { top, bottom } = FRACTION.exec(match)?.groups ?? {}
  const written = whole?.replaceAll(/\D/g, '') ?? ''
  if (whole !== undefined)
    return (spoken) => spoken.replace(decimal(written, places), decimal(written, places, grammaticalCase))
  if (top === undefined) return (spoken) => spoken
  const [above, below] = [Number(top), Number(bottom)]
  return (spoken) => spoken.replace(fraction(above, below), fraction(above, below, grammaticalCase))
}

function caseBehind(before: string): Case | null {
  if (GENITIVE_BEFORE.test(before)) return 'genitive'
  if (DATIVE_BEFORE.test(before)) return 'dative'
  if (INSTRUMENTAL_BEFORE.test(before)) return 'instrumental'
  if (/(?:^|\s)(?:при|о|об)\s$/i.test(before)) return 'prepositional'
  return ACCUSATIVE_BEFORE.test(before) || OBJECT_OF.test(before) ? 'accusative' : null
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
  against: '',
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
  halfOf,
  partOf: ({ forms }) => forms.other,
  perMany: 'на',
  beforeUnits: 'за',
  sectionBefore:
    '[Гг]л\\.|[Гг]лава|[Рр]ис\\.|[Рр]исунок|[Тт]абл\\.|[Тт]аблица|[Вв]ерси[яиюей]{1,2}|[Пп]\\.|[Пп]ункт[ае]?|[Пп]рил\\.|Android|iOS',
  sentenceEnders: SENTENCE_ENDERS,
  bareUnit: ({ forms }) => oblique(forms.one ?? forms.other, 'accusative', true),
  square: (unit) => `${adjectiveFor(unit, 'квадратн')} ${unit}`,
  cubic: (unit) => `${adjectiveFor(unit, 'кубическ')} ${unit}`,
  letter: (letter) => LETTERS[letter.toLowerCase()] ?? letter,
  phone,
  counted: countedIn,
  bare,
  more: more(),
})

/** CLDR writes "четвертый" and "трех", which engines say without the sound of ё. */
const say = (ruleSet: string, value: number): string =>
  spell('ru', `spellout-${ruleSet}`, value)
    .replaceAll('четверт', 'четвёрт')
    .replaceAll(/(?<=тр|четыр)е(?=х|м(?!я))/g, 'ё')

function cardinal(value: number, gender: Gender = 'masculine'): string {
  return say(`cardinal-${gender}`, value)
}

const cardinalIn = (value: number, gender: Gender, grammaticalCase: Case | undefined): string =>
  say(`cardinal-${gender}${grammaticalCase === undefined ? '' : `-${grammaticalCase}`}`, value)

/** "тысяча девятьсот", not "одна тысяча девятьсот". */
const ordinalForm = (value: number, form: string): string =>
  say(`ordinal-${form}`, value).replace(/^одна тысяча/, 'тысяча')

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

/** Endings of "целая" and "десятая" by case: behind one, and behind other numbers. */
const PART_ENDINGS: Readonly<Record<Case | 'nominative', readonly [string, string]>> = {
  nominative: ['ая', 'ых'],
  accusative: ['ую', 'ых'],
  genitive: ['ой', 'ых'],
  dative: ['ой', 'ым'],
  instrumental: ['ой', 'ыми'],
  prepositional: ['ой', 'ых'],
}

function decimal(whole: string, places: string, grammaticalCase?: Case): string {
  const name = DECIMAL_PARTS[places.length]
  if (name === undefined) return `${cardinal(Number(whole))} запятая ${digits(places)}`
  const [one, many] = PART_ENDINGS[grammaticalCase ?? 'nominative']
  const part = (value: number, stem: string) =>
    `${cardinalIn(value, 'feminine', grammaticalCase)} ${stem}${isOne(value) ? one : many}`
  return `${part(Number(whole), 'цел')} ${part(Number(places), name)}`
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
  const isGenitive = GENITIVE_BEFORE.test(before)
  const isDative = DATIVE_BEFORE.test(before)
  const grammaticalCase = isGenitive
    ? 'genitive'
    : isDative
      ? 'dative'
      : ACCUSATIVE_BEFORE.test(before)
        ? 'accusative'
        : null
  return parts.map(([value, thing]) => countIn(value, thing, grammaticalCase)).join(' ')
}

/** A count in a case: "около пяти рублей", "при ста градусах Цельсия". */
function countIn(value: number, { gender, forms }: Counted, grammaticalCase: Case | null): string {
  const number = cardinalIn(value, gender, grammaticalCase ?? undefined)
  if (grammaticalCase === null || (grammaticalCase === 'accusative' && !isOne(value)))
    return `${number} ${forms[plurals().select(value)] ?? forms.other}`
  if (grammaticalCase === 'genitive') return `${number} ${isOne(value) ? forms.other : forms.many}`
  return `${number} ${oblique(forms.one ?? '', grammaticalCase, isOne(value))}`
}

const OBLIQUE = {
  dative: {
    masculine: 'у',
    feminine: 'е',
    soft: 'и',
    adjective: 'ой',
    masculineAdjective: 'ому',
    many: 'ам',
    adjectives: 'ым',
  },
  accusative: {
    masculine: '',
    feminine: 'у',
    soft: 'ь',
    adjective: 'ую',
    masculineAdjective: 'ый',
    many: '',
    adjectives: '',
  },
  instrumental: {
    masculine: 'ом',
    feminine: 'ой',
    soft: 'ью',
    adjective: 'ой',
    masculineAdjective: 'ым',
    many: 'ами',
    adjectives: 'ыми',
  },
  prepositional: {
    masculine: 'е',
    feminine: 'е',
    soft: 'и',
    adjective: 'ой',
    masculineAdjective: 'ом',
    many: 'ах',
    adjectives: 'ых',
  },
} as const

/** Of a regular noun, perhaps with an adjective before it or a name behind it: "чайная ложка", "градус Цельсия". */
function oblique(noun: string, grammaticalCase: keyof typeof OBLIQUE, isSingular: boolean): string {
  const [first = '', ...rest] = noun.split(' ')
  const endings = OBLIQUE[grammaticalCase]
  if (first.endsWith('ая'))
    return `${first.slice(0, -2)}${isSingular ? endings.adjective : endings.adjectives} ${oblique(rest.join(' '), grammaticalCase, isSingular)}`
  if (/[ыи]й$/.test(first))
    return `${first.slice(0, -2)}${isSingular ? endings.masculineAdjective : endings.adjectives} ${oblique(rest.join(' '), grammaticalCase, isSingular)}`
  if (/[оие]$/.test(first) || (grammaticalCase === 'accusative' && /[^а]$/.test(first))) return noun
  if (isSingular && /ть$/.test(first)) return [`${first.slice(0, -1)}${endings.soft}`, ...rest].join(' ')
  const ending = isSingular ? endings[first.endsWith('а') ? 'feminine' : 'masculine'] : endings.many
  const soft = first.endsWith('ь') ? ending.replace(/^а/, 'я').replace(/^у/, 'ю').replace(/^о/, 'е') : ending
  return [`${first.replace(/[аь]$/, '')}${soft}`, ...rest].join(' ')
}

let pluralRules: Intl.PluralRules | null = null
function plurals(): Intl.PluralRules {
  pluralRules ??= new Intl.PluralRules('ru')
  return pluralRules
}

const THIRDS = counted(['ж', 'треть', 'трети', 'третей'])
const QUARTERS = counted(['ж', 'четверть', 'четверти', 'четвертей'])

/** "одна треть", "две пятых", "к трём четвертям". */
function fraction(top: number, bottom: number, grammaticalCase?: Case): string {
  if (top === bottom) return `${cardinal(top)} из ${cardinalIn(bottom, 'masculine', 'genitive')}`
  const joint = slashed(top, bottom)
  if (joint !== null) return `${cardinal(top)} ${joint} ${cardinal(bottom)}`
  if (bottom === 3 || bottom === 4) return countIn(top, bottom === 3 ? THIRDS : QUARTERS, grammaticalCase ?? null)
  const [one, many] = PART_ENDINGS[grammaticalCase ?? 'nominative']
  const stem = ordinalForm(bottom, 'feminine').replace(/ая$/, '').replace(/ья$/, 'ь')
  return `${cardinalIn(top, 'feminine', grammaticalCase)} ${stem}${isOne(top) ? one : many}`
}

/** "1 1/2 л": "полтора литра", "2 ½ часа": "два с половиной часа". */
function halves(): Rule[] {
  const UNIT = String.raw`(?: (?<unit>${oneOf(Object.keys(UNITS))})(?![\p{L}\d]))?`
  return [
    rule(
      'fraction',
      'digit',
      String.raw`(?<whole>\d{1,3}) ?(?:1\/2(?![\d/])|½)${UNIT}`,
      ({ whole, unit = '' }, around, match) => {
        const counted = UNITS[unit]
        const noun = NOUN.exec(around.after)?.groups?.noun ?? ''
        const isFeminine = counted === undefined ? /[ыи]$/.test(noun) : counted.gender === 'feminine'
        const gender = isFeminine ? 'feminine' : 'masculine'
        const number =
          whole === '1' ? `полтор${isFeminine ? 'ы' : 'а'}` : `${cardinal(Number(whole), gender)} с половиной`
        return keepingSentenceEnd(match, around, counted === undefined ? number : `${number} ${counted.forms.other}`)
      },
    ),
  ]
}

/** Numbers of files and blood pressures are no fractions. */
function slashed(top: number, bottom: number): string | null {
  if (top === 24 && bottom === 7) return 'на'
  if (top > 30 && top > bottom) return bottom >= 40 && bottom <= 120 && top <= 250 ? 'на' : 'дробь'
  return bottom < 2 || (bottom > 1900 && bottom < 2100) ? 'дробь' : null
}

/** "1/2 стакана": "половина стакана". */
function halfOf({ before, after }: Around, unit?: Gender): string | null {
  if (unit === undefined && !/^ [а-яё]{3,}/.test(after)) return null
  const grammaticalCase = caseBehind(before)
  if (grammaticalCase === null) return 'половина'
  const endings = { accusative: 'у', genitive: 'ы', dative: 'е', instrumental: 'ой', prepositional: 'е' }
  return `половин${endings[grammaticalCase]}`
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
  if (isOne(value) && EACH_BEFORE.test(before)) return countIn(value, thing, 'dative')
  const isAt = /(?:^|\s)в\s$/i.test(before) && /^ (?:от|к)\s/.test(after)
  const grammaticalCase = isAt ? 'prepositional' : caseBehind(before.replace(/[-−+]$/, ''))
  return grammaticalCase === null ? null : countIn(value, thing, grammaticalCase)
}

const NOUN = /^ (?:[а-яё]+(?:ых|их|ые|ие|ым|им|ыми|ими|ой|ая|ую|ый|ое|ого) )?(?<noun>[а-яё]{2,})/

/** The case and the gender of a number by the preposition before it and the ending of the noun behind it. */
function bare(value: number, { before, after }: Around): string | null {
  if (value > LARGEST_SPELLED) return null
  const noun = NOUN.exec(after)?.groups?.noun ?? ''
  const grammaticalCase = caseOf(value, before, noun)
  const gender = genderOf(value, noun, grammaticalCase)
  if (grammaticalCase !== null) return cardinalIn(value, gender, grammaticalCase)
  if (noun === '') return null
  return isOne(value) && /(?:у|ю)$/.test(noun) ? say('cardinal-feminine-accusative', value) : cardinal(value, gender)
}

function caseOf(value: number, before: string, noun: string): Case | null {
  if (/(?:ами|ями|ьми)$/.test(noun)) return 'instrumental'
  if (/(?:ах|ях)$/.test(noun)) return 'prepositional'
  if (/(?:ам|ям)$/.test(noun)) return 'dative'
  if (isOne(value) && /[еую]$/.test(noun) && EACH_BEFORE.test(before)) return 'dative'
  if (isOne(value) && /[^оиь]е$/.test(noun) && PREPOSITIONAL_BEFORE.test(before)) return 'prepositional'
  if (DATIVE_BEFORE.test(before)) return 'dative'
  // "не хватает 2 рублей", "видел 3 студентов".
  const isFew = plurals().select(value) === 'few' && /(?:ов|ев|ёв|ей|^лет|^человек)$/.test(noun)
  return isFew || GENITIVE_BEFORE.test(before) ? 'genitive' : null
}

const MASCULINE_IN_A = /^(?:мужчина|юноша|дядя|дедушка|папа|судья|коллега)$/
const FEMININE_SOFT =
  /(?:ость|есть|ночь|дверь|часть|роль|площадь|скорость|тетрадь|степень|кость|мысль|речь|очередь|цель|область|болезнь|жизнь|смерть|дочь|мать|неделю)$/

const FEMININE_IN_E =
  /(?:стране|книге|школе|неделе|минуте|группе|команде|республике|строке|странице|таблице|больнице|комнате|квартире|машине|карте|статье|семье|точке|попытке|таблетке|ложке|капсуле|капле|штуке|порции|тысяче|копейке)$/

/** By the nominative or an oblique case behind "1", or the genitive singular behind "2". */
function genderOf(value: number, noun: string, grammaticalCase: Case | null): Gender {
  if (isOne(value)) {
    if (grammaticalCase === 'prepositional') return FEMININE_IN_E.test(noun) ? 'feminine' : 'masculine'
    if (grammaticalCase === 'dative' && /[уюам]$/.test(noun)) return 'masculine'
    if (grammaticalCase === 'dative' && /е$/.test(noun)) return 'feminine'
    if (grammaticalCase === 'genitive') return /[ыи]$/.test(noun) ? 'feminine' : 'masculine'
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
  // "квартал 2023 г.", "авг. 2020 г.".
  if (/[а-яё]\.?\s$/i.test(before)) return ['masculine-genitive', isYear ? 'года' : 'века']
  return ['masculine', isYear ? 'год' : 'век']
}

function more(): Rule[] {
  return [
    ...lawsAndPlaces(),
    ...longNumbers(),
    ...datesInShort(),
    ...weekdays(),
    ...years(),
    ...datesWithYears(),
    ...dayRanges(),
    ...loneYears(),
    ...compounds(),
    ...feminineOrdinals(),
    ...ordinals(),
    ...codes(),
    ...numerals(),
    ...romanOrdinals(),
    ...formulas(),
    ...halves(),
  ]
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
              : spokenNoun === undefined && AT_YEAR.test(before)
                ? 'masculine-prepositional'
                : 'masculine'
        const said = `${ordinalForm(Number(from), form)} – ${ordinalForm(Number(to), form)}`
        return spokenNoun === undefined ? said : `${said} ${spokenNoun}`
      },
    ),
  ]
}

function datesWithYears(): Rule[] {
  return [
    // "сезон 2023/24".
    rule('range', 'digit', String.raw`(?<from>20\d\d)\/(?:20)?(?<to>\d\d)(?![\p{L}\d]|[-/.,]\d)`, ({ from, to }) =>
      (Number(from) + 1) % 100 === Number(to) ? `${cardinal(Number(from))} – ${cardinal(Number(to))}` : null,
    ),
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
      String.raw`(?<number>\d{1,4})-е(?= (?:[а-яё]+ое )?[а-яё]+(?:о|ие|ье|ре|ле|ще|це)(?![а-яё])|\s*$|[.,;:!?)»]| (?:и|или|${oneOf(MONTHS)})(?![а-яё]))`,
      // "90-е" are years.
      ({ number }, { before }) =>
        Number(number) % 10 === 0 || before === '' ? null : ordinalForm(Number(number), 'neuter'),
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

const WEEKDAYS = oneOf(Object.keys(DAYS))

/** "на 45-й минуте": a feminine noun in an oblique case. */
function feminineOrdinals(): Rule[] {
  return [
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,4})-й(?= (?:[а-яё]+ой )?[а-яё]*(?:[бвгджзклмнпрстфхцчшщ]е|[ыи]|ью|[аеё]й)(?![а-яё]))`,
      ({ number }, { after }) =>
        /^ (?:[а-яё]*(?:ий|ый|ей)|и|или|при|три|мы|вы|ты|бы|где|все|не) /.test(`${after} `)
          ? null
          : ordinalForm(Number(number), 'feminine-genitive'),
    ),
  ]
}

function datesInShort(): Rule[] {
  const months = oneOf(MONTH_FORMS.flatMap((forms) => forms.slice(1)))
  return [
    // "до 15.05".
    rule(
      'date',
      'digit',
      String.raw`(?<day>0?[1-9]|[12]\d|3[01])\.(?<month>0[1-9]|1[0-2])(?!\d|\.\d|,\d| ?[%₽]| (?:руб|млн|млрд|тыс))`,
      ({ day, month }, { before, after }) =>
        /(?:^|[\s(])(?:до|с|со|к|от|на|по|за|после|срок|дата)\s$/i.test(before)
          ? date(Number(day), Number(month), null, before, after)
          : null,
    ),
    // "в 19.30".
    rule(
      'time',
      'digit',
      String.raw`(?<hour>[01]?\d|2[0-3])\.(?<minute>[0-5]\d)(?=\s*$|[,;!?)]|\.(?:\s|$)|\s(?:до|и|по|на|в|—|–)\s)`,
      ({ hour, minute }, { before }) =>
        /(?:^|[\s(])(?:в|во|с|до|к|около|после)\s$/i.test(before)
          ? time(Number(hour), Number(minute), null, before)
          : null,
    ),
    // "в авг. 2023 г.".
    wordRule(
      'date',
      MONTH_FORMS.flatMap((forms) => forms.slice(1)),
      String.raw`(?<month>${months})\.?(?=\s\d{4}(?!\d))`,
      ({ month = '' }, { before }) => {
        const genitive = MONTHS[MONTH_FORMS.findIndex((forms) => forms.includes(month))] ?? month
        if (/(?:^|[\s(])в\s(?:[а-я]+\.? \d{4} (?:г\. )?и )?$/i.test(before)) return genitive.replace(/[ая]$/, 'е')
        return GENITIVE_BEFORE.test(before) || /\d\s$/.test(before) ? genitive : null
      },
    ),
  ]
}

function weekdays(): Rule[] {
  return [
    // "пн–пт", "в сб".
    wordRule(
      'date',
      Object.keys(DAYS),
      String.raw`(?<from>${WEEKDAYS})\.?\s?[-–—]\s?(?<to>${WEEKDAYS})(?![а-яё])\.?`,
      ({ from = '', to = '' }, { before }) =>
        `${/(?:^|\s)с\s$/i.test(before) ? '' : 'с '}${DAYS[from]?.genitive} по ${DAYS[to]?.accusative}`,
    ),
    wordRule('date', Object.keys(DAYS), `(?<day>${WEEKDAYS})(?![а-яё])`, ({ day = '' }, { before }) =>
      /(?:^|[\s(])(?:в|во|на|за)\s$/i.test(before) ? (DAYS[day]?.accusative ?? null) : null,
    ),
  ]
}

/** Numbers of persons and firms, and telephones without gaps. */
function longNumbers(): Rule[] {
  return [
    rule('telephone', 'digit', String.raw`[78][3489]\d{9}(?!\d)`, (_groups, _around, match) =>
      (/^(\d)(\d{3})(\d{3})(\d\d)(\d\d)$/.exec(match) ?? []).slice(1).map(phone).join(' '),
    ),
    rule('serial', 'digit', String.raw`\d{6,20}(?!\d)`, (_groups, { before }, match) =>
      /(?:ИНН|ОГРН|ОГРНИП|КПП|СНИЛС|БИК|ОКПО|паспорт|сч[её]т|р\/с|к\/с)(?: №)?:? $/.test(before) ? digits(match) : null,
    ),
    // "125009, г. Москва".
    rule('serial', 'digit', String.raw`\d{6}(?=,? (?:г\. ?)?[А-ЯЁ])`, (_groups, { before }, match) =>
      /(?:^|[,\n:] ?)$/.test(before) ? `${phone(match.slice(0, 3))} ${phone(match.slice(3))}` : null,
    ),
    // "4 с минусом": no seconds.
    rule(
      'cardinal',
      'digit',
      String.raw`\d{1,9}(?= с (?:[а-яё]+ [а-яё]+|[а-яё]+)(?<=ом|ем|ём|ой|ей|ью|ами|ями|ым|им|ими|ыми)(?![а-яё]))`,
      (_groups, around, match) => bare(Number(match), around) ?? cardinal(Number(match)),
    ),
    rule(
      'score',
      'digit',
      String.raw`1:(?<scale>\d{1,3}(?:[ \u00a0]\d{3}){1,3}|\d{3,8})(?!\d)`,
      ({ scale = '' }) => `один к ${cardinalIn(Number(scale.replaceAll(/\D/g, '')), 'masculine', 'dative')}`,
    ),
  ]
}

function lawsAndPlaces(): Rule[] {
  const CASES = { статья: 'статьи', часть: 'части', пункт: 'пункта' }
  const NAMES: Readonly<Record<string, keyof typeof CASES>> = { 'ст.': 'статья', 'ч.': 'часть', 'п.': 'пункт' }
  return [
    // "согласно п. 3 ст. 15": "пункту три статьи пятнадцать".
    wordRule(
      'abbreviation',
      Object.keys(NAMES),
      String.raw`(?<word>ст\.|ч\.|п\.) ?(?=\d)`,
      ({ word = '' }, { before }) => {
        const name = NAMES[word]
        if (name === undefined || !/(?:^|[\s(])(?:п|ч|пп|ст)\. ?\d{1,4}(?:\.\d{1,2})? $/.test(before)) return null
        return `${/ст\. ?\d{1,4}(?:\.\d{1,2})? $/.test(before) ? name : CASES[name]} `
      },
    ),
    // "д. 7, стр. 1": a building.
    wordRule('abbreviation', ['стр.'], String.raw`стр\. ?(?=\d)`, (_groups, { before }) =>
      /(?:д\.|дом|корп\.|вл\.) ?\d{1,4}[а-яА-Я]?,? $/.test(before) ? 'строение ' : null,
    ),
    // "и/или", "Тел./факс".
    rule('symbol', 'symbol', '\\/(?=[а-яё])', (_groups, { before }) => (/[а-яё]\.?$/i.test(before) ? ' ' : null)),
    // "mc²".
    rule('math', 'letter', '[a-zA-Z]{2,3}(?=[²³⁴])', (_groups, _around, match) =>
      Array.from(match, (letter) => LATIN_LETTERS[letter.toLowerCase()]).join(' '),
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
        return value === null ? null : `${name} ${ordinalForm(value, rulerForm(name))}`
      },
    ),
  ]
}

/** By the ending of a name in an oblique case. */
function rulerForm(name: string): string {
  if (/^(?:Екатерин|Елизавет|Анн|Мари)/.test(name))
    return /[ую]$/.test(name) ? 'feminine-accusative' : 'feminine-genitive'
  if (/[ая]$/.test(name)) return 'masculine-genitive'
  if (/[ую]$/.test(name)) return 'masculine-dative'
  return /е$/.test(name) ? 'masculine-prepositional' : 'masculine-instrumental'
}

function romanOrdinals(): Rule[] {
  return [
    // "II мировая война", "на XX съезде".
    wordRule(
      'roman',
      Array.from('IVX'),
      '(?<numeral>[IVX]{1,6})(?= (?<noun>[а-яё]{3,}))',
      ({ numeral = '', noun = '' }) => {
        const value = romanValue(numeral)
        return value === null ? null : ordinalForm(value, formBefore(noun))
      },
    ),
  ]
}

/** By the endings of nouns that are numbered, and of adjectives: the first that fits. */
const FORMS_BY_ENDING: readonly (readonly [RegExp, string])[] = [
  [/(?:ая|яя)$/, 'feminine'],
  [/(?:ую|юю)$/, 'feminine-accusative'],
  [/(?:ой|ей)$/, 'feminine-genitive'],
  [/(?:ого|его)$/, 'masculine-genitive'],
  [/(?:ому|ему)$/, 'masculine-dative'],
  [/(?:ом|ем)$/, 'masculine-prepositional'],
  [/(?:ые|ие)$/, 'plural'],
  [/(?:ых|их)$/, 'plural-genitive'],
  [/(?:ое|ее)$/, 'neuter'],
]

function formBefore(noun: string): string {
  const rest = FEMININE_STEMS.exec(noun) ?? MASCULINE_STEMS.exec(noun)
  if (rest === null)
    return FORMS_BY_ENDING.find(([ending]) => ending.test(noun))?.[1] ?? (/[ая]$/.test(noun) ? 'feminine' : 'masculine')
  if (FEMININE_STEMS.test(noun))
    return /[ую]$/.test(noun) ? 'feminine-accusative' : /[аяь]$/.test(noun) ? 'feminine' : 'feminine-genitive'
  const endings = { а: 'genitive', я: 'genitive', у: 'dative', ю: 'dative', е: 'prepositional', м: 'instrumental' }
  const form = endings[noun.slice(-1) as keyof typeof endings]
  return form === undefined ? 'masculine' : `masculine-${form}`
}

/** "с 1 по 10 января", "1–3 мая", "1 и 2 января", "1, 2 и 3 мая". */
function dayRanges(): Rule[] {
  const MONTH = `(?:${oneOf(MONTHS)})(?!\\p{L})`
  return [
    rule(
      'date',
      'digit',
      String.raw`(?<from>\d{1,2}) ?[-–—] ?(?<to>\d{1,2})(?= ${MONTH})`,
      ({ from, to }, { before }) => {
        const end = ordinalForm(Number(to), 'neuter')
        if (/(?:^|\s)(?:на|за)\s$/i.test(before)) return `${ordinalForm(Number(from), 'neuter')} – ${end}`
        return `${/(?:^|\s)со?\s$/i.test(before) ? '' : 'с '}${ordinalForm(Number(from), 'neuter-genitive')} по ${end}`
      },
    ),
    rule(
      'date',
      'digit',
      String.raw`(?<day>\d{1,2})(?= (?:по|до|и|или) \d{1,2} ${MONTH}|(?:, \d{1,2}){1,4} и \d{1,2} ${MONTH})`,
      ({ day }, { before }) => {
        const form = DATIVE_BEFORE.test(before) ? '-dative' : /(?:^|\s)(?:на|по|за)\s$/i.test(before) ? '' : '-genitive'
        return ordinalForm(Number(day), `neuter${form}`)
      },
    ),
  ]
}

/** No noun is counted: the text ends, goes on with another word, or with a verb in the past. */
const NO_COUNT =
  /^(?:\s*$|\s*[,.;:!?)»—–](?!\d)|\s(?:[А-ЯЁ«(]|(?:и|а|но|он|она|они|мы|я|в|во|на|с|у|для|из|за|от|при|после|его|её|их|не|что|как|когда|где|уже|там|здесь)\s|[а-яё]{2,}(?:ал|ил|ел|ял|ла|ло|ли|лся|лась|лись|лось)(?![а-яё])))/

/** "В 2012 он переехал", "с 2015", "в мае 2020": a year without its noun. */
function loneYears(): Rule[] {
  const SEASON =
    /(?:^|\s)(?:летом|осенью|весной|зимой|лета|осени|весны|зимы|(?:январ|феврал|март|апрел|ма|июн|июл|август|сентябр|октябр|ноябр|декабр)(?:ь|я|й|а|е|ём|ем|ю|у))\s$/i
  return [
    rule('date', 'digit', String.raw`(?:1[5-9]|20)\d\d(?![\p{L}\d]|-|[.,]\d)`, (_groups, { before, after }, match) => {
      if (SEASON.test(before)) return ordinalForm(Number(match), 'masculine-genitive')
      if (before + after === '') return ordinalForm(Number(match), 'masculine')
      if (!NO_COUNT.test(after)) return null
      const form = AT_YEAR.test(before)
        ? '-prepositional'
        : /(?:^|[\s(])(?:с|со|до|от|после)\s$/i.test(before)
          ? '-genitive'
          : DATIVE_BEFORE.test(before)
            ? '-dative'
            : /(?:^|\s)(?:по)\s$/i.test(before)
              ? ''
              : null
      return form === null ? null : ordinalForm(Number(match), `masculine${form}`)
    }),
  ]
}

function formulas(): Rule[] {
  const elements = (formula: string): string =>
    (formula.match(/[A-Z][a-z]?|\d+|[₀-₉]+/g) ?? [])
      .map((part) => {
        if (/^\d/.test(part)) return cardinal(Number(part))
        if (/^[₀-₉]/.test(part)) return cardinal(Number(plainDigits(part, SUBSCRIPTS)))
        return ELEMENTS[part] ?? Array.from(part, (letter) => LATIN_LETTERS[letter.toLowerCase()]).join(' ')
      })
      .join(' ')
  return [
    wordRule('math', ['pH'], String.raw`pH(?![\p{L}\d])`, () => 'пэ аш'),
    // "CO2", "H₂SO₄".
    rule(
      'math',
      'letter',
      String.raw`(?:${FORMULAS}|(?:[A-Z][a-z]?[₀-₉]{0,3}){1,12}(?<=[₀-₉][A-Za-z]{0,4}))(?![\p{L}\d])`,
      (_groups, _around, match) => elements(match),
    ),
    // "x² + y²", "витамин C".
    rule(
      'math',
      'letter',
      String.raw`(?<letter>[a-zA-Z])(?![\p{L}\d_'’@&/:-]|\.\s?\p{L})`,
      ({ letter = '' }, { before }) =>
        /[@_/.&'’+-]$/.test(before) ? null : (LATIN_LETTERS[letter.toLowerCase()] ?? null),
    ),
    // "ст. 5 ч. 2": a part of a law, no hours.
    rule(
      'cardinal',
      'digit',
      String.raw`\d{1,4}(?:\.\d{1,2})?(?=,? ч\. ?\d{1,2}(?! ?мин))`,
      (_groups, { before }, match) =>
        /(?:^|[\s(])(?:ст|п|пп|гл|т|стать[яеию]|пункт[ае]?)\.?\s$/i.test(before)
          ? match
              .split('.')
              .map((part) => cardinal(Number(part)))
              .join(' точка ')
          : null,
    ),
  ]
}
