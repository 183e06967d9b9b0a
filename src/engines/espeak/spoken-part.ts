/** Spoken text and its stretch of the submitted text in code points. */
export interface SpokenPart {
  readonly spoken: string
  readonly start: number
  readonly length: number
}

export const spokenText = (parts: readonly SpokenPart[]): string => parts.map(({ spoken }) => spoken).join('')

/** `inner` counts code points of what `outer` says. */
export function composeParts(outer: readonly SpokenPart[], inner: readonly SpokenPart[]): SpokenPart[] {
  const origins = outer.flatMap((part) => Array.from(part.spoken, () => part))
  return inner.map(({ spoken, start, length }) => {
    const [first, last] = [origins[start], origins[start + length - 1]]
    if (first === undefined || last === undefined) return { spoken, start: 0, length: 0 }
    return { spoken, start: first.start, length: last.start + last.length - first.start }
  })
}
