import { useMemo } from 'preact/hooks'
import type { StatisticsQuery } from '../operations.ts'
import { duration, shortCount } from '../parts/format.ts'
import { ChartCard } from './chart-card.tsx'
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

/** The lines of a window; what is drawn over any of them becomes the window. */
export function Charts({ data, window }: { data: StatisticsQuery; window: TimeWindow }) {
  const points = data.series.points
  const before = data.seriesBefore?.points ?? null
  const lines = useMemo(
    () => [ACCEPTED, FAILED, AUDIO, WAIT, RUN, WAITING].map((measure) => lineOf(points, before, measure)),
    [points, before],
  )
  const [accepted, failed, audio, wait, run, waiting] = lines
  const common = useChartTimes(window, window.stepMs)
  return (
    <>
      <ChartCard title="Jobs accepted" line={accepted!} format={shortCount} {...common} />
      <div class="halves flush">
        <ChartCard title="Failures" tone="red" line={failed!} format={shortCount} {...common} />
        <ChartCard title="Minutes of audio" line={audio!} format={minutes} {...common} />
      </div>
      <div class="halves flush">
        <ChartCard
          title="Wait, p95"
          {...common}
          shape="line"
          line={wait!}
          format={duration}
          more={others(points, 'waitMs')}
        />
        <ChartCard
          title="Run, p95"
          {...common}
          shape="line"
          line={run!}
          format={duration}
          more={others(points, 'runMs')}
        />
      </div>
      <ChartCard title="Jobs waiting" shape="steps" line={waiting!} format={shortCount} {...common} />
    </>
  )
}

/** Further columns in the table of a 95th percentile. */
const others = (points: StatisticsQuery['series']['points'], of: 'waitMs' | 'runMs') =>
  (['p50', 'p99'] as const).map((name) => ({
    name,
    values: points.map((point) => point[of]?.[name] ?? null),
    format: duration,
  }))
