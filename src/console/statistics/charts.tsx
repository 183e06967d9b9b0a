import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { StatisticsQuery } from '../operations.ts'
import { duration, shortCount } from '../parts/format.ts'
import { ChartCard, ChartGrid } from './chart-card.tsx'
import { lineOf, type Measure } from './series.ts'
import { useChartTimes } from './use-chart-times.ts'
import type { TimeWindow } from './window.ts'

const minutes = (value: number): string => (value < 10 && value > 0 ? value.toFixed(1) : shortCount(Math.round(value)))

/** Each chart shows one of these measures of a step. */
const ACCEPTED: Measure = ({ accepted }) => accepted
const FAILED: Measure = ({ failed }) => failed
const AUDIO: Measure = ({ audioSeconds }) => audioSeconds / 60
const WAITING: Measure = ({ waiting }) => waiting
const WAIT: Measure = ({ waitMs }) => waitMs?.p95 ?? null
const RUN: Measure = ({ runMs }) => runMs?.p95 ?? null

interface ChartsProps {
  readonly data: StatisticsQuery
  readonly window: TimeWindow
  /** Stand beside the first chart. */
  readonly children: ComponentChildren
}

/** The lines of a window; what is drawn over any of them becomes the window. */
export function Charts({ data, window, children }: ChartsProps) {
  const points = data.series.points
  const before = data.seriesBefore?.points ?? null
  const [accepted, failed, audio, wait, run, waiting] = useMemo(
    () => [ACCEPTED, FAILED, AUDIO, WAIT, RUN, WAITING].map((measure) => lineOf(points, before, measure)),
    [points, before],
  )
  const common = useChartTimes(window, window.stepMs)
  const measured = { ...common, shape: 'line', format: duration } as const
  return (
    <>
      <div class="halves flush">
        <ChartCard title="Jobs accepted" line={accepted!} format={shortCount} {...common} />
        <div class="cards">{children}</div>
      </div>
      <ChartGrid
        charts={[
          { title: 'Waited, 95% within', ...measured, line: wait!, more: others(points, 'waitMs') },
          { title: 'Ran, 95% within', ...measured, line: run!, more: others(points, 'runMs') },
          { title: 'Failures', ...common, tone: 'red', line: failed!, format: shortCount },
          { title: 'Minutes of audio', ...common, line: audio!, format: minutes },
          { title: 'Jobs waiting', ...common, shape: 'steps', line: waiting!, format: shortCount },
        ]}
      />
    </>
  )
}

/** Further columns in the table of a 95th percentile. */
const others = (points: StatisticsQuery['series']['points'], of: 'waitMs' | 'runMs') =>
  (
    [
      ['p50', 'half within'],
      ['p99', '99% within'],
    ] as const
  ).map(([percentile, name]) => ({
    name,
    values: points.map((point) => point[of]?.[percentile] ?? null),
    format: duration,
  }))
