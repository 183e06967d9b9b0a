import { expect, test } from 'vitest'
import { CsvLines } from '../../../src/jobs/export/export-csv.ts'
import { readCsv } from '../../setup/checks/csv.ts'

const CELLS = ['', 'plain', 'é😀', 'line\nfeed', 'a "word"', '"', '""\n""', '\n', '\r\n', 'ends in \r', ',', '\n\n"\n']
/** Every pair of cells is a row. */
const ROWS = CELLS.flatMap((one) => CELLS.map((other) => [one, other]))

/** As COPY quotes it: where it must, and an empty text. */
const cellOf = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
const lineOf = (row: readonly string[]): string => row.map(cellOf).join(',')

test.each([1, 2, 3, 7, 64, 100_000])(
  'rows end in CR LF, and no line feed within a cell changes, where %i bytes come at a time',
  (chunkBytes) => {
    const bytes = Buffer.from(ROWS.map((row) => `${lineOf(row)}\n`).join(''))
    const lines = new CsvLines()
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += chunkBytes)
      chunks.push(lines.convert(bytes.subarray(at, at + chunkBytes)))
    const text = Buffer.concat(chunks).toString()
    expect(text).toBe(ROWS.map((row) => `${lineOf(row)}\r\n`).join(''))
    expect([readCsv(text), lines.rows]).toEqual([ROWS, ROWS.length])
  },
)
