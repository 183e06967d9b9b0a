import { expect, test } from 'vitest'
import { figure } from '../../bench/measure.ts'
import { linesOf } from '../../bench/report.ts'
import { withSections } from '../../bench/results-file.ts'

test.each([
  [-1234.5, '-1234 µs'],
  [-99.94, '-99.9 µs'],
  [1234.5, '1235 µs'],
  [0.5, '0.500 µs'],
])('%d is printed as %s', (value, printed) => {
  const [line] = linesOf({ name: 'pickup', measures: [figure('a step', 'µs', value)], notes: [] })
  expect(line).toContain(` ${printed} `)
})

test('a saved row replaces its section of the results and leaves the others', () => {
  const rowOf = (name: string, value: number) => ({
    name,
    measures: [figure('p50', 'ms', value)],
    notes: [`note ${value}`],
  })
  const first = withSections('# Results\n', [rowOf('pickup', 1), rowOf('submit', 2)], 'commit a')
  const second = withSections(first, [rowOf('pickup', 3)], 'commit b')
  expect(second.match(/^## .*$/gm)).toEqual(['## pickup', '## submit'])
  expect(second).toContain('commit b\n\n| what | floor | value | ratio | reach | reached |\n')
  expect(second).toContain('| p50 | - | 3.00 ms |')
  expect(second).toContain('| p50 | - | 2.00 ms |')
  expect(second).not.toContain('note 1')
})
