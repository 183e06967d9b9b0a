import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Connection } from 'pg'
import { describe, expect, test } from 'vitest'
import { copyRows } from '../../src/db/copy-rows.ts'
import { readCsv } from '../setup/checks/csv.ts'

const CELLS = ['', 'plain', 'é😀', 'line\nfeed', 'a "word"', '"', '""\n""', '\n', '\r\n', 'ends in \r', ',', '\n\n"\n']
/** Every pair of cells is a row. */
const ROWS = CELLS.flatMap((one) => CELLS.map((other) => [one, other]))

/** As COPY quotes it: where it must, and an empty text. */
const cellOf = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
const lineOf = (row: readonly string[]): string => row.map(cellOf).join(',')

/** A message of PostgreSQL's protocol. */
function message(code: string, content: string): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length + 4)
  return Buffer.concat([Buffer.from(code), length, bytes])
}

const BEGIN = message('H', '\0\0\x02\0\0\0\0')
const END = [message('c', ''), message('C', `COPY ${ROWS.length}\0`), message('Z', 'T')]
const rowMessages = (lines: readonly string[]): Buffer[] => lines.map((line) => message('d', `${line}\n`))

/** What is copied out of a connection that brings these messages in chunks of so many bytes, and what is left for pg. */
async function copied(messages: readonly Buffer[], chunkBytes: number) {
  const stream = new PassThrough()
  const left: Buffer[] = []
  stream.on('data', (bytes: Buffer) => left.push(bytes))
  const query = copyRows('copy', '\r\n')
  const chunks: Buffer[] = []
  query.on('data', (chunk: Buffer) => chunks.push(chunk))
  query.submit({ stream, query: () => undefined } as unknown as Connection)
  const bytes = Buffer.concat(messages)
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.write(bytes.subarray(at, at + chunkBytes))
  const isEnded = messages.includes(END[0]!)
  await (isEnded ? once(query, 'end') : expect.poll(() => Buffer.concat(left).length).toBeGreaterThan(0))
  return {
    chunks,
    text: Buffer.concat(chunks).toString(),
    rows: query.rows,
    left: () => Buffer.concat(left).toString(),
  }
}

describe('copied rows', () => {
  test.each([1, 2, 3, 7, 64, 100_000])(
    'end in CR LF, and no line feed within a cell changes, where the connection brings %i bytes at a time',
    async (chunkBytes) => {
      const notice = message('N', 'SNOTICE\0Mbetween rows\0\0')
      const rows = rowMessages(ROWS.map(lineOf))
      const {
        text,
        rows: count,
        left,
      } = await copied([BEGIN, ...rows.slice(0, 9), notice, ...rows.slice(9), ...END], chunkBytes)
      expect(text).toBe(ROWS.map((row) => `${lineOf(row)}\r\n`).join(''))
      expect([readCsv(text), count]).toEqual([ROWS, ROWS.length])
      await expect.poll(left).toBe(Buffer.concat(END.slice(1)).toString())
    },
  )

  test('come in chunks of 64 KiB, rows of megabytes as well as those of a few bytes', async () => {
    const large = `"${'""\n'.repeat(700_000)}"`
    const { chunks, text } = await copied([BEGIN, ...rowMessages([large, 'a,b', large]), ...END], 50_000)
    expect(text === `${large}\r\na,b\r\n${large}\r\n`).toBe(true)
    expect(new Set(chunks.slice(0, -1).map(({ length }) => length))).toEqual(new Set([65_536]))
  })

  test('are all given out before an error, which is left for pg', async () => {
    const error = message('E', 'SERROR\0Mdivision by zero\0\0')
    const { text, rows, left } = await copied([BEGIN, ...rowMessages(['1', '2']), error], 5)
    expect([text, rows, left()]).toEqual(['1\r\n2\r\n', 2, error.toString()])
  })
})
