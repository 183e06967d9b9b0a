import { useRef } from 'preact/hooks'
import { Drop } from '../../menus/drop.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { beginChapter, changeParagraph, joinParagraph, moveParagraph, removeParagraph } from '../model/edit.ts'
import { NARRATOR, type Paragraph, type Project } from '../model/project.ts'
import { useStudio } from './context.ts'
import { apply } from './paragraph-keys.ts'
import type { SpokenState, Take } from './states.ts'

interface ToolsProps {
  readonly paragraph: Paragraph
  readonly takes: readonly Take[]
  readonly state: SpokenState
}

const NEW_SPEAKER = '\n'

/** Acts on the paragraph that has the caret. */
export function ParagraphTools({ paragraph, takes, state }: ToolsProps) {
  const { editor, speak, show } = useStudio()
  const root = useRef<HTMLDivElement>(null)
  const { key, text } = paragraph
  const isBusy = state === 'waiting' || state === 'speaking'
  const onWord = (): void => {
    const area = root.current?.closest('.para')?.querySelector('textarea')
    if (area) show({ name: 'word', key, word: wordAt(area) })
  }
  return (
    <div ref={root} class="para-tools row" role="toolbar" aria-label="Paragraph">
      <SpeakerSelect paragraph={paragraph} />
      <button type="button" class="button small" onClick={() => show({ name: 'paragraph', key })}>
        <Icon name="voices" size={14} /> Voice and style
      </button>
      <button
        type="button"
        class="button small"
        aria-disabled={isBusy || text.trim() === ''}
        title="Ctrl Enter"
        onClick={() => speak([key])}
      >
        <Icon name="playground" size={14} /> {takes.length === 0 ? 'Speak' : 'Speak again'}
      </button>
      {takes.length > 0 && (
        <button type="button" class="button small" onClick={() => show({ name: 'takes', key })}>
          {takes.length === 1 ? '1 take' : `${count(takes.length)} takes`}
        </button>
      )}
      <button type="button" class="button small" title="Select a word of the text first" onClick={onWord}>
        <Icon name="lexicon" size={14} /> Teach a word
      </button>
      <MoreMenu paragraph={paragraph} onDone={(edited) => apply(editor, edited)} />
    </div>
  )
}

function SpeakerSelect({ paragraph: { key, speaker } }: { paragraph: Paragraph }) {
  const { editor, show } = useStudio()
  const { speakers } = editor.project.value
  const onChange = (value: string): void => {
    if (value === NEW_SPEAKER) show({ name: 'cast' })
    else editor.change(changeParagraph(editor.project.peek(), key, { speaker: value === '' ? null : value }))
  }
  return (
    <select
      class="select small"
      aria-label="Who says it"
      value={speaker ?? ''}
      onChange={(event) => {
        onChange(event.currentTarget.value)
        event.currentTarget.value = speaker ?? ''
      }}
    >
      <option value="">{NARRATOR}</option>
      {speakers.map(({ name }) => (
        <option key={name} value={name} dir="auto">
          {name}
        </option>
      ))}
      <option value={NEW_SPEAKER}>Change the cast…</option>
    </select>
  )
}

interface MoreMenuProps {
  readonly paragraph: Paragraph
  readonly onDone: (edited: ReturnType<typeof moveParagraph>) => void
}

function MoreMenu({ paragraph: { key, text }, onDone }: MoreMenuProps) {
  const { editor, hearing } = useStudio()
  const now = (): Project => editor.project.peek()
  const begin = (): void => {
    const changed = beginChapter(now(), key, text.trim().slice(0, 80) || 'New chapter')
    onDone({ project: changed, focus: { key, caret: 0 } })
  }
  const items: readonly (readonly [text: string, act: () => void])[] = [
    ['Hear from here', () => hearing.all(key)],
    ['Move up', () => onDone(moveParagraph(now(), key, -1))],
    ['Move down', () => onDone(moveParagraph(now(), key, 1))],
    ['Join to the one before', () => onDone(joinParagraph(now(), key))],
    ['Begin a chapter here', begin],
    ['Delete', () => onDone(removeParagraph(now(), key))],
  ]
  return (
    <Drop icon="more" text="More" isSmall>
      {items.map(([name, act]) => (
        <button key={name} type="button" class="menu-item" onClick={act}>
          {name}
        </button>
      ))}
    </Drop>
  )
}

const WORD = /[\p{L}\p{M}\p{N}'’-]+/gu

/** The selected words, or the one with the caret. */
function wordAt({ value, selectionStart: start, selectionEnd: end }: HTMLTextAreaElement): string {
  const selected = value.slice(start, end).trim().replace(/\s+/g, ' ')
  if (selected !== '') return selected.slice(0, 100)
  for (const { 0: word, index } of value.matchAll(WORD)) if (index <= start && start <= index + word.length) return word
  return ''
}
