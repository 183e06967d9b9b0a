import { type Measure, NO_GOAL, type RowResult } from './measure.ts'

const HEAD = ['what', 'floor', 'value', 'ratio', 'reach', 'reached']

/** The results as lines of one table, notes below it. */
export function tableOf(results: readonly RowResult[]): string {
  const lines = [HEAD, ...results.flatMap(({ name, measures }) => measures.map((measure) => cellsOf(name, measure)))]
  const widths = HEAD.map((_head, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const padded = lines.map((cells) =>
    cells
      .map((cell, column) => pad(cell, widths[column]!, column))
      .join('  ')
      .trimEnd(),
  )
  const notes = results.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`))
  return [padded[0], widths.map((width) => '-'.repeat(width)).join('  '), ...padded.slice(1), ...notes].join('\n')
}

function cellsOf(name: string, { what, unit, floor, value, ratio, reach, reached }: Measure): string[] {
  return [
    `${name}: ${what}`,
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
