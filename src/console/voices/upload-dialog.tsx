import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field } from '../parts/field.tsx'
import { LanguageSelect } from '../parts/language-select.tsx'
import { toast } from '../parts/toast.tsx'
import { FileChoice } from './file-choice.tsx'
import { uploadVoice } from './upload-voice.ts'
import { nameOf, secondsOf, wrongFile, wrongLength } from './voice-file.ts'

interface Draft {
  readonly name: string
  readonly consent: string
  readonly hasConsent: boolean
  readonly transcript: string
  readonly language: string
}

interface Chosen {
  readonly file: File
  readonly seconds: number | null
  readonly wrong: string | null
}

const EMPTY: Draft = { name: '', consent: '', hasConsent: false, transcript: '', language: '' }

interface UploadDialogProps {
  readonly onDone: () => void
  readonly onClose: () => void
}

/** A recording, whose voice it is, and that its speaker has agreed. */
export function UploadDialog({ onDone, onClose }: UploadDialogProps) {
  const [draft, setDraft] = useState(EMPTY)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  const upload = useAction(async () => {
    if (chosen === null) return
    await uploadVoice({ ...draft, name: draft.name.trim(), file: chosen.file })
    toast(`${draft.name.trim()} is in your library.`)
    onDone()
    onClose()
  })
  const choose = async (file: File): Promise<void> => {
    const wrong = wrongFile(file)
    setChosen({ file, seconds: null, wrong })
    if (draft.name === '') set({ name: nameOf(file.name) })
    if (wrong !== null) return
    const seconds = await secondsOf(file)
    setChosen((now) => (now?.file === file ? { file, seconds, wrong: wrongLength(seconds) } : now))
  }
  const errors = Object.fromEntries(
    (upload.failure?.details ?? []).map(({ path, message }) => [path.replace(/^\//, ''), message]),
  )
  const isReady = chosen?.wrong === null && draft.name.trim() !== '' && draft.consent.trim() !== '' && draft.hasConsent
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (isReady) void upload.run()
  }
  return (
    <Dialog title="Add a voice" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {upload.failure !== null && upload.failure.details.length === 0 && <Failure failure={upload.failure} />}
        <FileChoice
          file={chosen?.file ?? null}
          seconds={chosen?.seconds ?? null}
          error={chosen?.wrong ?? sentenceOf('The recording', errors.audio_sample)}
          onChoose={(file) => void choose(file)}
        />
        <DraftFields draft={draft} errors={errors} onChange={set} />
        <div class="row end">
          <button type="submit" class="button primary" disabled={!isReady || upload.isRunning}>
            {upload.isRunning ? 'Listening to it…' : 'Add the voice'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface DraftFieldsProps {
  readonly draft: Draft
  /** By the names of the form's fields. */
  readonly errors: Readonly<Record<string, string | undefined>>
  readonly onChange: (change: Partial<Draft>) => void
}

function DraftFields({ draft, errors, onChange }: DraftFieldsProps) {
  return (
    <>
      <div class="halves flush">
        <Field label="Name" error={sentenceOf('The name', errors.name)}>
          {(parts) => <Line parts={parts} value={draft.name} limit={200} onChange={(name) => onChange({ name })} />}
        </Field>
        <Field label="Language (optional)" error={sentenceOf('The language', errors.language)}>
          {(parts) => (
            <LanguageSelect
              parts={parts}
              value={draft.language}
              none="Not said"
              onChange={(language) => onChange({ language })}
            />
          )}
        </Field>
      </div>
      <Field
        label="What it says (optional)"
        hint="Some engines imitate better, or only, with the text of the recording."
        error={sentenceOf('The text', errors.ref_text)}
      >
        {(parts) => (
          <textarea
            {...parts}
            class="input"
            rows={2}
            dir="auto"
            maxLength={2000}
            value={draft.transcript}
            onInput={(event) => onChange({ transcript: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="How the speaker has agreed"
        hint="Such as “My own voice” or “Release signed on 20 November”. It is kept with the voice."
        error={sentenceOf('This', errors.consent)}
      >
        {(parts) => (
          <Line parts={parts} value={draft.consent} limit={2000} onChange={(consent) => onChange({ consent })} />
        )}
      </Field>
      <label class="check">
        <input
          type="checkbox"
          required
          checked={draft.hasConsent}
          onChange={(event) => onChange({ hasConsent: event.currentTarget.checked })}
        />
        I confirm that the speaker agrees to speech being made with this voice
      </label>
    </>
  )
}

interface LineProps {
  readonly parts: object
  readonly value: string
  readonly limit: number
  readonly onChange: (value: string) => void
}

const Line = ({ parts, value, limit, onChange }: LineProps) => (
  <input
    {...parts}
    class="input"
    required
    maxLength={limit}
    autocomplete="off"
    dir="auto"
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
)

/** "The name is taken by another voice." */
const sentenceOf = (subject: string, message: string | undefined): string | undefined =>
  message === undefined ? undefined : `${subject} ${message}.`
