import { useMemo, useState } from 'preact/hooks'
import { Chart } from './chart.tsx'
import type { Shape } from './chart-options.ts'
import type { Line } from './series.ts'

interface ChartCardProps {
  readonly title: string
  readonly line: Line
  readonly format: (value: number) => string
  readonly formatTime: (ms: number) => string
  readonly tone?: 'accent' | 'red'
  readonly shape?: Shape
  readonly onZoom: (from: number, to: number) => void
}

/** A chart, and the same numbers as a table to open. */
export function ChartCard({
  title,
  line,
  format,
  formatTime,
  tone = 'accent',
  shape = 'bars',
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
        <Chart line={line} tone={tone} shape={shape} format={format} formatTime={formatTime} onZoom={onZoom} />
      )}
      <Twin title={title} line={line} format={format} formatTime={formatTime} />
    </section>
  )
}

type TwinProps = Pick<ChartCardProps, 'title' | 'line' | 'format' | 'formatTime'>

/** The numbers of a chart, rendered where they are opened. */
function Twin({ title, line, format, formatTime }: TwinProps) {
  const [isOpen, setOpen] = useState(false)
  const said = (value: number | null | undefined): string => (value == null ? '–' : format(value))
  const isCompared = line.before.length > 0
  return (
    <details class="twin" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section class="table-box scroll" tabIndex={0} aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th>From</th>
                <th class="end">{title}</th>
                {isCompared && <th class="end">Before</th>}
              </tr>
            </thead>
            <tbody>
              {line.times.map((at, index) => (
                <tr key={at}>
                  <td>{formatTime(at)}</td>
                  <td class="end">{said(line.values[index])}</td>
                  {isCompared && <td class="end">{said(line.before[index])}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}
