import { pluralOf } from '../european/plurals.ts'
import type { Counted, Gender } from '../european/words.ts'
import { LARGEST_SPELLED, spell } from '../number-rules.ts'
import type { Around } from '../scan.ts'
import { counted, DECIMAL_PARTS, ENDINGS, MONTHS, OBJECT_VERBS } from './russian-words.ts'

export type Case = 'genitive' | 'dative' | 'accusative' | 'instrumental' | 'prepositional'

export const START = '(?:^|[\\s(«„])'

export const GENITIVE_BEFORE = new RegExp(
  `${START}(?:нет|нету|не было|не будет|не хватает|не хватило|не осталось|не стало|достаточно|возрасте|протяжении|истечении|позднее|позже|раньше|ранее|дороже|дешевле|дальше|ближе|длиннее|короче|вместо|помимо|вне|внутри|возле|среди|накануне|большинство|половина|от|до|из|из-за|без|для|около|после|более|менее|больше|меньше|свыше|порядка|старше|моложе|выше|ниже|кроме|против|вокруг|у|с|со|течение|начала|конца|середины|количестве|размере|осенью|весной|летом|зимой|начале|конце|середине)\\s$`,
  'i',
)

export const DATIVE_BEFORE = new RegExp(`${START}(?:к|ко|благодаря|равно|равна)\\s$`, 'i')

export const PREPOSITIONAL_BEFORE = new RegExp(`${START}(?:в|во|на|о|об|обо|при)\\s$`, 'i')

export const ACCUSATIVE_BEFORE = new RegExp(
  `${START}(?:на|в|во|за|через|по|про|весит|стоит|занимает|длится|длилось)\\s$`,
  'i',
)

/** "Добавьте 1 ч. л. соли": a verb that takes an object, in the same sentence. */
const OBJECT_OF = new RegExp(`(?:(?<!са)[йь]те|${OBJECT_VERBS})\\s(?!.*[.!?] [А-ЯЁ])`)

const EACH_BEFORE = new RegExp(`${START}по\\s$`, 'i')

const INSTRUMENTAL_BEFORE = new RegExp(`${START}(?:ограничен[аоы]?|между|перед|над)\\s$`, 'i')

const HOUR = counted(['м', 'час', 'часа', 'часов'])

const MINUTE = counted(['ж', 'минута', 'минуты', 'минут'])

const SECOND = counted(['ж', 'секунда', 'секунды', 'секунд'])

export function caseBehind(before: string): Case | null {
  if (GENITIVE_BEFORE.test(before)) return 'genitive'
  if (DATIVE_BEFORE.test(before)) return 'dative'
  if (INSTRUMENTAL_BEFORE.test(before)) return 'instrumental'
  if (/(?:^|\s)(?:при|о|об)\s$/i.test(before)) return 'prepositional'
  return ACCUSATIVE_BEFORE.test(before) || OBJECT_OF.test(before) ? 'accusative' : null
}

/** CLDR writes "четвертый" and "трех", which engines say without the sound of ё. */
const say = (ruleSet: string, value: number): string =>
  spell('ru', `spellout-${ruleSet}`, value)
    .replaceAll('четверт', 'четвёрт')
    .replaceAll(/(?<=тр|четыр)е(?=х|м(?!я))/g, 'ё')

export function cardinal(value: number, gender: Gender = 'masculine'): string {
  return say(`cardinal-${gender}`, value)
}

export const cardinalIn = (value: number, gender: Gender, grammaticalCase: Case | undefined): string =>
  say(`cardinal-${gender}${grammaticalCase === undefined ? '' : `-${grammaticalCase}`}`, value)

/** "тысяча девятьсот", not "одна тысяча девятьсот". Very large numbers have no ordinal form. */
export function ordinalForm(value: number, form: string): string {
  const said = say(`ordinal-${form}`, value)
  return /\d/.test(said) ? cardinal(value) : said.replace(/^одна тысяча/, 'тысяча')
}

