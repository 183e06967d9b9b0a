import { toCsv } from '../jobs/csv.ts'

/** A column beside the time of each row. */
export interface TwinColumn {
  readonly name: string
  /** One for each time; null: nothing that could be measured. */
  readonly values: readonly (number | null)[]
  readonly format: (value: number) => string
}

/** The rows of a table as they were counted, not as they are said; columns are named without commas. */
export const twinCsv = (times: readonly number[], columns: readonly TwinColumn[]): string =>
  toCsv(
    ['from', ...columns.map(nameOf)],
    times.map((at, index) =>
      Object.fromEntries([
        ['from', new Date(at).toISOString()],
        ...columns.map((column) => [nameOf(column), column.values[index]] as const),
      ]),
    ),
  )

const nameOf = ({ name }: TwinColumn): string => name.replaceAll(',', '')
