import { useState } from 'preact/hooks'
import { saveText } from '../jobs/csv.ts'
import { Icon } from '../parts/icon.tsx'
import { type TwinColumn, twinCsv } from './twin-csv.ts'

interface TwinProps {
  readonly title: string
  /** Beginnings of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly formatTime: (ms: number) => string
  readonly columns: readonly TwinColumn[]
}

/** The numbers of a chart, rendered where they are opened, and as a file. */
export function Twin(props: TwinProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="twin" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && <TwinTable {...props} />}
    </details>
  )
}

const TwinTable = ({ title, times, formatTime, columns }: TwinProps) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <section class="table-box scroll" tabIndex={0} aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th>From</th>
            {columns.map(({ name }) => (
              <th key={name} class="end">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at, index) => (
            <tr key={at}>
              <td>{formatTime(at)}</td>
              {columns.map(({ name, values, format }) => (
                <td key={name} class="end">
                  {said(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    <button
      type="button"
      class="button small"
      aria-label={`Download as CSV: ${title}`}
      onClick={() => saveText(twinCsv(times, columns), `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`)}
    >
      <Icon name="download" size={14} /> Download as CSV
    </button>
  </>
)

const said = (value: number | null | undefined, format: TwinColumn['format']): string =>
  value == null ? '–' : format(value)
