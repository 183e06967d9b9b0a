import { useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Segments } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { toast } from '../parts/toast.tsx'
import { type Entry, imported, keyOf, MAX_SAVED } from './entries.ts'
import type { Save } from './use-lexicon.ts'

type Way = 'add' | 'replace'

interface ImportDialogProps {
  readonly file: readonly Entry[]
  readonly entries: readonly Entry[]
  readonly save: Save
  readonly onClose: () => void
}

/** Shows the changes of a file before it applies them. */
export function ImportDialog({ file, entries, save, onClose }: ImportDialogProps) {
  const [way, setWay] = useState<Way>('add')
  const there = new Set(entries.map(keyOf))
  const known = file.filter((entry) => there.has(keyOf(entry))).length
  const after = imported(entries, file, way === 'replace').length
  const store = useAction(async () => {
    await save((newest) => imported(newest, file, way === 'replace'))
    toast('The file is imported.')
    onClose()
  })
  return (
    <Dialog title={`Import ${count(file.length)} ${file.length === 1 ? 'word' : 'words'}`} onClose={onClose}>
      <div class="stack">
        {store.failure !== null && <Failure failure={store.failure} />}
        <WayChoice way={way} onChange={setWay} />
        <p class="prose">
          {way === 'add'
            ? `${count(file.length - known)} are new, ${count(known)} replace an existing entry.`
            : `The ${count(entries.length)} words now in the lexicon are deleted.`}{' '}
          Afterwards there are {count(after)}.
        </p>
        {after > MAX_SAVED && <TooManyNotice />}
        <div class="row end">
          <button
            type="button"
            class={way === 'replace' && entries.length > 0 ? 'button danger' : 'button primary'}
            aria-disabled={store.isOff || after > MAX_SAVED}
            onClick={() => store.run()}
          >
            {way === 'add' ? 'Import' : 'Replace'}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

const WayChoice = ({ way, onChange }: { way: Way; onChange: (way: Way) => void }) => (
  <Segments
    label="How"
    value={way}
    onChange={onChange}
    options={[
      ['add', 'Add to the lexicon'],
      ['replace', 'Replace the lexicon'],
    ]}
  />
)

const TooManyNotice = () => (
  <p class="notice warn">
    <span>
      This page can save up to {count(MAX_SAVED)} words. A program can save more, as{' '}
      <a href={at('/help/lexicon')}>the help says</a>.
    </span>
  </p>
)
