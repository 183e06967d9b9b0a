import { useState } from 'preact/hooks'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { toast } from '../parts/toast.tsx'
import { type Entry, without } from './entries.ts'
import { EntriesList } from './entries-list.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import { FileMenu } from './file-menu.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { type Save, useLexicon } from './use-lexicon.ts'
import './lexicon.css'

type Open =
  | { readonly act: 'add' }
  | { readonly act: 'edit' | 'delete'; readonly entry: Entry }
  | { readonly act: 'import'; readonly file: readonly Entry[] }

/** How words of the account are said. */
export function LexiconPage() {
  const { list, entries, save } = useLexicon()
  const [open, setOpen] = useState<Open | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const onFile = (file: readonly Entry[]): void => {
    setWrong(null)
    setOpen({ act: 'import', file })
  }
  const onAdd = (): void => setOpen({ act: 'add' })
  const actions = (
    <>
      <FileMenu entries={entries} onFile={onFile} onWrong={setWrong} />
      <AddButton onClick={onAdd} />
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
            <NoEntries onAdd={onAdd} />
          ) : (
            <EntriesList
              entries={entries}
              onEdit={(entry) => setOpen({ act: 'edit', entry })}
              onDelete={(entry) => setOpen({ act: 'delete', entry })}
            />
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

const NoEntries = ({ onAdd }: { onAdd: () => void }) => (
  <Empty title="No words yet" action={<AddButton onClick={onAdd} />}>
    Teach it names, brands and abbreviations: each word of the lexicon is spoken as you spell it.
  </Empty>
)

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
      onConfirm={async () => {
        await save((newest) => without(newest, entry))
        toast(`“${entry.grapheme}” is deleted.`)
      }}
      onClose={onClose}
    >
      <p>Jobs that start from now on say it as the voice does by itself.</p>
    </ConfirmDialog>
  )
}
