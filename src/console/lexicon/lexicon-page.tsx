import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { lexicon as lexiconQuery, setLexicon } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { LanguageSelect } from '../parts/language-select.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { hearWord } from '../playground/draft.ts'
import { type Entry, inputOf, shown, without } from './entries.ts'
import { EntriesTable } from './entries-table.tsx'
import { EntryDialog, type Save } from './entry-dialog.tsx'
import { FileMenu } from './file-menu.tsx'
import { ImportDialog } from './import-dialog.tsx'
import './lexicon.css'

type Open =
  | { readonly act: 'add' }
  | { readonly act: 'edit' | 'delete'; readonly entry: Entry }
  | { readonly act: 'import'; readonly file: readonly Entry[] }

/** How words of the account are said. */
export function LexiconPage() {
  const list = useQuery(lexiconQuery, {})
  const [open, setOpen] = useState<Open | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const entries = (list.data?.lexicon.entries ?? []) as readonly Entry[]
  const save: Save = async (change) => {
    // It is stored as a whole: somebody else may have changed it since it was shown.
    const newest = (await ask(lexiconQuery, {})).lexicon.entries as readonly Entry[]
    const { setLexicon: lexicon } = await ask(setLexicon, { entries: inputOf(change(newest)) })
    list.replace(() => ({ lexicon }))
  }
  const onFile = (file: readonly Entry[]): void => {
    setWrong(null)
    setOpen({ act: 'import', file })
  }
  const actions = (
    <>
      <FileMenu entries={entries} onFile={onFile} onWrong={setWrong} />
      <AddButton onClick={() => setOpen({ act: 'add' })} />
    </>
  )
  return (
    <Page title="Lexicon" actions={list.data === null ? null : actions}>
      {wrong !== null && (
        <p class="notice bad" role="alert">
          <Icon name="alert" /> {wrong}
        </p>
      )}
      <Load query={list} skeleton={<SkeletonRows />}>
        {() =>
          entries.length === 0 ? (
            <Empty
              title="Every word is said as the voice reads it"
              action={<AddButton onClick={() => setOpen({ act: 'add' })} />}
            >
              Teach it names, brands and abbreviations: each word of the lexicon is spoken as you spell it.
            </Empty>
          ) : (
            <Entries entries={entries} onOpen={setOpen} />
          )
        }
      </Load>
      {open !== null && <LexiconDialog open={open} entries={entries} save={save} onClose={() => setOpen(null)} />}
    </Page>
  )
}

const AddButton = ({ onClick }: { onClick: () => void }) => (
  <button type="button" class="button primary" onClick={onClick}>
    <Icon name="plus" /> Add a word
  </button>
)

const PAGE = 100

function Entries({ entries, onOpen }: { entries: readonly Entry[]; onOpen: (open: Open) => void }) {
  const { query, change } = useAddress()
  const { route } = useLocation()
  const [limit, setLimit] = useState(PAGE)
  const [search, setSearch] = useState('')
  const found = shown(entries, search, query.language ?? '')
  const hear = ({ grapheme }: Entry): void => {
    hearWord(grapheme)
    route(at('/playground'))
  }
  return (
    <>
      <div class="toolbar">
        <div class="with-icon">
          <SearchField
            label="Search words"
            placeholder={`Search ${count(entries.length)} ${entries.length === 1 ? 'word' : 'words'}`}
            value={search}
            onText={setSearch}
          />
        </div>
        <LanguageSelect
          parts={{ 'aria-label': 'Language' }}
          value={query.language ?? ''}
          none="All languages"
          onChange={(language) => change({ language }, true)}
        />
      </div>
      {found.length === 0 ? (
        <Empty title="No word matches">Look for another part of the word, or in all languages.</Empty>
      ) : (
        <EntriesTable
          entries={found.slice(0, limit)}
          onHear={hear}
          onEdit={(entry) => onOpen({ act: 'edit', entry })}
          onDelete={(entry) => onOpen({ act: 'delete', entry })}
        />
      )}
      {found.length > limit && (
        <p class="row below">
          <span class="faint">
            {count(limit)} of {count(found.length)}
          </span>
          <button type="button" class="button" onClick={() => setLimit(limit + PAGE)}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

interface LexiconDialogProps {
  readonly open: Open
  readonly entries: readonly Entry[]
  readonly save: Save
  readonly onClose: () => void
}

function LexiconDialog({ open, entries, save, onClose }: LexiconDialogProps) {
  if (open.act === 'import') return <ImportDialog file={open.file} entries={entries} save={save} onClose={onClose} />
  if (open.act !== 'delete')
    return (
      <EntryDialog entry={open.act === 'add' ? null : open.entry} entries={entries} save={save} onClose={onClose} />
    )
  const { entry } = open
  return (
    <ConfirmDialog
      title={`Delete “${entry.grapheme}”?`}
      action="Delete the word"
      isDanger
      onConfirm={() => save((newest) => without(newest, entry))}
      onClose={onClose}
    >
      <p>Jobs that begin from now on say it as the voice reads it.</p>
    </ConfirmDialog>
  )
}
