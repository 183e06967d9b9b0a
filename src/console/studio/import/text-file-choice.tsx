import { Icon } from '../../parts/icon.tsx'
import { useDrop } from '../../voices/file-choice.tsx'
import { ACCEPTED } from './read-file.ts'

interface TextFileChoiceProps {
  /** The text of the chosen file. */
  readonly name: string | null
  readonly error: string | undefined
  readonly onChoose: (file: File) => void
}

/** A file with a text, chosen or dropped. */
export function TextFileChoice({ name, error, onChoose }: TextFileChoiceProps) {
  const take = (files: FileList | null | undefined): void => {
    const [first] = files ?? []
    if (first !== undefined) onChoose(first)
  }
  const { isOver, listeners } = useDrop(take)
  return (
    <div class="field">
      <label class={isOver ? 'studio-drop over' : 'studio-drop'} {...listeners}>
        <Icon name="lexicon" size={20} />
        <span>
          <strong dir="auto">{name ?? 'Choose a file'}</strong>
          <span class="muted small-text">
            {name === null ? 'or drop it here: text, Word, EPUB, Markdown or subtitles' : 'choose another'}
          </span>
        </span>
        <input
          type="file"
          class="unseen"
          aria-label="Text file"
          aria-describedby="text-file-note"
          aria-invalid={error === undefined ? undefined : true}
          accept={ACCEPTED}
          onChange={(event) => take(event.currentTarget.files)}
        />
      </label>
      <p id="text-file-note" class={error === undefined ? 'hint' : 'hint bad'} role={error ? 'alert' : undefined}>
        {error ?? 'It is read in your browser. Chapters come from its headings; notes and the cover are left out.'}
      </p>
    </div>
  )
}
