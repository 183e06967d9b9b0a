import { Chart } from './chart.tsx'
import type { Shape } from './chart-options.ts'
import type { Line } from './series.ts'
import { Twin } from './twin.tsx'
import type { TwinColumn } from './twin-csv.ts'

interface ChartCardProps {
  readonly title: string
  readonly line: Line
  readonly format: (value: number) => string
  readonly formatTime: (ms: number) => string
  readonly isUtcDay: boolean
  readonly tone?: 'accent' | 'red'
  readonly shape?: Shape
  /** Further columns of its table. */
  readonly more?: readonly TwinColumn[]
  readonly onZoom: (from: number, to: number) => void
}

/** Charts side by side. One line names those that nothing happened in. */
export function ChartGrid({ charts }: { readonly charts: readonly ChartCardProps[] }) {
  const { drawn = [], empty = [] } = Object.groupBy(charts, ({ line }) => (isEmpty(line) ? 'empty' : 'drawn'))
  return (
    <>
      {drawn.length > 0 && (
        <div class="chart-grid">
          {drawn.map((chart) => (
            // Another length of steps leaves a table open.
            <ChartCard key={chart.title.split(',')[0]} {...chart} />
          ))}
        </div>
      )}
      {empty.length > 0 && (
        <p class="card empty-charts muted">Nothing in this time: {empty.map(({ title }) => title).join(' · ')}</p>
      )}
    </>
  )
}

const isEmpty = ({ values, before }: Line): boolean => [...values, ...before].every((value) => !value)

/** A chart, and the same numbers as a table to open. */
export function ChartCard({
  title,
  line,
  format,
  formatTime,
  isUtcDay,
  tone = 'accent',
  shape = 'bars',
  more = [],
  onZoom,
}: ChartCardProps) {
  const isCompared = line.before.length > 0
  return (
    <section class="card chart-card">
      <div class="card-head">
        <h2>{title}</h2>
        {isCompared && <p class="dashed">the time before</p>}
      </div>
      <Chart {...{ line, tone, shape, format, formatTime, isUtcDay, onZoom }} />
      <Twin
        {...{ title, formatTime }}
        times={line.times}
        columns={[
          { name: title, values: line.values, format },
          ...(isCompared ? [{ name: 'Before', values: line.before, format }] : []),
          ...more,
        ]}
      />
    </section>
  )
}
