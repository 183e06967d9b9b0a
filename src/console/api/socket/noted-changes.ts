/** What was heard of a row, and when: by any clock that only rises. */
export type Noted<Row> = ReadonlyMap<string, { readonly row: Row; readonly at: number }>

export const noted = <Row>(before: Noted<Row>, changed: ReadonlyMap<string, Row>, at: number): Noted<Row> =>
  new Map([...before, ...[...changed].map(([id, row]) => [id, { row, at }] as const)])

/** What an answer may not know yet: it was noted after the question was asked. */
export const notedSince = <Row>(before: Noted<Row>, askedAt: number): Noted<Row> =>
  new Map([...before].filter(([, { at }]) => at >= askedAt))