export function ordinal(value: number, hint = '', before = ''): string {
  if (hint === 'ruler') return ordinalForm(value, /а$/.test(before) ? 'feminine' : 'masculine')
  // "4-х", "5-ти", "3-мя" are cardinal numbers.
  if (value <= 4 && /^(?:х|ух|ёх|ех)$/.test(hint)) return cardinalIn(value, 'masculine', 'genitive')
  if (/^(?:ти|и|ми)$/.test(hint) && value < 100) return cardinalIn(value, 'masculine', 'genitive')
  if (/^(?:мя|умя|емя)$/.test(hint)) return cardinalIn(value, 'masculine', 'instrumental')
  // "на 3-м месте", but "пришёл 3-м".
  const isBehindVerb = before !== '' && !/(?:^|[\s(])(?:в|во|на|о|об|при|по)\s(?:[а-яё-]+\s){0,2}$/i.test(before)
  const form = hint === 'м' && isBehindVerb ? 'masculine-instrumental' : ENDINGS[hint]
  return form === undefined ? '' : ordinalForm(value, form)
}

export const isOne = (value: number): boolean => value % 10 === 1 && value % 100 !== 11

/** Endings of "целая" and "десятая" by case: behind one, and behind other numbers. */
const PART_ENDINGS: Readonly<Record<Case | 'nominative', readonly [string, string]>> = {
  nominative: ['ая', 'ых'],
  accusative: ['ую', 'ых'],
  genitive: ['ой', 'ых'],
  dative: ['ой', 'ым'],
  instrumental: ['ой', 'ыми'],
  prepositional: ['ой', 'ых'],
}

export function decimal(whole: string, places: string, grammaticalCase?: Case): string {
  const name = DECIMAL_PARTS[places.length]
  if (name === undefined) return `${cardinal(Number(whole))} запятая ${digits(places)}`
  const [one, many] = PART_ENDINGS[grammaticalCase ?? 'nominative']
  const part = (value: number, stem: string) =>
    `${cardinalIn(value, 'feminine', grammaticalCase)} ${stem}${isOne(value) ? one : many}`
  return `${part(Number(whole), 'цел')} ${part(Number(places), name)}`
}

export const digits = (number: string): string => Array.from(number, (digit) => cardinal(Number(digit))).join(' ')

/** A day is in the genitive in a sentence, in the dative behind "к", and in the nominative by itself. */
export function date(day: number, month: number, year: number | null, before: string, after: string): string {
  const isAlone = before.trim() === '' && /^[^\p{Ll}]*$/u.test(after)
  const isNominative = isAlone || /(?:^|\s)(?:на|по|за|—|–)\s$/i.test(before) || /^ [—–-]/.test(after)
  const form = DATIVE_BEFORE.test(before) ? 'neuter-dative' : isNominative ? 'neuter' : 'neuter-genitive'
  const yearWords = year === null ? '' : ` ${ordinalForm(year, 'masculine-genitive')}`
  return `${ordinalForm(day, form)} ${MONTHS[month - 1]}${yearWords}`
}

/** "с девяти часов до восемнадцати часов тридцати минут", "к десяти часам". */
export function time(hour: number, minute: number, second: number | null, before: string): string {
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
    return `${number} ${forms[plural(value)] ?? forms.other}`
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

/** The forms of a regular noun, perhaps with an adjective before it or a name behind it: "чайная ложка", "градус Цельсия". */
export function oblique(noun: string, grammaticalCase: keyof typeof OBLIQUE, isSingular: boolean): string {
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

const plural = pluralOf('ru')

const THIRDS = counted(['ж', 'треть', 'трети', 'третей'])

const QUARTERS = counted(['ж', 'четверть', 'четверти', 'четвертей'])

/** "одна треть", "две пятых", "к трём четвертям". */
export function fraction(top: number, bottom: number, grammaticalCase?: Case): string {
  if (top === bottom) return `${cardinal(top)} из ${cardinalIn(bottom, 'masculine', 'genitive')}`
  const joint = slashed(top, bottom)
  if (joint !== null) return `${cardinal(top)} ${joint} ${cardinal(bottom)}`
  if (bottom === 3 || bottom === 4) return countIn(top, bottom === 3 ? THIRDS : QUARTERS, grammaticalCase ?? null)
  const [one, many] = PART_ENDINGS[grammaticalCase ?? 'nominative']
  const stem = LARGE_PARTS[bottom] ?? ordinalForm(bottom, 'feminine').replace(/ая$/, '').replace(/ья$/, 'ь')
  return `${cardinalIn(top, 'feminine', grammaticalCase)} ${stem}${isOne(top) ? one : many}`
}

/** "одна миллионная". */
const LARGE_PARTS: Readonly<Record<number, string>> = { 1000000: 'миллионн', 1000000000: 'миллиардн' }

/** Numbers of files and blood pressures are no fractions. */
function slashed(top: number, bottom: number): string | null {
  if (top === 24 && bottom === 7) return 'на'
  if (top > 30 && top > bottom) return bottom >= 40 && bottom <= 120 && top <= 250 ? 'на' : 'дробь'
  return bottom < 2 || bottom > 1e9 || (bottom > 1900 && bottom < 2100) ? 'дробь' : null
}

/** "1/2 стакана": "половина стакана". */
export function halfOf({ before, after }: Around, unit?: Gender): string | null {
  if (unit === undefined && !/^ [а-яё]{3,}/.test(after)) return null
  const grammaticalCase = caseBehind(before)
  if (grammaticalCase === null) return 'половина'
  const endings = { accusative: 'у', genitive: 'ы', dative: 'е', instrumental: 'ой', prepositional: 'е' }
  return `половин${endings[grammaticalCase]}`
}

/** Groups of a telephone number are numbers, behind zeros. */
export function phone(number: string): string {
  if (number.length > 3) return digits(number)
  const zeros = /^0+(?=.)/.exec(number)?.[0] ?? ''
  return [digits(zeros), cardinal(Number(number.slice(zeros.length)))].filter(Boolean).join(' ')
}

/** Units and currencies by the preposition before them: "до пяти рублей", "в двух километрах от". */
export function countedIn(value: number, thing: Counted, { before, after }: Around): string | null {
  if (value > LARGEST_SPELLED) return null
  if (isOne(value) && EACH_BEFORE.test(before)) return countIn(value, thing, 'dative')
  const isAt = /(?:^|\s)в\s$/i.test(before) && /^ (?:от|к)\s/.test(after)
  const grammaticalCase = isAt ? 'prepositional' : caseBehind(before.replace(/[-−+]$/, ''))
  return grammaticalCase === null ? null : countIn(value, thing, grammaticalCase)
}

export const NOUN = /^ (?:[а-яё]+(?:ых|их|ые|ие|ым|им|ыми|ими|ой|ая|ую|ый|ое|ого) )?(?<noun>[а-яё]{2,})/

/** The case and the gender of a number by the preposition before it and the ending of the noun behind it. */
export function bare(value: number, { before, after }: Around): string | null {
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
  const isFew = plural(value) === 'few' && /(?:ов|ев|ёв|ей|^лет|^человек)$/.test(noun)
  return isFew || GENITIVE_BEFORE.test(before) ? 'genitive' : null
}

const MASCULINE_IN_A = /^(?:мужчина|юноша|дядя|дедушка|папа|судья|коллега)$/

const FEMININE_SOFT =
  /(?:ость|есть|ночь|дверь|часть|роль|площадь|скорость|тетрадь|степень|кость|мысль|речь|очередь|цель|область|болезнь|жизнь|смерть|дочь|мать|неделю)$/

export const FEMININE_IN_E =
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
