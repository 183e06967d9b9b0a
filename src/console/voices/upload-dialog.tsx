import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import { useAction } from '../api/use-action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { isolated } from '../parts/format.ts'
import { toast } from '../parts/toast.tsx'
import { type Draft, DraftFields, type FieldErrors, sentenceOf } from './draft-fields.tsx'
import { FileChoice } from './file-choice.tsx'
import { uploadVoice } from './upload-voice.ts'
import { nameOf, secondsOf, wrongFile, wrongLength } from './voice-file.ts'
import './voices.css'

interface Chosen {
  readonly file: File
  readonly seconds: number | null
  readonly wrong: string | null
}

const EMPTY: Draft = { name: '', consent: '', hasConsent: false, transcript: '', language: '' }

interface UploadDialogProps {
  /** A known recording with its text, and its language where that is known. */
  readonly recording?: { readonly file: File; readonly transcript: string; readonly language?: string }
  readonly onDone: () => void
  readonly onClose: () => void
}

/** A recording, whose voice it is, and that its speaker has agreed. */
export function UploadDialog({ recording, onDone, onClose }: UploadDialogProps) {
  const { draft, set, chosen, take } = useDraft(recording)
  const upload = useAction(async () => {
    if (chosen === null) return
    await uploadVoice({ ...draft, name: draft.name.trim(), file: chosen.file })
    toast(`${isolated(draft.name.trim())} is in your library.`)
    onDone()
    onClose()
  })
  const errors = errorsOf(upload.failure)
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
          onChoose={take}
        />
        <DraftFields draft={draft} errors={errors} onChange={set} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={!isReady || upload.isOff}>
            {upload.isRunning ? 'Checking the recording…' : 'Add the voice'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Holds the fields, at first those of a known recording. */
function useDraft(recording: UploadDialogProps['recording']) {
  const [draft, setDraft] = useState<Draft>(() => ({
    ...EMPTY,
    transcript: recording?.transcript ?? '',
    language: recording?.language ?? '',
  }))
  const { chosen, choose } = useChosen()
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }))
  const take = (file: File): void => {
    if (draft.name === '') set({ name: nameOf(file.name) })
    void choose(file)
  }
  useEffect(() => {
    if (recording !== undefined) take(recording.file)
  }, [])
  return { draft, set, chosen, take }
}

/** The recording, and what is wrong with it as far as the browser can tell. */
function useChosen() {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const choose = async (file: File): Promise<void> => {
    const wrong = wrongFile(file)
    setChosen({ file, seconds: null, wrong })
    if (wrong !== null) return
    const seconds = await secondsOf(file)
    setChosen((now) => (now?.file === file ? { file, seconds, wrong: wrongLength(seconds) } : now))
  }
  return { chosen, choose }
}

const errorsOf = (failure: ApiError | null): FieldErrors =>
  Object.fromEntries((failure?.details ?? []).map(({ path, message }) => [path.replace(/^\//, ''), message]))
