import { expect, test } from 'vitest'
import { type Column, toTable } from '../../src/cli/table.ts'

interface Row {
  readonly word: string
  readonly count: number | null
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'word', cell: ({ word }) => word },
  { head: 'count (MiB)', cell: ({ count }) => count },
]

test('columns have heads and one width, numbers stand to the right', () => {
  const rows = [
    { word: 'a', count: 1 },
    { word: 'longer', count: null },
  ]
  expect(toTable(COLUMNS, rows).split('\n')).toEqual([
    'WORD    COUNT (MIB)',
    'a                 1',
    'longer            -',
  ])
  expect(toTable(COLUMNS, [])).toBe('none')
})

test('what an author put into a cell steers no terminal and begins no line', () => {
  const word = 'a\u001b]0;title\u0007\u009b31m\r\n\tb\u202ec'
  const [, shown, ...more] = toTable(COLUMNS, [{ word, count: 1 }]).split('\n')
  expect(shown).toContain(String.raw`a\u001b]0;title\u0007\u009b31m\r\n\tb\u202ec`)
  expect(more).toEqual([])
})
