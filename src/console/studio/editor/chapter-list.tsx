import { useState } from 'preact/hooks'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { addChapter } from '../model/edit.ts'
import type { Chapter } from '../model/project.ts'
import { useStudio } from './context.ts'
import type { Editor } from './editor.ts'
import { stateOf } from './states.ts'

/** The chapters at the side; on a phone behind a button. */
export function ChapterList() {
  const { editor } = useStudio()
  const { chapters } = editor.project.value
  const [isOpen, setOpen] = useState(false)
  const shown = editor.chapterKey.value
  const add = (): void => {
    const project = addChapter(editor.project.peek(), `Chapter ${chapters.length + 1}`)
    editor.change(project)
    showChapter(editor, project.chapters.at(-1))
  }
  return (
    <nav class="chapters" aria-label="Chapters">
      <FoldButton {...{ isOpen, chapters, shown }} onToggle={() => setOpen(!isOpen)} />
      <div class={isOpen ? 'fold open chapter-fold' : 'fold chapter-fold'}>
        <ol>
          {chapters.map((chapter) => (
            <ChapterItem
              key={chapter.key}
              chapter={chapter}
              isShown={chapter.key === shown}
              onShow={() => {
                setOpen(false)
                showChapter(editor, chapter)
              }}
            />
          ))}
        </ol>
        <button type="button" class="button quiet small" onClick={add}>
          <Icon name="plus" size={14} /> Add a chapter
        </button>
      </div>
    </nav>
  )
}

interface FoldButtonProps {
  readonly isOpen: boolean
  readonly chapters: readonly Chapter[]
  /** The key of the chapter that is shown. */
  readonly shown: string
  readonly onToggle: () => void
}

function FoldButton({ isOpen, chapters, shown, onToggle }: FoldButtonProps) {
  const index = chapters.findIndex(({ key }) => key === shown)
  return (
    <button type="button" class="button fold-button" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name="jobs" />
      <span class="clip" dir="auto">
        {chapters[index]?.title || 'Chapters'}
      </span>
      <span class="faint figure">
        {index + 1} / {count(chapters.length)}
      </span>
    </button>
  )
}

function showChapter(editor: Editor, chapter: Chapter | undefined): void {
  if (chapter === undefined) return
  editor.chapterKey.value = chapter.key
  editor.active.value = null
  scrollTo({ top: 0 })
}

interface ItemProps {
  readonly chapter: Chapter
  readonly isShown: boolean
  readonly onShow: () => void
}

function ChapterItem({ chapter, isShown, onShow }: ItemProps) {
  const { editor } = useStudio()
  void editor.takes.changes.value
  const written = chapter.paragraphs.filter(({ text }) => text.trim() !== '')
  const ready = written.filter(
    ({ key, text }) => stateOf(editor.takes.of(key).peek(), editor.isChanged(key, text)) === 'ready',
  )
  const isAll = written.length > 0 && ready.length === written.length
  return (
    <li>
      <button type="button" class="chapter-item" aria-current={isShown || undefined} onClick={onShow}>
        <span class="clip" dir="auto">
          {chapter.title || 'Untitled'}
        </span>
        <span class="faint figure small-text" title={`${count(ready.length)} of ${count(written.length)} spoken`}>
          {isAll ? <Icon name="check" size={14} /> : `${count(ready.length)}/${count(written.length)}`}
          <span class="unseen">{isAll ? 'all spoken' : 'spoken'}</span>
        </span>
      </button>
    </li>
  )
}
