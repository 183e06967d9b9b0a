import { detectLanguage, knownLanguage, LANGUAGE_CODES, type Language } from '../../engines/espeak/detect-language.ts'
import { FIXED, type Lexicon, type Replacement } from '../../lexicon/compile-lexicon.ts'
import { PAUSE_MS } from '../join.ts'
import type { Pause } from '../split.ts'
import { OffsetMap, type SpokenSpan } from '../timing/offset-map.ts'

const ORDINALS: Readonly<Partial<Record<Language, string>>> = {
  French: 'premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième',
  Italian: 'primo secondo terzo quarto quinto sesto settimo ottavo nono decimo',
  Spanish: 'primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo',
  Portuguese: 'primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo',
  German:
    'erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste zweiundzwanzigste dreiundzwanzigste vierundzwanzigste fünfundzwanzigste sechsundzwanzigste siebenundzwanzigste achtundzwanzigste neunundzwanzigste dreißigste einunddreißigste',
  Russian:
    'первый второй третий четвёртый пятый шестой седьмой восьмой девятый десятый одиннадцатый двенадцатый тринадцатый четырнадцатый пятнадцатый шестнадцатый семнадцатый восемнадцатый девятнадцатый двадцатый',
  Korean: '첫_번째 두_번째 세_번째 네_번째 다섯_번째 여섯_번째 일곱_번째 여덟_번째 아홉_번째 열_번째',
}
const US_ORDER = 'mdy'
const ORDER = 'dmy'
const ISO_ORDER = 'ymd'

/** Deviations of a stretch: `language` is one of LANGUAGES, `rate` a factor of the job's pace. */
export interface Manner {
  readonly language?: string
  readonly voice?: string
  readonly rate?: number
}

/** `isFixed` protects the span from lexicons. */
export interface ScriptSpan extends SpokenSpan {
  readonly isFixed?: true
  readonly sayAs?: SayAs
}

export interface Segment {
  readonly spans: readonly ScriptSpan[]
  readonly manner: Manner
  readonly pause: Pause
  readonly silenceMs: number
}

export interface Script {
  readonly segments: readonly Segment[]
  /** Charged characters: code points without markup, or of an alias if it is longer, and one for each 100 ms of pauses beyond 2 s. */
  readonly characters: number
  readonly isTooSilent?: boolean
}

export interface SayAs {
  readonly as: string
  readonly format: string
}

export class MarkupViolation extends Error {
  override readonly name = 'MarkupViolation'
}

export const MAX_PAUSE_MS = 10_000
const MAX_SILENCE_MS = 300_000
const SILENCE_MS = 20_000
const SILENCE_MS_PER_CHARACTER = 1000
const FREE_SILENCE_MS = 2000
const SILENCE_MS_FOR_A_CHARACTER = 100
const PAUSES: readonly Pause[] = ['none', 'clause', 'sentence', 'paragraph']
const MOST_TIMES = 2
const MOST_MORE = 1000

export class ScriptBuilder {
  readonly #segments: Segment[] = []
  #spans: ScriptSpan[] = []
  #manner: Manner = {}
  #silenceMs = 0
  #characters = 0

  add(span: ScriptSpan, charged: number): void {
    this.#spans.push(span)
    this.#characters += charged
  }

