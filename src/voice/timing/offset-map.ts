/** A stretch of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A stretch of what is spoken, and the stretch of the submitted text that it stands for. */
export interface SpokenSpan extends TextRange {
  readonly spoken: string
}

/**
 * Where in the submitted text that stands which is spoken. A text as it was submitted is one span; markup leaves stretches of it out, and
 * an alias stands for what it replaces as a whole: any part of its sound is all of that. Spans are in the order of the text; where one is
 * left out of what is spoken, nothing stands for it.
 */
export class OffsetMap {
  /** What is spoken: the spans one after the other. */
  readonly spoken: string
  readonly submitted: string
  readonly #spans: readonly SpokenSpan[]
  /** Where each span begins in what is spoken. */
  readonly #starts: readonly number[]

  constructor(submitted: string, spans: readonly SpokenSpan[]) {
    this.submitted = submitted
    this.#spans = spans.filter(({ spoken }) => spoken !== '')
    this.spoken = this.#spans.map(({ spoken }) => spoken).join('')
    let at = 0
    this.#starts = this.#spans.map(({ spoken }) => {
      at += spoken.length
      return at - spoken.length
    })
  }

  /** A text that is spoken as it was submitted. */
  static plain(text: string): OffsetMap {
    return new OffsetMap(text, [{ spoken: text, start: 0, end: text.length }])
  }

  /** What stands in the submitted text for a stretch of what is spoken: from the first of it to the last. */
  toSubmitted({ start, end }: TextRange): TextRange {
    const first = this.#find(start)
    const last = this.#find(Math.max(start, end - 1))
    if (first === null || last === null) return { start: this.submitted.length, end: this.submitted.length }
    const from = this.#isVerbatim(first.span) ? first.span.start + start - first.at : first.span.start
    const to = this.#isVerbatim(last.span) ? last.span.start + Math.max(start, end) - last.at : last.span.end
    return { start: from, end: Math.max(from, Math.min(to, last.span.end)) }
  }

  /** What of the submitted text is heard, in order: all but its markup. Neighbours are one. */
  heard(): TextRange[] {
    const ranges: { start: number; end: number }[] = []
    for (const { start, end } of this.#spans) {
      const before = ranges.at(-1)
      if (before !== undefined && before.end === start) before.end = end
      else ranges.push({ start, end })
    }
    return ranges
  }

  #isVerbatim({ spoken, start, end }: SpokenSpan): boolean {
    return end - start === spoken.length && this.submitted.startsWith(spoken, start)
  }

  /** The span that is spoken at an offset, and where it begins; the last one at the end. */
  #find(offset: number): { readonly span: SpokenSpan; readonly at: number } | null {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    const span = this.#spans[low]
    return span === undefined ? null : { span, at: this.#starts[low]! }
  }
}
