import { useState } from 'preact/hooks'
import { bytes } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'

interface FileChoiceProps {
  readonly file: File | null
  /** How long it plays, where the browser can tell. */
  readonly seconds: number | null
  readonly error: string | undefined
  readonly onChoose: (file: File) => void
}

/** A file, chosen or dropped. */
export function FileChoice({ file, seconds, error, onChoose }: FileChoiceProps) {
  const take = (files: FileList | null | undefined): void => {
    const [first] = files ?? []
    if (first !== undefined) onChoose(first)
  }
  const { isOver, listeners } = useDrop(take)
  return (
    <div class="field">
      <label class={isOver ? 'drop-zone over' : 'drop-zone'} {...listeners}>
        <Icon name="playground" size={20} />
        <span class="drop-words">
          <strong dir="auto">{file?.name ?? 'Choose a recording'}</strong>
          <span class="muted small-text">
            {file === null
              ? 'or drop it here: WAV, FLAC, MP3, Ogg Opus or WebM, up to 10 MiB'
              : `${seconds === null ? '' : `${seconds.toFixed(1)} s · `}${bytes(file.size)} · choose another`}
          </span>
        </span>
        <input
          type="file"
          class="unseen"
          aria-label="Recording"
          aria-describedby="recording-note"
          aria-invalid={error === undefined ? undefined : true}
          accept="audio/*,.wav,.flac,.mp3,.ogg,.opus,.webm"
          onChange={(event) => take(event.currentTarget.files)}
        />
      </label>
      <p id="recording-note" class={error === undefined ? 'hint' : 'hint bad'}>
        {error ??
          'One speaker, 1 to 30 seconds, without music or echo. Ten clean seconds are better than thirty noisy ones.'}
      </p>
    </div>
  )
}

/** Listens for dropped files and tells if some are over the place. */
export function useDrop(take: (files: FileList | undefined) => void) {
  const [isOver, setOver] = useState(false)
  const listeners = {
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      take(event.dataTransfer?.files)
    },
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
  }
  return { isOver, listeners }
}
