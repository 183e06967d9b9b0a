import { expect, test } from 'vitest'
import { figure } from '../../bench/measure.ts'
import { linesOf } from '../../bench/report.ts'

test.each([
  [-1234.5, '-1234 µs'],
  [-99.94, '-99.9 µs'],
  [1234.5, '1235 µs'],
  [0.5, '0.500 µs'],
])('%d is printed as %s', (value, printed) => {
  const [line] = linesOf({ name: 'pickup', measures: [figure('a step', 'µs', value)], notes: [] })
  expect(line).toContain(` ${printed} `)
})
