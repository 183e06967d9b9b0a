import { keepingSentenceEnd, listRule, oneOf, rule, wordRule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import {
  ACCUSATIVE_BEFORE,
  cardinal,
  DATIVE_BEFORE,
  date,
  GENITIVE_BEFORE,
  ordinalForm,
  START,
  time,
} from './russian-grammar.ts'
import { DAYS, MONTH_FORMS, MONTHS } from './russian-words.ts'

const AT_YEAR = new RegExp(`${START}(?:в|во|о|об|при)\\s$`, 'i')

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
export function formOf(noun: string, before: string): readonly [form: string, noun: string] {
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

/** "В 1812 г. Наполеон": the period does not end the sentence that begins there. */
const STARTS_SENTENCE = /(?:^|[.!?]\s)(?:В|К|С|До|После|От|Около)\s$/

export function years(): Rule[] {
  const readYear: Read = ({ number = '', noun = '' }, around, match) => {
    const { before, after } = around
    if (number.length < 3 && (/^год/.test(noun) || (noun === 'г.' && !/^ (?:до )?н/.test(after)))) return null
    const [form, spokenNoun] = formOf(noun, before)
    const spoken = `${ordinalForm(Number(number), form)} ${spokenNoun}`
    return STARTS_SENTENCE.test(before) && /\p{L}/u.test(after) ? spoken : keepingSentenceEnd(match, around, spoken)
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

export function datesWithYears(): Rule[] {
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

const WEEKDAYS = oneOf(Object.keys(DAYS))

const DAYS_BEFORE = new RegExp(`(?:^|[\\s(])(?:в|во|на|за|по)\\s(?:(?:${WEEKDAYS})(?: и | или |, ))?$`, 'i')

/** "в 1 ночи", "приходи в 1", but "2 в 1". */
const oneOClock = (): Rule[] => [
  rule('time', 'digit', String.raw`1(?= (?:ночи|дня)(?!\p{L})|\s*$|[,;!?)]|\.(?:\s|$))`, (_groups, { before }) => {
    if (/\d\sв\s$/.test(before)) return 'одном'
    if (/(?:^|[\s(])в\s$/i.test(before)) return 'час'
    return null
  }),
]

export function datesInShort(): Rule[] {
  const months = oneOf(MONTH_FORMS.flatMap((forms) => forms.slice(1)))
  return [
    ...oneOClock(),
    // "до 15.05".
    rule(
      'date',
      'digit',
      String.raw`(?<day>0?[1-9]|[12]\d|3[01])\.(?<month>0[1-9]|1[0-2])(?!\d|\.\d|,\d| ?[%₽]| (?:руб|млн|млрд|тыс))`,
      ({ day, month }, { before, after }) =>
        /(?:(?:^|[\s(])(?:до|с|со|к|от|на|по|за|после|срок|дата)\s|[.!?]\s|^)$/i.test(before)
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
    listRule(
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

export function weekdays(): Rule[] {
  return [
    // "пн–пт", "в сб".
    listRule(
      'date',
      Object.keys(DAYS),
      String.raw`(?<from>${WEEKDAYS})\.?\s?[-–—]\s?(?<to>${WEEKDAYS})(?![а-яё])\.?`,
      ({ from = '', to = '' }, around, match) => {
        const start = /(?:^|\s)с\s$/i.test(around.before) ? '' : 'с '
        return keepingSentenceEnd(match, around, `${start}${DAYS[from]?.genitive} по ${DAYS[to]?.accusative}`)
      },
    ),
    listRule('date', Object.keys(DAYS), String.raw`(?<day>${WEEKDAYS})(?![а-яё])\.?`, ({ day = '' }, around, match) => {
      const isGenitive = /(?:^|[\s(])(?:с|до|от)\s$/i.test(around.before)
      const form = isGenitive
        ? DAYS[day]?.genitive
        : DAYS_BEFORE.test(around.before)
          ? DAYS[day]?.accusative
          : undefined
      return form === undefined ? null : keepingSentenceEnd(match, around, form)
    }),
  ]
}

/** "с 1 по 10 января", "1–3 мая", "1 и 2 января", "1, 2 и 3 мая". */
export function dayRanges(): Rule[] {
  const MONTH = `(?:${oneOf(MONTHS)})(?!\\p{L})`
  return [
    // "30 ноября – 13 марта".
    rule(
      'range',
      'digit',
      String.raw`(?<from>\d{1,2}) (?<first>${oneOf(MONTHS)}) ?[-–—] ?(?<to>\d{1,2})(?= ${MONTH})`,
      ({ from, first, to }, { before }) =>
        `${/(?:^|\s)со?\s$/i.test(before) ? '' : 'с '}${ordinalForm(Number(from), 'neuter-genitive')} ${first} по ${ordinalForm(Number(to), 'neuter')}`,
    ),
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
  /^(?:\s*$|\s*[,.;:!?)»—–](?!\d)|\s(?:[А-ЯЁ«(]|(?:и|а|но|он|она|они|мы|я|в|во|на|с|у|для|из|за|от|при|после|его|её|их|не|что|как|когда|где|уже|там|здесь)\s|[а-яё]{2,}(?:ал|ил|ел|ял|ла|ло|ли|лся|лась|лись|лось|ает|яет|ует|ёт|ится|ется|ются|ятся|утся|ают|яют|уют)(?![а-яё])))/

/** "В 2012 он переехал", "с 2015", "в мае 2020": a year without its noun. */
export function loneYears(): Rule[] {
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
