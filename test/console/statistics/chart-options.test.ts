import type uPlot from 'uplot'
import { expect, test } from 'vitest'
import { type ChartProps, optionsOf, type Shape } from '../../../src/console/statistics/chart-options.ts'

const rangeOf = (shape: Shape, max: number) => {
  const line = { times: [0, 60_000], values: [0, max], before: [] }
  const props: ChartProps = {
    line,
    shape,
    tone: 'accent',
    isUtcDay: false,
    format: String,
    formatTime: String,
    onZoom: () => undefined,
  }
  const options = optionsOf({ clientWidth: 400 } as HTMLElement, { current: props }, () => undefined)
  const { range } = options.scales!.y!
  return (range as uPlot.Range.Function)({} as uPlot, 0, max, 'y')
}

test('what is measured fills its chart however small it is, and a single count does not look like many', () => {
  expect(rangeOf('line', 0.02)[1]).toBeCloseTo(0.022)
  expect([rangeOf('bars', 0.02), rangeOf('steps', 0), rangeOf('line', 0)]).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ])
})
