import { useMemo } from 'preact/hooks'
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
  // A chart that nothing happened in is said, not drawn.
  const isEmpty = useMemo(() => [...line.values, ...line.before].every((value) => !value), [line])
  return (
    <section class="card chart-card">
      <div class="card-head">
        <h2>{title}</h2>
        {isCompared && !isEmpty && <p class="dashed">the window before</p>}
      </div>
      {isEmpty ? (
        <p class="card-body muted">Nothing in this window.</p>
      ) : (
        <Chart {...{ line, tone, shape, format, formatTime, isUtcDay, onZoom }} />
      )}
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
