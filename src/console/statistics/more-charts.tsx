import { useMemo } from 'preact/hooks'
import type { Loaded } from '../api/use-query.ts'
import type { JobsFilter, StatisticsQueryVariables, StatisticsSumsQuery } from '../operations.ts'
import { shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { ChartGrid } from './chart-card.tsx'
import { type Line, lineOf } from './series.ts'
import { sumLine, sumStepOf } from './sums.ts'
import { useChartTimes } from './use-chart-times.ts'
import { DAY_MS, type TimeWindow } from './window.ts'

/** The variables of the queries. */
export type Asked = StatisticsQueryVariables & { readonly which: JobsFilter }

interface MoreChartsProps {
  readonly window: TimeWindow
  readonly query: Loaded<StatisticsSumsQuery>
}

/** How fast speech is made, and what the accepted jobs hold and cost. */
export function MoreCharts({ window, query }: MoreChartsProps) {
  const { data } = query
  const lines = useMemo((): readonly Line[] => {
    if (data === null) return []
    const { speech, speechBefore, sums, sumsBefore = null } = data
    return [
      lineOf(speech.points, speechBefore?.points ?? null, ({ realTimeFactor }) => realTimeFactor ?? null),
      sumLine(sums, sumsBefore, window, ({ characters }) => characters ?? 0),
      sumLine(sums, sumsBefore, window, ({ credits }) => credits ?? 0),
    ]
  }, [data])
  return (
    <Load query={query} skeleton={<SkeletonRows rows={4} />}>
      {() => <Drawn {...{ lines, window }} />}
    </Load>
  )
}

interface DrawnProps {
  readonly lines: readonly Line[]
  readonly window: TimeWindow
}

function Drawn({ lines: [factor, characters, credits], window }: DrawnProps) {
  const fine = useChartTimes(window, window.stepMs)
  const coarse = useChartTimes(window, sumStepOf(window), true)
  const step = sumStepOf(window) === DAY_MS ? 'by day (UTC)' : 'by hour'
  return (
    <div class="cards">
      <ChartGrid
        charts={[
          { title: `Characters, ${step}`, ...coarse, line: characters!, format: shortCount },
          { title: `Credits, ${step}`, ...coarse, line: credits!, format: shortCount },
          { title: 'Work per second of audio', ...fine, shape: 'line', line: factor!, format: factorText },
        ]}
      />
    </div>
  )
}

const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })

/** Seconds of work for a second of audio. */
const factorText = (factor: number): string => `${significant.format(factor)} s`
