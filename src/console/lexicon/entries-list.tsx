import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { LanguageSelect } from '../parts/language-select.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { hearWord } from '../playground/draft.ts'
import { type Entry, shown } from './entries.ts'
import { EntriesTable } from './entries-table.tsx'

const PAGE = 100

interface EntriesListProps {
  readonly entries: readonly Entry[]
  readonly onEdit: (entry: Entry) => void
  readonly onDelete: (entry: Entry) => void
}

/** The words that a search and a language leave: one page, and more at a press. */
export function EntriesList({ entries, onEdit, onDelete }: EntriesListProps) {
  const { query } = useAddress()
  const { route } = useLocation()
  const [limit, setLimit] = useState(PAGE)
  const found = shown(entries, query.search ?? '', query.language ?? '')
  const hear = ({ grapheme }: Entry): void => {
    hearWord(grapheme)
    route(at('/playground'))
  }
  return (
    <>
      <EntriesToolbar total={entries.length} />
      {found.length === 0 ? (
        <Empty title="No word matches">Look for another part of the word, or in all languages.</Empty>
      ) : (
        <EntriesTable entries={found.slice(0, limit)} onHear={hear} onEdit={onEdit} onDelete={onDelete} />
      )}
      {found.length > limit && <ShowMore shown={limit} of={found.length} onMore={() => setLimit(limit + PAGE)} />}
    </>
  )
}

function EntriesToolbar({ total }: { total: number }) {
  const { query, change } = useAddress()
  return (
    <div class="toolbar">
      <div class="with-icon">
        <SearchField
          label="Search words"
          placeholder={`Search ${count(total)} ${total === 1 ? 'word' : 'words'}`}
          value={query.search ?? ''}
          onText={(search) => change({ search }, true)}
        />
      </div>
      <LanguageSelect
        parts={{ 'aria-label': 'Language' }}
        value={query.language ?? ''}
        none="All languages"
        onChange={(language) => change({ language }, true)}
      />
    </div>
  )
}

interface ShowMoreProps {
  readonly shown: number
  readonly of: number
  readonly onMore: () => void
}

const ShowMore = ({ shown: limit, of, onMore }: ShowMoreProps) => (
  <p class="row below">
    <span class="faint">
      {count(limit)} of {count(of)}
    </span>
    <button type="button" class="button" onClick={onMore}>
      Show more
    </button>
  </p>
)