  /**
   * Ends the current segment.
   * @throws MarkupViolation for too much silence in all
   */
  cut(at: number, pause: Pause, silenceMs = 0): void {
    this.#silenceMs += silenceMs
    if (this.#silenceMs > MAX_SILENCE_MS)
      throw new MarkupViolation(`must not have more than ${MAX_SILENCE_MS / 1000} s of pauses`)
    if (isBlank(this.#spans)) this.#lengthenPause(pause)
    if (this.#spans.length === 0 && silenceMs === 0) return
    const spans = [...this.#spans, { spoken: ' ', start: at, end: at, isFixed: true as const }]
    this.#segments.push({ spans, manner: this.#manner, pause, silenceMs })
    this.#spans = []
  }

  #lengthenPause(pause: Pause): void {
    const at = this.#segments.findLastIndex(({ spans, silenceMs }) => silenceMs > 0 || !isBlank(spans))
    const last = this.#segments[at]
    if (last === undefined) return
    if (PAUSES.indexOf(pause) > PAUSES.indexOf(last.pause)) this.#segments[at] = { ...last, pause }
  }

  set manner(manner: Manner) {
    this.#manner = manner
  }

  finish(at: number): Script {
    this.cut(at, 'none')
    const { pausesMs, orderedMs } = pausesIn(this.#segments)
    const charged = Math.max(0, Math.floor((orderedMs - FREE_SILENCE_MS) / SILENCE_MS_FOR_A_CHARACTER))
    return {
      segments: this.#segments,
      characters: this.#characters + charged,
      isTooSilent: pausesMs > SILENCE_MS + SILENCE_MS_PER_CHARACTER * this.#characters,
    }
  }
}

/** Totals of all pauses, and of those that markup adds beyond the free pauses of plain text. */
function pausesIn(segments: readonly Segment[]): { readonly pausesMs: number; readonly orderedMs: number } {
  const last = segments.findLastIndex(({ spans, silenceMs }) => silenceMs > 0 || !isBlank(spans))
  let [pausesMs, orderedMs] = [0, 0]
  for (const [index, { spans, manner, pause, silenceMs }] of segments.entries()) {
    const isSpoken = silenceMs === 0 && index < last && !isBlank(spans)
    const pauseMs = isSpoken ? PAUSE_MS[pause] / (manner.rate ?? 1) : silenceMs
    pausesMs += pauseMs
    orderedMs += isSpoken ? Math.max(0, pauseMs - PAUSE_MS[pause]) : silenceMs
  }
  return { pausesMs, orderedMs }
}

export const TOO_SILENT = `must not have more than ${SILENCE_MS / 1000} s of pauses, and 1 s more for each character of its text`

const isBlank = (spans: readonly ScriptSpan[]): boolean => spans.every(({ spoken }) => spoken.trim() === '')

export const isFarLonger = (spoken: number, submitted: number): boolean => spoken > MOST_TIMES * submitted + MOST_MORE

export const spokenText = ({ segments }: Pick<Script, 'segments'>): string =>
  segments.flatMap(({ spans }) => spans.map(({ spoken }) => spoken)).join('')

export class SpanReader {
  readonly #spans: readonly ScriptSpan[]
  #index = 0
  #start = 0
  #at = 0

  constructor(spans: readonly ScriptSpan[]) {
    this.#spans = spans
  }

  takeUntil(end: number): ScriptSpan[] {
    const taken: ScriptSpan[] = []
    for (let span = this.#spans[this.#index]; span !== undefined && this.#at < end; span = this.#spans[this.#index]) {
      const to = Math.min(end, this.#start + span.spoken.length)
      taken.push(part(span, this.#at - this.#start, to - this.#start))
      this.#at = to
      if (to < this.#start + span.spoken.length) break
      this.#start = to
      this.#index++
    }
    return taken
  }
}

function part(span: ScriptSpan, from: number, to: number): ScriptSpan {
  const spoken = span.spoken.slice(from, to)
  const isVerbatim = span.end - span.start === span.spoken.length
  return isVerbatim ? { ...span, spoken, start: span.start + from, end: span.start + to } : { ...span, spoken }
}

/** Reads a text as `say-as` asks; returns the text itself if there is no rule. Pure. */
export function saidAs(text: string, { as, format }: SayAs, language: Language): string {
  const trimmed = text.trim()
  const said = (READERS[as] ?? (() => null))(trimmed, language, format)
  return said === null ? text : text.replace(trimmed, () => said)
}

type Reader = (text: string, language: Language, format: string) => string | null

const READERS: Readonly<Record<string, Reader>> = {
  ordinal: (text, language) =>
    /^\d{1,15}$/.test(text.replace(/\D+$/, '')) ? ordinal(Number.parseInt(text, 10), language) : null,
  digits: (text) => apart(text),
  telephone: (text) => apart(text.replace(/[\s().\-–/]+/g, ', ').replace(/^, |, $/g, '')),
  date,
}

const apart = (text: string): string => text.replace(/\p{Nd}(?=\p{Nd})|\+(?=\p{Nd})/gu, '$& ')

function ordinal(number: number, language: Language): string {
  const listed = ORDINALS[language]?.split(' ')[number - 1]?.replace('_', ' ')
  if (listed !== undefined) return listed
  if (language === 'English') return `${number}${englishSuffix(number)}`
  if (language === 'Chinese') return `第${number}`
  if (language === 'Japanese') return `${number}番目`
  if (language === 'Korean') return `${number}번째`
  const suffixes: Readonly<Partial<Record<Language, string>>> = { French: 'e', German: '.', Russian: '-й' }
  return `${number}${suffixes[language] ?? 'º'}`
}

function englishSuffix(number: number): string {
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number)
  return { one: 'st', two: 'nd', few: 'rd', other: 'th', many: 'th', zero: 'th' }[rule]
}

function date(text: string, language: Language, format: string): string | null {
  const numbers = /^\d{8}$/.test(text)
    ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
    : (text.match(/\d+/g) ?? [])
  if (/\p{L}{2}/u.test(text) || numbers.length === 0) return null
  const given = format
    .toLowerCase()
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  const usual = numbers[0]!.length === 4 ? ISO_ORDER : language === 'English' ? US_ORDER : ORDER
  const order = given.length === numbers.length ? given : usual
  const part = (name: string) => (order.includes(name) ? Number(numbers[order.indexOf(name)]) : Number.NaN)
  const [day, month, year] = [part('d'), part('m'), part('y')]
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  return spokenDate(day, month, year, language)
}

function spokenDate(day: number, month: number, year: number, language: Language): string {
  const at = new Date(0)
  at.setUTCFullYear(Number.isNaN(year) ? 2000 : year, Number.isNaN(month) ? 0 : month - 1, Number.isNaN(day) ? 1 : day)
  const said = new Intl.DateTimeFormat(LANGUAGE_CODES[language], {
    timeZone: 'UTC',
    ...(!Number.isNaN(day) && { day: 'numeric' }),
    ...(!Number.isNaN(month) && { month: 'long' }),
    ...(!Number.isNaN(year) && { year: 'numeric' }),
  }).format(at)
  if (Number.isNaN(day)) return said.replace(/ г\.$/, '')
  if (language === 'English') return said.replace(/\d+/, () => ordinal(day, language))
  if (language === 'German') return said.replace(/\d+\./, () => `${ordinal(day, language)}r`)
  if (language === 'French' && day === 1) return said.replace(/1(?:er)?/, 'premier')
  return said.replace(/ г\.$/, ' года')
}

/** The language that was asked for, else the detected one. */
export const languageOf = (script: Script, asked: unknown, own: Language | undefined): Language | undefined =>
  knownLanguage(asked) ?? detectLanguage(spokenText(script), own)

/**
 * Replaces words by a lexicon's entries; fixed spans, such as aliases of the markup, stay. Pure.
 * @param whole the language of stretches that state none
 */
export function applyLexicon(script: Script, submitted: string, lexicon: Lexicon, whole: Language | undefined): Script {
  const segments = script.segments.map(({ spans, ...segment }) => {
    const found = lexicon.find(freeText(spans), segment.manner.language ?? whole)
    return { ...segment, spans: replaceIn(spans, submitted, found, { isFixed: true, kind: 'lexicon' }) }
  })
  return { ...script, segments }
}

/** Returns a text in which each fixed character, except for spaces, is a placeholder. */
export const freeText = (spans: readonly ScriptSpan[]): string =>
  spans.map(({ spoken, isFixed }) => (isFixed ? spoken.replace(/\S/g, FIXED) : spoken)).join('')

/** @param replacements in order, in UTF-16 units of the spoken text */
export function replaceIn(
  spans: readonly ScriptSpan[],
  submitted: string,
  replacements: readonly (Replacement & Pick<ScriptSpan, 'kind'>)[],
  made: Pick<ScriptSpan, 'isFixed' | 'isRead' | 'kind'>,
): readonly ScriptSpan[] {
  if (replacements.length === 0) return spans
  const map = new OffsetMap(submitted, spans)
  const rest = new SpanReader(spans)
  const all = replacements.flatMap(({ start, end, alias, kind }) => {
    const before = rest.takeUntil(start)
    rest.takeUntil(end)
    return [...before, { spoken: alias, ...map.toSubmitted({ start, end }), ...made, ...(kind && { kind }) }]
  })
  return [...all, ...rest.takeUntil(map.spoken.length)]
}
