import { type Measure, NO_GOAL, type RowResult } from './measure.ts'

/** Fixed, since each row is printed before the next one has been measured; a longer cell moves those after it. */
const WIDTHS = [80, 10, 10, 6, 22, 7]

/** The results of a row as lines of the table, notes below them. */
export const linesOf = ({ name, measures, notes }: RowResult): string[] => [
  ...measures.map((measure) => padded(namedBy(name, cellsOf(measure)))),
  ...notes.map((note) => `${name}: ${note}`),
]

const padded = (cells: readonly string[]): string =>
  cells
    .map((cell, column) => pad(cell, WIDTHS[column]!, column))
    .join('  ')
    .trimEnd()

const namedBy = (name: string, [what, ...rest]: readonly string[]): string[] => [`${name}: ${what}`, ...rest]

export const COLUMNS = ['what', 'floor', 'value', 'ratio', 'reach', 'reached']

export function cellsOf({ what, unit, floor, value, ratio, reach, reached }: Measure): string[] {
  return [
    what,
    floor === null ? '-' : amount(floor, unit),
    amount(value, unit),
    ratio === null ? '-' : ratio.toFixed(2),
    reach,
    reach === NO_GOAL ? '-' : reached === null ? 'unknown' : reached ? 'yes' : 'NO',
  ]
}

const isNumeric = (column: number) => column >= 1 && column <= 3
const pad = (cell: string, width: number, column: number) =>
  isNumeric(column) ? cell.padStart(width) : cell.padEnd(width)
const amount = (value: number, unit: string) =>
  `${Math.abs(value) >= 100 ? Math.round(value) : value.toPrecision(3)} ${unit}`

/** The heading of the table. */
export const HEAD: readonly string[] = [padded(COLUMNS), WIDTHS.map((width) => '-'.repeat(width)).join('  ')]
