import { expect, test } from 'vitest'
import { twinCsv } from '../../../src/console/statistics/twin-csv.ts'

test("a table's file has its columns, exact numbers, and nothing where nothing was measured", () => {
  const columns = [
    { name: 'Run, p95', values: [1234.5, null], format: () => 'said' },
    { name: 'Before', values: [0, 7], format: () => 'said' },
  ]
  expect(twinCsv([0, 3_600_000], columns)).toBe(
    '\uFEFFfrom,Run p95,Before\r\n1970-01-01T00:00:00.000Z,1234.5,0\r\n1970-01-01T01:00:00.000Z,,7\r\n',
  )
})
