import { saveText } from '../jobs/csv.ts'
import { Icon } from '../parts/icon.tsx'

interface CsvButtonProps {
  /** Of the table, and in small letters of the file. */
  readonly title: string
  /** The file, made when it is asked for. */
  readonly toText: () => string
}

/** Hands a table over as a file. */
export const CsvButton = ({ title, toText }: CsvButtonProps) => (
  <button
    type="button"
    class="button small"
    aria-label={`Download as CSV: ${title}`}
    onClick={() => saveText(toText(), `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`)}
  >
    <Icon name="download" size={14} /> Download as CSV
  </button>
)
