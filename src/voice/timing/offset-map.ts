import type { TokenKind } from '../../reading/scan.ts'

/** UTF-16 units. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A stretch of spoken text with its range in the submitted text. */
export interface SpokenSpan extends TextRange {
  readonly spoken: string
  /** Words for a number, a sign or an abbreviation; empty: it is silent. */
  readonly isRead?: true
  /** Class of words that differ from the written ones; `lexicon` for an entry of the account. */
  readonly kind?: TokenKind | 'lexicon'
}

/** Maps offsets of the spoken text to the submitted text. Any part of an alias maps to its whole range. */
export class OffsetMap {
  readonly spoken: string
  readonly submitted: string
  readonly #all: readonly SpokenSpan[]
  readonly #spans: readonly SpokenSpan[]
  readonly #starts: readonly number[]
  readonly #verbatim: readonly boolean[]

  constructor(submitted: string, spans: readonly SpokenSpan[]) {
    this.submitted = submitted
    this.#all = spans
    this.#spans = spans.filter(({ spoken }) => spoken !== '')
    this.spoken = this.#spans.map(({ spoken }) => spoken).join('')
    let at = 0
    this.#starts = this.#spans.map(({ spoken }) => {
      at += spoken.length
      return at - spoken.length
    })
    this.#verbatim = this.#spans.map(
      ({ spoken, start: from, end }) => end - from === spoken.length && submitted.startsWith(spoken, from),
    )
  }

  static plain(text: string): OffsetMap {
    return new OffsetMap(text, [{ spoken: text, start: 0, end: text.length }])
  }

  /** Returns the submitted range behind a spoken one. */
  toSubmitted({ start, end }: TextRange): TextRange {
    const first = this.#find(start)
    const last = this.#find(Math.max(start, end - 1))
    if (first === null || last === null) return { start: this.submitted.length, end: this.submitted.length }
    const from = first.isVerbatim ? first.span.start + start - first.at : first.span.start
    const to = last.isVerbatim ? last.span.start + Math.max(start, end) - last.at : last.span.end
    return { start: from, end: Math.max(from, Math.min(to, last.span.end)) }
  }

  heard(): TextRange[] {
    const ranges: { start: number; end: number }[] = []
    for (const { start, end } of this.#all) {
      const before = ranges.at(-1)
      if (before !== undefined && before.end === start) before.end = end
      else ranges.push({ start, end })
    }
    return ranges
  }

  /** Parts of the submitted text that are spoken in other words, or not at all. */
  read(): readonly SpokenSpan[] {
    return this.#all.filter(({ isRead, start, end }) => isRead && end > start)
  }

  /** Parts of the submitted text with a class of words. */
  changed(): readonly SpokenSpan[] {
    return this.#all.filter(({ kind, start, end }) => kind !== undefined && end > start)
  }

  #find(offset: number): { readonly span: SpokenSpan; readonly at: number; readonly isVerbatim: boolean } | null {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    const span = this.#spans[low]
    return span === undefined ? null : { span, at: this.#starts[low]!, isVerbatim: this.#verbatim[low]! }
  }
}
