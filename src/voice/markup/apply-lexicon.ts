import type { Lexicon } from '../../lexicon/compile-lexicon.ts'
import { FIXED } from '../../lexicon/tokens.ts'
import { OffsetMap } from '../timing/offset-map.ts'
import type { Script, ScriptSpan, Segment } from './script.ts'

/** The same script with what a lexicon says instead of some words; aliases of the text's own markup stay as they are. Pure. */
export function applyLexicon(
  script: Script,
  submitted: string,
  lexicon: Lexicon,
  languageOf: (segment: Segment) => string | undefined,
): Script {
  const segments = script.segments.map((segment) => ({
    ...segment,
    spans: replaced(segment.spans, submitted, (text) => lexicon.find(text, languageOf(segment))),
  }))
  return { ...script, segments }
}

function replaced(
  spans: readonly ScriptSpan[],
  submitted: string,
  find: (text: string) => ReturnType<Lexicon['find']>,
): readonly ScriptSpan[] {
  const text = spans.map(({ spoken, isFixed }) => (isFixed ? FIXED.repeat(spoken.length) : spoken)).join('')
  const replacements = find(text)
  if (replacements.length === 0) return spans
  const map = new OffsetMap(submitted, spans)
  const rest = new SpanReader(spans)
  const made = replacements.flatMap(({ start, end, alias }) => {
    const before = rest.takeUntil(start)
    rest.takeUntil(end)
    return [...before, { spoken: alias, ...map.toSubmitted({ start, end }), isFixed: true as const }]
  })
  return [...made, ...rest.takeUntil(text.length)]
}

/** Gives spans piece by piece, in order. */
class SpanReader {
  readonly #spans: readonly ScriptSpan[]
  #index = 0
  /** Where the span begins that comes next, in what is spoken. */
  #start = 0
  #at = 0

  constructor(spans: readonly ScriptSpan[]) {
    this.#spans = spans
  }

  /** What is spoken from where the last call ended up to an offset. */
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
