import { isConverting } from '../../parts/is-converting.ts'
import { toast } from '../../parts/toast.tsx'
import { MAX_PARAGRAPH } from '../import/blocks.ts'
import { plainBlocks } from '../import/plain-text.ts'
import {
  changeParagraph,
  type Edited,
  excessOf,
  joinParagraph,
  moveParagraph,
  pasteBlocks,
  placeOf,
  splitParagraph,
} from '../model/edit.ts'
import type { Caret, Project } from '../model/project.ts'
import type { Studio } from './context.ts'
import type { Editor } from './editor.ts'

type OfText<Kind extends Event> = Kind & { readonly currentTarget: HTMLTextAreaElement }

/** Parts what is typed in a field into steps that can be undone: a selection that is deleted or written over comes back by itself. */
export function stepsOf(editor: Editor) {
  const atSelection = ({ selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement): void => {
    if (selectionStart !== selectionEnd) editor.endStep()
  }
  type OfField<Kind extends Event> = Kind & { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }
  return {
    onBlur: () => editor.endStep(),
    onCompositionStart: ({ currentTarget }: OfField<CompositionEvent>) => atSelection(currentTarget),
    onBeforeInput: ({ currentTarget, isComposing }: OfField<InputEvent>) => {
      if (!isComposing) atSelection(currentTarget)
    },
  }
}

/** Keys of a paragraph: Enter parts it, Backspace at its beginning joins it to the one before, arrows leave it, Alt with them moves it. */
export function onParagraphKey(studio: Studio, key: string, event: OfText<KeyboardEvent>): void {
  if (isConverting(event) || event.defaultPrevented) return
  const act = actOf(studio, key, event)
  if (act === null) return
  event.preventDefault()
  act()
}

function actOf({ editor, speak }: Studio, key: string, event: OfText<KeyboardEvent>): (() => void) | null {
  const { altKey, currentTarget: area } = event
  const { selectionStart: start, selectionEnd: end, value } = area
  const isControl = event.ctrlKey || event.metaKey
  switch (event.key) {
    case 'Enter':
      if (isControl) return () => speak([key])
      return event.shiftKey ? null : () => splitAt(editor, key, start, end)
    case 'Backspace':
      return start === 0 && end === 0 && !isControl ? () => join(editor, key) : null
    case 'Delete':
      return start === value.length && !isControl ? () => joinNext(editor, key) : null
    case 'ArrowUp':
      if (altKey) return () => apply(editor, moveParagraph(editor.project.peek(), key, -1), start)
      return start === 0 && end === 0 ? () => leave(editor, key, -1) : null
    case 'ArrowDown':
      if (altKey) return () => apply(editor, moveParagraph(editor.project.peek(), key, 1), start)
      return start === value.length ? () => leave(editor, key, 1) : null
    default:
      return null
  }
}

/** Shows the chapter of a paragraph, and puts the caret there. */
export function apply(editor: Editor, { project, focus }: Edited, caret?: number): void {
  if (focus === null || isRefused(editor, project)) return
  editor.change(project)
  goTo(editor, { key: focus.key, caret: caret ?? focus.caret })
}

/** Says why a change makes a project larger than the service takes. */
export function isRefused(editor: Editor, project: Project): boolean {
  const excess = excessOf(project)
  if (excess === null || excess === excessOf(editor.project.peek())) return false
  toast(excess)
  return true
}

/** Shows a paragraph, with the caret in it. */
export function goTo(editor: Editor, to: Caret | null): void {
  if (to === null) return
  const { key } = to
  const project = editor.project.peek()
  const place = placeOf(project, key)
  const chapter = place && project.chapters[place.chapter]
  if (chapter) editor.chapterKey.value = chapter.key
  editor.active.value = key
  editor.focus.value = to
}

function splitAt(editor: Editor, key: string, start: number, end: number): void {
  const project = editor.project.peek()
  const text = textOf(project, key)
  const cut = start === end ? project : changeParagraph(project, key, { text: text.slice(0, start) + text.slice(end) })
  apply(editor, splitParagraph(cut, key, start))
}

function join(editor: Editor, key: string): void {
  apply(editor, joinParagraph(editor.project.peek(), key))
}

function joinNext(editor: Editor, key: string): void {
  const next = neighbour(editor.project.peek(), key, 1)
  if (next !== null) join(editor, next)
}

function leave(editor: Editor, key: string, step: 1 | -1): void {
  const project = editor.project.peek()
  const next = neighbour(project, key, step)
  if (next !== null) goTo(editor, { key: next, caret: step > 0 ? 0 : textOf(project, next).length })
}

/** All of the same chapter. */
function neighbour(project: Project, key: string, step: 1 | -1): string | null {
  const place = placeOf(project, key)
  return place === null ? null : (project.chapters[place.chapter]?.paragraphs[place.paragraph + step]?.key ?? null)
}

function textOf(project: Project, key: string): string {
  const place = placeOf(project, key)
  return place === null ? '' : (project.chapters[place.chapter]?.paragraphs[place.paragraph]?.text ?? '')
}

/** Several paragraphs that are pasted or dropped come as such. */
export function onParagraphInsert({ editor }: Studio, key: string, event: OfText<InputEvent>): void {
  const blocks = plainBlocks(event.data ?? event.dataTransfer?.getData('text/plain') ?? '')
  if (event.isComposing || blocks.length < 2) return
  event.preventDefault()
  const { selectionStart: start, selectionEnd: end } = event.currentTarget
  const texts = blocks.map(({ text }) => text)
  apply(editor, pasteBlocks(editor.project.peek(), key, { start, end }, texts))
}

/** A text that one paragraph cannot hold is parted, however it came: by paste, drop, dictation or a program. */
export function onParagraphInput({ editor }: Studio, key: string, event: OfText<InputEvent>): void {
  const { currentTarget: area, inputType } = event
  const { value, selectionEnd } = area
  if (value.length <= MAX_PARAGRAPH) {
    editor.setText(key, value, inputType)
    return
  }
  const project = editor.project.peek()
  const before = textOf(project, key)
  const replaced = { start: 0, end: before.length - (value.length - selectionEnd) }
  apply(editor, pasteBlocks(project, key, replaced, [value.slice(0, selectionEnd)]))
  if (editor.project.peek() === project) area.value = before
}
