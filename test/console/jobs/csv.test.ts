import { expect, test } from 'vitest'
import { toCsv } from '../../../src/console/jobs/csv.ts'

test('texts that a spreadsheet would take for formulas get an apostrophe, and numbers stay numbers', () => {
  const rows = [
    { name: '=1+1', cost: -5, note: 'a "b", c' },
    { name: ' @x', cost: 0, note: null },
  ]
  expect(toCsv(['name', 'cost', 'note'], rows)).toBe('\uFEFFname,cost,note\r\n\'=1+1,-5,"a ""b"", c"\r\n\' @x,0,\r\n')
})
