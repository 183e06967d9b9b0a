/** The rows of a table: one a line, cells between bars. */
export const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** The words of a table, between spaces and line breaks. */
export const wordsOf = (table: string): string[] => table.trim().split(/\s+/)

/** A table with the written forms in its first column, separated by commas if there are more, and the spoken form in its second. */
export const spokenForms = (table: string): Readonly<Record<string, string>> =>
  formsOf(table, ([spoken = '']) => spoken)

/** A table with the written forms in its first column. Each becomes a key for the value of the other columns. */
export function formsOf<Value>(table: string, read: (cells: string[]) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    rowsOf(table).flatMap(([written = '', ...cells]) => {
      const value = read(cells)
      return written.split(',').map((form) => [form.trim(), value] as const)
    }),
  )
}
