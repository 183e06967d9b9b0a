import { PAUSE_MS } from '../join.ts'
import type { Pause } from '../split.ts'
import type { SpokenSpan } from '../timing/offset-map.ts'
import type { SayAs } from './say-as.ts'

/** How a stretch is spoken otherwise than the rest. */
export interface Manner {
  /** One of LANGUAGES. */
  readonly language?: string
  /** A value of the voice input. */
  readonly voice?: string
  /** A factor of the job's own pace. */
  readonly rate?: number
}

/** A span whose words are spoken as they are, whatever a lexicon says. */
export interface ScriptSpan extends SpokenSpan {
  readonly isFixed?: true
  /** The `say-as` around the text, applied once the language is known. */
  readonly sayAs?: SayAs
}

/** A stretch that is spoken in one manner, and the silence behind it. */
export interface Segment {
  readonly spans: readonly ScriptSpan[]
  readonly manner: Manner
  /** What ends with it, if it is the end of anything. */
  readonly pause: Pause
  readonly silenceMs: number
}

/** A submitted text as it is to be spoken. */
export interface Script {
  readonly segments: readonly Segment[]
  /**
   * What is charged, in characters: the Unicode code points of the text without its markup, of an alias where that is longer than what it
   * replaces, and one for each full 100 ms of pauses beyond 2 s.
   */
  readonly characters: number
  /** Whether its pauses are longer than a text of its length may have. */
  readonly isTooSilent?: boolean
}

/** Markup that cannot be read: what is wrong, and where. */
export class MarkupViolation extends Error {
  override readonly name = 'MarkupViolation'
}

/** At most so long is one silence, and all of them together. */
export const MAX_PAUSE_MS = 10_000
const MAX_SILENCE_MS = 300_000
/** The most pauses of a job in milliseconds, and the addition for each character of text. */
const SILENCE_MS = 20_000
const SILENCE_MS_PER_CHARACTER = 1000
/** The pauses that cost nothing, and the length of those that cost as much as a character, in milliseconds. */
const FREE_SILENCE_MS = 2000
const SILENCE_MS_FOR_A_CHARACTER = 100
/** From the shortest on. */
const PAUSES: readonly Pause[] = ['none', 'clause', 'sentence', 'paragraph']
/** So much longer than what was submitted may be what is spoken: it is the former that is charged. */
const MOST_TIMES = 2
const MOST_MORE = 1000

/** Collects a script in the order of the text. */
export class ScriptBuilder {
  readonly #segments: Segment[] = []
  #spans: ScriptSpan[] = []
  #manner: Manner = {}
  #silenceMs = 0
  #characters = 0

  /** @param charged Unicode code points */
  add(span: ScriptSpan, charged: number): void {
    this.#spans.push(span)
    this.#characters += charged
  }

  /** Ends what was spoken so far, if there is anything. @throws MarkupViolation where there is too much silence in all */
  cut(at: number, pause: Pause, silenceMs = 0): void {
    this.#silenceMs += silenceMs
    if (this.#silenceMs > MAX_SILENCE_MS)
      throw new MarkupViolation(`must not have more than ${MAX_SILENCE_MS / 1000} s of pauses`)
    if (isBlank(this.#spans)) this.#lengthenPause(pause)
    if (this.#spans.length === 0 && silenceMs === 0) return
    // Words of two stretches are two words.
    const spans = [...this.#spans, { spoken: ' ', start: at, end: at, isFixed: true as const }]
    this.#segments.push({ spans, manner: this.#manner, pause, silenceMs })
    this.#spans = []
  }

  /** What ends with nothing new to say ends with the last words, or with the silence behind them. */
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

/**
 * The pauses of a script in milliseconds, and the part of them that markup orders: silences, and what a slow rate adds to the pauses after
 * sentences and paragraphs, which plain text has for nothing.
 */
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

/** The violation of a script with too many pauses. */
export const TOO_SILENT = `must not have more than ${SILENCE_MS / 1000} s of pauses, and 1 s more for each character of its text`

const isBlank = (spans: readonly ScriptSpan[]): boolean => spans.every(({ spoken }) => spoken.trim() === '')

/** Whether what is spoken is far longer than what was submitted. @param spoken and submitted in UTF-16 units */
export const isFarLonger = (spoken: number, submitted: number): boolean => spoken > MOST_TIMES * submitted + MOST_MORE

/** What of a script is heard, as one text. */
export const spokenText = ({ segments }: Pick<Script, 'segments'>): string =>
  segments.flatMap(({ spans }) => spans.map(({ spoken }) => spoken)).join('')

/** Gives spans piece by piece, in order. */
export class SpanReader {
  readonly #spans: readonly ScriptSpan[]
  #index = 0
  /** The offset of the next span in the spoken text. */
  #start = 0
  #at = 0

  constructor(spans: readonly ScriptSpan[]) {
    this.#spans = spans
  }

  /** Takes the spans from the end of the last call up to an offset. */
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

/** A span that is spoken otherwise than it was submitted is no shorter in the text for it. */
function part(span: ScriptSpan, from: number, to: number): ScriptSpan {
  const spoken = span.spoken.slice(from, to)
  const isVerbatim = span.end - span.start === span.spoken.length
  return isVerbatim ? { ...span, spoken, start: span.start + from, end: span.start + to } : { ...span, spoken }
}
