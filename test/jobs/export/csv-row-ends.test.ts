import { describe, expect, test } from 'vitest'
import { CsvRowEnds } from '../../../src/jobs/export/csv-row-ends.ts'
import { readCsv } from '../../setup/csv.ts'

const CELLS = ['', 'plain', 'é😀', 'line\nfeed', 'a "word"', '"', '""\n""', '\n', '\r\n', 'ends in \r', ',', '\n\n"\n']

/** As COPY quotes it: where it must, and an empty text. */
const cellOf = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Every pair of cells is a row, as COPY sends it. */
const ROWS = CELLS.flatMap((one) => CELLS.map((other) => [one, other]))
const COPIED = Buffer.from(ROWS.map((row) => `${row.map(cellOf).join(',')}\n`).join(''))

/** The bytes in chunks of so many. */
function convert(bytes: Buffer, chunkBytes: number): { text: string; rows: number } {
  const rowEnds = new CsvRowEnds()
  const converted: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    converted.push(rowEnds.convert(bytes.subarray(at, at + chunkBytes)))
  return { text: Buffer.concat(converted).toString(), rows: rowEnds.rows }
}

describe('the row ends of CSV', () => {
  test.each([1, 2, 3, 7, 64, 100_000])(
    'are CR LF, and no line feed within a cell changes, in chunks of %i bytes',
    (chunkBytes) => {
      const { text, rows } = convert(COPIED, chunkBytes)
      expect(text).toBe(ROWS.map((row) => `${row.map(cellOf).join(',')}\r\n`).join(''))
      expect(readCsv(text)).toEqual(ROWS)
      expect(rows).toBe(ROWS.length)
    },
  )

  test('are found in time also where a cell of megabytes holds nothing but quotes and line feeds', () => {
    const cell = `"${'""\n'.repeat(1_000_000)}"`
    const { text, rows } = convert(Buffer.from(`${cell}\n${cell}\n`), 65_536)
    expect(text === `${cell}\r\n${cell}\r\n`).toBe(true)
    expect(rows).toBe(2)
  })

  test('are not there where no row has ended', () => {
    expect(convert(Buffer.from('begun,"and\n'), 4)).toEqual({ text: 'begun,"and\n', rows: 0 })
    expect(convert(Buffer.alloc(0), 1)).toEqual({ text: '', rows: 0 })
  })
})
