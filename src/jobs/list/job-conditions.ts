import { escapeLiteral } from 'pg'
import { firstIdAt } from '../../values/id.ts'

/** Makes a value a parameter of the statement, and returns its name there: `$2`. */
export type Parameter = (value: unknown) => string

/** Sorts after every id that begins with what stands before it. */
const LAST = '\u{10ffff}'

/** Written out rather than passed as parameters: the statistics of each value decide the plan. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 1
    ? `${column} = ${escapeLiteral(values[0] ?? '')}`
    : `${column} in (${[...new Set(values)].map((value) => escapeLiteral(value)).join(', ')})`

/** Which ids a job may have. */
interface IdRange {
  /** A literal beginning. */
  readonly prefix?: string | null | undefined
  /** Inclusive. */
  readonly from?: Date | null | undefined
  /** Exclusive. */
  readonly to?: Date | null | undefined
}

/** A job's created_at is its id's own time, so a window of time is a range of ids. */
export const idConditions = ({ prefix, from, to }: IdRange, parameter: Parameter): string[] => [
  ...(prefix ? [`id >= ${parameter(prefix)}`, `id < ${parameter(prefix + LAST)}`] : []),
  ...(from ? [`id >= ${parameter(firstIdAt('job', from))}`] : []),
  ...(to ? [`id < ${parameter(firstIdAt('job', to))}`] : []),
]
