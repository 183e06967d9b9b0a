import { Icon } from '../parts/icon.tsx'
import { type Entry, keyOf } from './entries.ts'

interface EntriesTableProps {
  readonly entries: readonly Entry[]
  readonly onHear: (entry: Entry) => void
  readonly onEdit: (entry: Entry) => void
  readonly onDelete: (entry: Entry) => void
}

export const EntriesTable = ({ entries, onHear, onEdit, onDelete }: EntriesTableProps) => (
  <div class="table-box as-cards">
    <table class="entries-table">
      <thead>
        <tr>
          <th>Word</th>
          <th>Spoken as</th>
          <th>Language</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={keyOf(entry)}>
            <td class="wrap" dir="auto">
              <strong>{entry.grapheme}</strong>
            </td>
            <td class="wrap" dir="auto" data-label="→">
              {entry.alias}
            </td>
            <td data-label="Language">{entry.language ?? <span class="faint">every</span>}</td>
            <td class="end">
              <button
                type="button"
                class="button quiet small"
                aria-label={`Hear ${entry.grapheme} in the playground`}
                onClick={() => onHear(entry)}
              >
                Hear
              </button>
              <button
                type="button"
                class="button quiet small"
                aria-label={`Change ${entry.grapheme}`}
                onClick={() => onEdit(entry)}
              >
                Change
              </button>
              <button
                type="button"
                class="button quiet small only-icon"
                aria-label={`Delete ${entry.grapheme}`}
                title="Delete"
                onClick={() => onDelete(entry)}
              >
                <Icon name="trash" size={14} />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
