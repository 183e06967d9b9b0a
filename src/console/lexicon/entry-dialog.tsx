import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field } from '../parts/field.tsx'
import { LanguageSelect } from '../parts/language-select.tsx'
import { type Entry, errorsOf, keyOf, withEntry } from './entries.ts'

/** Applies a change to the newest entries and stores them. @throws Refusal */
export type Save = (change: (entries: readonly Entry[]) => readonly Entry[]) => Promise<void>

interface EntryDialogProps {
  /** Null: a new one. */
  readonly entry: Entry | null
  readonly entries: readonly Entry[]
  readonly save: Save
  readonly onClose: () => void
}

const EMPTY: Entry = { language: null, grapheme: '', alias: '' }

export function EntryDialog({ entry, entries, save, onClose }: EntryDialogProps) {
  const [draft, setDraft] = useState<Entry>(entry ?? EMPTY)
  const clean = { ...draft, grapheme: draft.grapheme.trim(), alias: draft.alias.trim() }
  const others = entry === null ? entries : entries.filter((one) => keyOf(one) !== keyOf(entry))
  const errors = errorsOf(clean, others)
  const store = useAction(async () => {
    await save((newest) => withEntry(newest, clean, entry))
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
        <TextField
          label="Word"
          hint="One word or several. With a capital in it, it stands for exactly that, else for itself in any case."
          value={draft.grapheme}
          error={errors.grapheme}
          onChange={(grapheme) => set({ grapheme })}
        />
        <TextField
          label="Spoken as"
          hint="Written as it sounds: “sequel” for SQL, “Lester” for Leicester."
          value={draft.alias}
          error={errors.alias}
          onChange={(alias) => set({ alias })}
        />
        <Field label="Language" hint="In which texts it holds.">
          {(parts) => (
            <LanguageSelect
              parts={parts}
              value={draft.language ?? ''}
              none="Every language"
              onChange={(language) => set({ language: language || null })}
            />
          )}
        </Field>
        <div class="row end">
          <button type="submit" class="button primary" disabled={!isReady || store.isRunning}>
            {entry === null ? 'Add' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

const TextField = ({ label, hint, value, error, onChange }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(parts) => (
      <input
        {...parts}
        class="input"
        required
        dir="auto"
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
