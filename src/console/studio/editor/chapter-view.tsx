import type { VNode } from 'preact'
import { Drop } from '../../menus/drop.tsx'
import { Icon } from '../../parts/icon.tsx'
import { addParagraphs, changeChapter, joinChapter, moveChapter } from '../model/edit.ts'
import { typingKey } from '../model/history.ts'
import { type Chapter, inherited, type Paragraph, paragraphOf } from '../model/project.ts'
import { useStudio } from './context.ts'
import { settingsInWords } from './endpoints.ts'
import { apply, isRefused, stepsOf } from './paragraph-keys.ts'
import { ParagraphRow } from './paragraph-row.tsx'

/** The shown chapter as a page. */
export function ChapterView() {
  const { editor } = useStudio()
  const { chapters } = editor.project.value
  const chapter = chapters.find(({ key }) => key === editor.chapterKey.value) ?? chapters[0]
  if (chapter === undefined) return null
  return (
    <section class="card chapter-page" aria-label={chapter.title || 'Chapter'}>
      <ChapterHead key={`head ${chapter.key}`} chapter={chapter} />
      <div class="paras">{chapter.paragraphs.map(rowOf)}</div>
      <ChapterFoot chapter={chapter} />
    </section>
  )
}

const rows = new WeakMap<Paragraph, VNode>()

/** The same element for the same paragraph, which Preact passes over: a letter in one of thousands draws that one alone. */
function rowOf(paragraph: Paragraph): VNode {
  const row = rows.get(paragraph) ?? <ParagraphRow key={paragraph.key} paragraph={paragraph} />
  rows.set(paragraph, row)
  return row
}

function ChapterHead({ chapter }: { chapter: Chapter }) {
  const studio = useStudio()
  const { editor } = studio
  const whole = inherited([chapter.settings, editor.project.value.settings])
  const words = settingsInWords(studio.endpoints(), whole, whole)
  return (
    <header class="chapter-head">
      <input
        class="chapter-title"
        aria-label="Title of the chapter"
        dir="auto"
        maxLength={200}
        placeholder="Title of the chapter"
        value={chapter.title}
        {...stepsOf(editor)}
        onInput={({ currentTarget: { value }, inputType }) => {
          const changed = changeChapter(editor.project.peek(), chapter.key, { title: value })
          editor.change(changed, typingKey(`title ${chapter.key}`, inputType))
        }}
      />
      <ChapterMenu chapter={chapter} />
      <button
        type="button"
        class="button quiet small chapter-voice"
        title="Voice and style of the chapter"
        onClick={() => studio.show({ name: 'chapter', key: chapter.key })}
      >
        <Icon name="voices" size={14} /> <span class="clip">{words === '' ? 'Choose a voice' : words}</span>
      </button>
    </header>
  )
}

function ChapterMenu({ chapter: { key, paragraphs } }: { chapter: Chapter }) {
  const { editor, hearing, show } = useStudio()
  const { chapters } = editor.project.value
  const index = chapters.findIndex((one) => one.key === key)
  const join = (): void => {
    const joined = joinChapter(editor.project.peek(), key)
    if (!isRefused(editor, joined)) editor.change(joined)
  }
  const items: readonly (readonly [text: string, act: () => void, isOffered?: boolean])[] = [
    ['Hear from here', () => hearing.all(paragraphs[0]?.key ?? null)],
    ['Voice and style', () => show({ name: 'chapter', key })],
    ['Move up', () => editor.change(moveChapter(editor.project.peek(), key, -1)), index > 0],
    ['Move down', () => editor.change(moveChapter(editor.project.peek(), key, 1)), index < chapters.length - 1],
    ['Join to the one before', join, index > 0],
    ['Delete the chapter', () => show({ name: 'delete-chapter', key }), chapters.length > 1],
  ]
  return (
    <Drop icon="more" text="Chapter" isSmall>
      {items.map(([name, act, isOffered = true]) =>
        isOffered ? (
          <button key={name} type="button" class="menu-item" onClick={act}>
            {name}
          </button>
        ) : null,
      )}
    </Drop>
  )
}

/** A press below the last paragraph begins another one. */
function ChapterFoot({ chapter: { paragraphs } }: { chapter: Chapter }) {
  const { editor } = useStudio()
  const last = paragraphs.at(-1)
  const onAdd = (): void => {
    if (last?.text.trim() === '') editor.focus.value = { key: last.key, caret: 0 }
    else if (last)
      apply(editor, addParagraphs(editor.project.peek(), last.key, [paragraphOf('', { speaker: last.speaker })]))
  }
  return (
    <button type="button" class="button quiet small chapter-foot" onClick={onAdd}>
      Add a paragraph
    </button>
  )
}
