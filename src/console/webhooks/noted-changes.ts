/** What was heard of a row, and when: by any clock that only rises. */
export type Noted<Row> = ReadonlyMap<string, { readonly row: Row; readonly at: number }>

/** Of more than a page can show, the newest are kept. */
const MAX_NOTED = 2000

export function noted<Row>(before: Noted<Row>, changed: ReadonlyMap<string, Row>, at: number): Noted<Row> {
  const others = [...before].filter(([id]) => !changed.has(id))
  const all = [...others, ...[...changed].map(([id, row]) => [id, { row, at }] as const)]
  return new Map(all.slice(-MAX_NOTED))
}

/** What an answer may not know yet: it was noted after the question was asked. */
export const notedSince = <Row>(before: Noted<Row>, askedAt: number): Noted<Row> =>
  new Map([...before].filter(([, { at }]) => at >= askedAt))
