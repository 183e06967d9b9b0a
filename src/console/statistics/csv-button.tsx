import { saveText } from '../jobs/csv.ts'
import { Icon } from '../parts/icon.tsx'

interface CsvButtonProps {
  /** The title of the table; the file has it in small letters. */
  readonly title: string
  /** The file, made when it is asked for. */
  readonly toText: () => string
  /** The table is not there, or is another one than was asked for. */
  readonly isOff?: boolean
}

/** Hands a table over as a file. */
export const CsvButton = ({ title, toText, isOff = false }: CsvButtonProps) => (
  <button
    type="button"
    class="button small"
    aria-disabled={isOff}
    aria-label={`Download as CSV: ${title}`}
    onClick={() => saveText(toText(), `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`)}
  >
    <Icon name="download" size={14} /> Download as CSV
  </button>
)
