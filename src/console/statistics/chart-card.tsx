import { useMemo } from 'preact/hooks'
import { Chart } from './chart.tsx'
import { type Bucket, HOUR_MS } from './series.ts'

const hour = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

interface ChartCardProps {
  readonly title: string
  readonly buckets: readonly Bucket[]
  readonly of: (bucket: Bucket) => number
  readonly format: (value: number) => string
  readonly tone?: 'accent' | 'red'
}

/** A chart, and the same numbers as a table to open. */
export function ChartCard({ title, buckets, of, format, tone = 'accent' }: ChartCardProps) {
  const times = useMemo(() => buckets.map(({ at }) => at / 1000), [buckets])
  const values = useMemo(() => buckets.map(of), [buckets])
  const step = (buckets[1]?.at ?? 0) - (buckets[0]?.at ?? 0)
  const formatTime = (ms: number): string => (step <= HOUR_MS ? hour : day).format(new Date(ms))
  return (
    <section class="card chart-card">
      <div class="card-head">
        <h2>{title}</h2>
      </div>
      <Chart times={times} values={values} tone={tone} format={format} formatTime={formatTime} />
      <details class="twin">
        <summary>As a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <section class="table-box scroll" tabIndex={0} aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th>From</th>
                <th class="end">{title}</th>
              </tr>
            </thead>
            <tbody>
              {buckets.map((bucket) => (
                <tr key={bucket.at}>
                  <td>{formatTime(bucket.at)}</td>
                  <td class="end">{format(of(bucket))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </section>
  )
}
