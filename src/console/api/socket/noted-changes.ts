/** The last news of each row with its time, by any clock that only rises. */
export type Noted<Row> = ReadonlyMap<string, { readonly row: Row; readonly at: number }>

export const noted = <Row>(before: Noted<Row>, changed: ReadonlyMap<string, Row>, at: number): Noted<Row> =>
  new Map([...before, ...[...changed].map(([id, row]) => [id, { row, at }] as const)])

/** Keeps news that came after the question, which its answer may not hold. */
export const notedSince = <Row>(before: Noted<Row>, askedAt: number): Noted<Row> =>
  new Map([...before].filter(([, { at }]) => at >= askedAt))
