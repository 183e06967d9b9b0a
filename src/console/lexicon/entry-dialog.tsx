import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, TextField } from '../parts/field.tsx'
import { LanguageSelect } from '../parts/language-select.tsx'
import { toast } from '../parts/toast.tsx'
import { type Entry, type EntryErrors, errorsOf, keyOf, withEntry } from './entries.ts'
import { HearButtons, type WordVoice } from './hear-buttons.tsx'
import type { Save } from './use-lexicon.ts'

interface EntryDialogProps {
  /** Null: a new one. */
  readonly entry: Entry | null
  /** A new one begins with these words. */
  readonly begin?: Entry
  readonly entries: readonly Entry[]
  readonly save: Save
  /** Who says the word where it is heard; absent: a voice of its language. */
  readonly voice?: WordVoice | undefined
  readonly onClose: () => void
}

const EMPTY: Entry = { language: null, grapheme: '', alias: '' }
const LINE = { required: true, dir: 'auto', autocomplete: 'off' } as const

export function EntryDialog({ entry, begin = EMPTY, entries, save, voice, onClose }: EntryDialogProps) {
  const [draft, setDraft] = useState<Entry>(entry ?? begin)
  const clean = { ...draft, grapheme: draft.grapheme.trim(), alias: draft.alias.trim() }
  const others = entry === null ? entries : entries.filter((one) => keyOf(one) !== keyOf(entry))
  const errors = errorsOf(clean, others)
  const store = useAction(async () => {
    await save((newest) => withEntry(newest, clean, entry))
    toast(`“${clean.grapheme}” is saved.`)
    onClose()
  })
  const isReady = clean.grapheme !== '' && clean.alias !== '' && Object.keys(errors).length === 0
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (isReady) void store.run()
  }
  const set = (change: Partial<Entry>): void => setDraft((before) => ({ ...before, ...change }))
  return (
    <Dialog title={entry === null ? 'Add a word' : 'Change the word'} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {store.failure !== null && <Failure failure={store.failure} />}
        <EntryFields draft={draft} errors={errors} onChange={set} />
        <HearButtons entry={clean} voice={voice} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={!isReady || store.isOff}>
            {entry === null ? 'Add' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface EntryFieldsProps {
  readonly draft: Entry
  readonly errors: EntryErrors
  readonly onChange: (change: Partial<Entry>) => void
}

const EntryFields = ({ draft, errors, onChange }: EntryFieldsProps) => (
  <>
    <TextField
      {...LINE}
      label="Word"
      hint="One word or several. With a capital letter it stands for that spelling alone, without one for capital and small letters."
      error={errors.grapheme}
      value={draft.grapheme}
      onText={(grapheme) => onChange({ grapheme })}
    />
    <TextField
      {...LINE}
      label="Spoken as"
      hint="Written as it sounds: “sequel” for SQL, “Lester” for Leicester."
      error={errors.alias}
      value={draft.alias}
      onText={(alias) => onChange({ alias })}
    />
    <Field label="Language" hint="The language of the texts it applies to.">
      {(parts) => (
        <LanguageSelect
          parts={parts}
          value={draft.language ?? ''}
          none="Every language"
          onChange={(language) => onChange({ language: language || null })}
        />
      )}
    </Field>
  </>
)
