import { Icon } from '../parts/icon.tsx'
import { langOf } from '../parts/languages.ts'
import { type Entry, keyOf } from './entries.ts'

interface EntriesTableProps {
  readonly entries: readonly Entry[]
  readonly onHear: (entry: Entry) => void
  readonly onEdit: (entry: Entry) => void
  readonly onDelete: (entry: Entry) => void
}

export const EntriesTable = ({ entries, onHear, onEdit, onDelete }: EntriesTableProps) => (
  <div class="table-box as-cards">
    <table class="entries-table" aria-label="Words">
      <thead>
        <tr>
          <th aria-sort="ascending">Word</th>
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
            <th scope="row" class="wrap" dir="auto" lang={langOf(entry.language)}>
              <strong>{entry.grapheme}</strong>
            </th>
            <td class="wrap" dir="auto" lang={langOf(entry.language)} data-label="→">
              {entry.alias}
            </td>
            <td data-label="Language">{entry.language ?? <span class="faint">every</span>}</td>
            <td class="end">
              <EntryButtons
                word={entry.grapheme}
                onHear={() => onHear(entry)}
                onEdit={() => onEdit(entry)}
                onDelete={() => onDelete(entry)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface EntryButtonsProps {
  readonly word: string
  readonly onHear: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

const EntryButtons = ({ word, onHear, onEdit, onDelete }: EntryButtonsProps) => (
  <>
    <button type="button" class="button quiet small" aria-label={`Hear ${word} in the playground`} onClick={onHear}>
      Hear
    </button>
    <button type="button" class="button quiet small" aria-label={`Change ${word}`} onClick={onEdit}>
      Change
    </button>
    <button
      type="button"
      class="button quiet small only-icon"
      aria-label={`Delete ${word}`}
      title="Delete"
      onClick={onDelete}
    >
      <Icon name="trash" size={14} />
    </button>
  </>
)
