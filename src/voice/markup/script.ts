import { detectLanguage, knownLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { FIXED, type Lexicon, type Replacement } from '../../lexicon/compile-lexicon.ts'
import { PAUSE_MS } from '../join.ts'
import type { Pause } from '../split.ts'
import { OffsetMap, type SpokenSpan } from '../timing/offset-map.ts'

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

export const isBlank = (spans: readonly ScriptSpan[]): boolean => spans.every(({ spoken }) => spoken.trim() === '')

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
