interface Token {
  /** In code points of the text. */
  readonly start: number
  readonly length: number
  readonly spoken: string
}

/** A part of a text; `spoken` is null if it is spoken as it is written, and empty if it is silent. */
export interface ReadPart {
  readonly start: number
  readonly written: string
  readonly spoken: string | null
}

/** Cuts a text at its tokens. */
export function readParts(text: string, tokens: readonly Token[]): readonly ReadPart[] {
  const points = Array.from(text)
  const parts: ReadPart[] = []
  let at = 0
  const add = (end: number, spoken: string | null): void => {
    if (end > at) parts.push({ start: at, written: points.slice(at, end).join(''), spoken })
    at = end
  }
  for (const { start, length, spoken } of tokens) {
    add(start, null)
    add(start + length, spoken)
  }
  add(points.length, null)
  return parts
}
