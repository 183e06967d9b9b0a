import { expect, test } from 'vitest'
import { JsonObjects } from '../../../src/jobs/export/export-csv.ts'

const FIELDS = [{ name: 'text', isText: true }, { name: 'value' }] as const
const TEXTS = [null, 'plain', 'é😀', 'null', ' ', 'a, b']
const VALUES = [null, 0, -1.5, true, '', 'say "no"\n\u0001\u0002', [], ['x', '😀']]
/** Every pair is a row. */
const ROWS = TEXTS.flatMap((text) => VALUES.map((value) => ({ text, value })))

/** As COPY writes them: nothing for null. */
const cellsOf = ({ text, value }: (typeof ROWS)[number]): string =>
  [text ?? '', value === null ? '' : JSON.stringify(value)].join('\u0002')

test.each([1, 2, 3, 7, 64, 100_000])(
  'rows of cells become objects as JSON writes them, where %i bytes come at a time',
  (chunkBytes) => {
    const bytes = Buffer.from(ROWS.map((row) => `${cellsOf(row)}\n`).join(''))
    const lines = new JsonObjects(FIELDS)
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += chunkBytes)
      chunks.push(lines.convert(bytes.subarray(at, at + chunkBytes)))
    expect(Buffer.concat(chunks).toString()).toBe(ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect(lines.rows).toBe(ROWS.length)
  },
)

test('a row of empty cells is an object of nulls, however many come at once', () => {
  const fields = Array.from({ length: 31 }, (_nothing, at) => ({ name: `a_column_with_a_long_name_${at}` }))
  const none = `${JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, null])))}\n`
  const rows = Buffer.from(`${'\u0002'.repeat(30)}\n`.repeat(3000))
  expect(new JsonObjects(fields).convert(rows).toString()).toBe(none.repeat(3000))
})
