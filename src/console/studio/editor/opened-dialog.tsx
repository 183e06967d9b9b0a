import { useState } from 'preact/hooks'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { changeChapter, changeParagraph, changeProject, placeOf, removeChapter } from '../model/edit.ts'
import { type Project, settingsOf } from '../model/project.ts'
import { CastDialog } from './cast-dialog.tsx'
import { TheirsDialog } from './conflict.tsx'
import { type Opened, useStudio } from './context.ts'
import type { Editor } from './editor.ts'
import type { Endpoint } from './endpoints.ts'
import { SettingsDialog } from './settings-dialog.tsx'
import { TakesDialog } from './takes-dialog.tsx'
import { VersionsDialog } from './versions-dialog.tsx'
import { AgainDialog, WordDialog } from './word-dialog.tsx'

interface OpenedDialogProps {
  readonly opened: Opened
  readonly endpoints: readonly Endpoint[]
  readonly onExpired: () => void
  readonly show: (opened: Opened | null) => void
}

/** The one dialog that is open. */
export function OpenedDialog({ opened, endpoints, onExpired, show }: OpenedDialogProps) {
  const onClose = (): void => show(null)
  const parts = { endpoints, onExpired, onClose }
  switch (opened.name) {
    case 'project':
      return <ProjectDialog {...parts} />
    case 'chapter':
    case 'paragraph':
      return <LevelDialog {...parts} level={opened.name} of={opened.key} />
    case 'cast':
      return <CastDialog {...parts} />
    case 'takes':
      return <TakesDialog paragraphKey={opened.key} onClose={onClose} />
    case 'versions':
      return <VersionsDialog onClose={onClose} />
    case 'theirs':
      return <TheirsDialog onClose={onClose} />
    case 'delete-chapter':
      return <DeleteChapterDialog of={opened.key} onClose={onClose} />
    case 'word':
      return (
        <WordDialog
          paragraphKey={opened.key}
          word={opened.word}
          onSaved={(word) => setTimeout(() => show({ name: 'again', word }))}
          onClose={onClose}
        />
      )
    case 'again':
      return <AgainDialog word={opened.word} onClose={onClose} />
  }
}

interface PartsProps {
  readonly endpoints: readonly Endpoint[]
  readonly onExpired: () => void
  readonly onClose: () => void
}

/** The name of the project, and how its paragraphs are spoken. */
function ProjectDialog(parts: PartsProps) {
  const { editor } = useStudio()
  const { name, settings } = editor.project.peek()
  const [text, setText] = useState(name)
  const [isVoice, setVoice] = useState(false)
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const trimmed = text.trim()
    if (trimmed !== '') editor.change(changeProject(editor.project.peek(), { name: trimmed }))
    parts.onClose()
  }
  if (isVoice)
    return (
      <SettingsDialog
        title="Voice and style of the project"
        own={settings}
        from={{}}
        {...parts}
        onSave={(changed) => editor.change(changeProject(editor.project.peek(), { settings: changed }))}
      />
    )
  return (
    <Dialog title="The project" onClose={parts.onClose}>
      <form class="stack" onSubmit={onSubmit}>
        <TextField label="Name" required maxLength={200} dir="auto" autocomplete="off" value={text} onText={setText} />
        <div class="row">
          <button type="button" class="button" onClick={() => setVoice(true)}>
            Voice and style
          </button>
        </div>
        <div class="row end">
          <button type="submit" class="button primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface LevelDialogProps extends PartsProps {
  readonly level: 'chapter' | 'paragraph'
  readonly of: string
}

function LevelDialog({ level, of, ...parts }: LevelDialogProps) {
  const { editor } = useStudio()
  const found = settingsAt(editor, level, of)
  if (found === null) return null
  return <SettingsDialog title={`Voice and style of the ${level}`} {...found} {...parts} />
}

function settingsAt(editor: Editor, level: 'chapter' | 'paragraph', key: string) {
  const project = editor.project.peek()
  const now = (): Project => editor.project.peek()
  if (level === 'chapter') {
    const chapter = project.chapters.find((one) => one.key === key)
    if (chapter === undefined) return null
    return {
      own: chapter.settings,
      from: project.settings,
      onSave: (settings: typeof project.settings) => editor.change(changeChapter(now(), key, { settings })),
    }
  }
  const place = placeOf(project, key)
  const chapter = place && project.chapters[place.chapter]
  const paragraph = chapter?.paragraphs[place?.paragraph ?? 0]
  if (!chapter || !paragraph) return null
  return {
    own: paragraph.settings,
    from: settingsOf(project, chapter, { ...paragraph, settings: {} }),
    onSave: (settings: typeof project.settings) => editor.change(changeParagraph(now(), key, { settings })),
  }
}

function DeleteChapterDialog({ of, onClose }: { of: string; onClose: () => void }) {
  const { editor } = useStudio()
  const [chapter] = useState(editor.project.peek().chapters.find(({ key }) => key === of))
  return (
    <ConfirmDialog
      title={`Delete “${chapter?.title || 'Untitled'}”?`}
      action="Delete the chapter"
      isDanger
      onConfirm={async () => editor.change(removeChapter(editor.project.peek(), of))}
      onClose={onClose}
    >
      <p>Its paragraphs go with it. Undo brings them back while the project is open.</p>
    </ConfirmDialog>
  )
}
