import { keepingSentenceEnd, listRule, oneOf, plainDigits, romanValue, rule, SUBSCRIPTS, wordRule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { formOf } from './russian-dates.ts'
import {
  bare,
  cardinal,
  cardinalIn,
  digits,
  FEMININE_IN_E,
  isOne,
  NOUN,
  ordinalForm,
  PREPOSITIONAL_BEFORE,
  phone,
} from './russian-grammar.ts'
import {
  ELEMENTS,
  FEMININE_STEMS,
  FORMULAS,
  LATIN_LETTERS,
  LETTERS,
  MASCULINE_STEMS,
  MONTHS,
  RULERS_OBLIQUE,
  UNITS,
} from './russian-words.ts'

/** "1 1/2 л": "полтора литра", "2 ½ часа": "два с половиной часа". */
export function halves(): Rule[] {
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

export function compounds(): Rule[] {
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

/** "на 5 минуте", "в 3 томе": a single thing behind a number that is not one is numbered. */
function numberedPlaces(): Rule[] {
  return [
    rule(
      'ordinal',
      'digit',
      String.raw`(?<number>\d{1,3})(?= (?<noun>[а-яё]{2,}[бвгджзклмнпрстфхц]е)(?![а-яё]))`,
      ({ number, noun = '' }, { before }) => {
        const value = Number(number)
        const isNumbered = !isOne(value) || /(?:странице|минуте|секунде|километре|месте)$/.test(noun)
        if (!isNumbered || /же$/.test(noun) || !PREPOSITIONAL_BEFORE.test(before)) return null
        return ordinalForm(
          value,
          FEMININE_IN_E.test(noun) || /секунде$/.test(noun) ? 'feminine-genitive' : 'masculine-prepositional',
        )
      },
    ),
    // "заняла 2 место".
    rule('ordinal', 'digit', String.raw`(?<number>\d{1,3})(?= место(?![а-яё]))`, ({ number }, { before }) =>
      !isOne(Number(number)) || /(?:занял[аио]?|занимает|взял[аи]?|за|на) $/.test(before)
        ? ordinalForm(Number(number), 'neuter')
        : null,
    ),
    // "2-комн. кв.".
    rule(
      'cardinal',
      'digit',
      String.raw`(?<number>[1-9])-комн\. ?кв(?:\.|артира)`,
      ({ number }) => `${jointForm(Number(number))}комнатная квартира`,
    ),
  ]
}

export function ordinals(): Rule[] {
  return [
    ...numberedPlaces(),
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
      String.raw`(?<number>\d{1,3}) (?<noun>(?:класс|этаж|курс|том|этап|раунд|ряд|вагон|микрорайон|акт|квартал|тур|сезон|подъезд|съезд|канал|разряд)(?<ending>[еау]?))(?![а-яё])`,
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

/** "на 45-й минуте": a feminine noun in an oblique case. */
export function feminineOrdinals(): Rule[] {
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

/** Numbers of persons and firms, and telephones without gaps. */
export function longNumbers(): Rule[] {
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

const PLACES: Readonly<Record<string, string>> = {
  'д.': 'деревня',
  'с.': 'село',
  'р.': 'река',
  'о.': 'остров',
  'м.': 'метро',
}

export function places(): Rule[] {
  return [
    // "д. 7, стр. 1": a building.
    listRule('abbreviation', ['стр.'], String.raw`стр\. ?(?=\d)`, (_groups, { before }) =>
      /(?:д\.|дом|корп\.|вл\.) ?\d{1,4}[а-яА-Я]?,? $/.test(before) ? 'строение ' : null,
    ),
    // "д. Иваново", "с. Петровское", "ст. лейтенант".
    wordRule(
      'abbreviation',
      Object.keys(PLACES),
      String.raw`(?<word>[дсром]\.)(?= ?[А-ЯЁ][а-яё]+(?! [А-ЯЁ]\.))`,
      ({ word = '' }) => PLACES[word] ?? null,
    ),
    listRule('abbreviation', ['ст.'], String.raw`ст\.(?= [а-яё]{5})`, () => 'старший'),
  ]
}

export function laws(): Rule[] {
  const CASES = { статья: 'статьи', часть: 'части', пункт: 'пункта' }
  const NAMES: Readonly<Record<string, keyof typeof CASES>> = { 'ст.': 'статья', 'ч.': 'часть', 'п.': 'пункт' }
  return [
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
    // "и/или", "Тел./факс".
    rule('symbol', 'symbol', '\\/(?=[а-яё])', (_groups, { before }) => (/[а-яё]\.?$/i.test(before) ? ' ' : null)),
    // "mc²".
    wordRule('math', LATIN, '[a-zA-Z]{2,3}(?=[²³⁴])', (_groups, _around, match) =>
      Array.from(match, (letter) => LATIN_LETTERS[letter.toLowerCase()]).join(' '),
    ),
  ]
}

export function codes(): Rule[] {
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

export function numerals(): Rule[] {
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
    wordRule(
      'roman',
      Array.from('ПАИЛГКВФНРЭБМЕ'),
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

export function romanOrdinals(): Rule[] {
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

const LATIN = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')

export function formulas(): Rule[] {
  const elements = (formula: string): string =>
    (formula.match(/[A-Z][a-z]?|\d+|[₀-₉]+/g) ?? [])
      .map((part) => {
        if (/^\d/.test(part)) return cardinal(Number(part))
        if (/^[₀-₉]/.test(part)) return cardinal(Number(plainDigits(part, SUBSCRIPTS)))
        return ELEMENTS[part] ?? Array.from(part, (letter) => LATIN_LETTERS[letter.toLowerCase()]).join(' ')
      })
      .join(' ')
  return [
    listRule('math', ['pH'], String.raw`pH(?![\p{L}\d])`, () => 'пэ аш'),
    // "CO2", "H₂SO₄".
    wordRule(
      'math',
      LATIN,
      String.raw`(?:${FORMULAS}|(?:[A-Z][a-z]?[₀-₉]{0,3}){1,12}(?<=[₀-₉][A-Za-z]{0,4}))(?![\p{L}\d])`,
      (_groups, _around, match) => elements(match),
    ),
    // "x² + y²", "витамин C".
    wordRule(
      'math',
      LATIN,
      String.raw`(?<letter>[a-zA-Z])(?![\p{L}\d_'’@&/:-]|\.\s?\p{L})`,
      ({ letter = '' }, { before }) =>
        /[@_/.&'’+-]$/.test(before) ? null : (LATIN_LETTERS[letter.toLowerCase()] ?? null),
    ),
  ]
}
