import { useState } from 'preact/hooks'
import { CsvButton } from './csv-button.tsx'
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
      <table aria-label={title}>
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
              <th scope="row">{formatTime(at)}</th>
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
    <CsvButton title={title} toText={() => twinCsv(times, columns)} />
  </>
)

const said = (value: number | null | undefined, format: TwinColumn['format']): string =>
  value == null ? '–' : format(value)
