import { Drop } from '../../menus/drop.tsx'
import { count } from '../../parts/format.ts'
import { Icon, PlayGlyph } from '../../parts/icon.tsx'
import { balance } from '../../shell/balance.ts'
import { useStudio } from './context.ts'
import { ExportMenu } from './export-menu.tsx'
import { missingOf } from './missing.ts'
import { goTo } from './paragraph-keys.ts'

/** The buttons of the whole project. */
export function EditorActions() {
  const { show } = useStudio()
  return (
    <div class="row studio-actions">
      <SaveState />
      <Steps />
      <HearAll />
      <ExportMenu />
      <Drop icon="more" text="Project">
        <button type="button" class="menu-item" onClick={() => show({ name: 'cast' })}>
          Cast
        </button>
        <button type="button" class="menu-item" onClick={() => show({ name: 'project' })}>
          Name, voice and style
        </button>
        <button type="button" class="menu-item" onClick={() => show({ name: 'versions' })}>
          Earlier versions
        </button>
      </Drop>
      <SpeakMissing />
    </div>
  )
}

function SaveState() {
  const { editor } = useStudio()
  const failure = editor.failure.value
  const text =
    editor.conflict.value !== null
      ? 'Not saved'
      : failure !== null && !editor.isSaved.value
        ? 'Not saved yet'
        : editor.isSaved.value
          ? 'Saved'
          : 'Saving…'
  return <span class="save-state muted small-text">{text}</span>
}

const Steps = () => {
  const { editor } = useStudio()
  return (
    <span class="row steps-back">
      <button
        type="button"
        class="button quiet only-icon"
        aria-label="Undo"
        title="Undo (Ctrl Z)"
        aria-disabled={!editor.canUndo.value}
        onClick={() => goTo(editor, editor.undo())}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        class="button quiet only-icon"
        aria-label="Redo"
        title="Redo (Ctrl Shift Z)"
        aria-disabled={!editor.canRedo.value}
        onClick={() => goTo(editor, editor.redo())}
      >
        <Icon name="redo" />
      </button>
    </span>
  )
}

function HearAll() {
  const { editor, hearing } = useStudio()
  const isPlaying = hearing.isAll.value && hearing.isPlaying.value
  const onClick = (): void => {
    if (hearing.isAll.peek() && hearing.key.peek() !== null) hearing.toggle()
    else hearing.all(editor.active.peek())
  }
  return (
    <button
      type="button"
      class="button"
      title="From the paragraph with the caret on"
      aria-disabled={hearing.heard.value.length === 0}
      onClick={onClick}
    >
      <PlayGlyph isPlaying={isPlaying} size={12} /> {isPlaying ? 'Pause' : 'Hear it'}
    </button>
  )
}

/** The button says what it costs. */
function SpeakMissing() {
  const { editor, endpoints, speak } = useStudio()
  void editor.takes.changes.value
  const { keys, cost, underway } = missingOf(editor, editor.project.value, endpoints())
  if (keys.length === 0)
    return (
      <button type="button" class="button primary" aria-disabled>
        {underway > 0 ? `Speaking ${count(underway)}…` : 'All is spoken'}
      </button>
    )
  const isShort = cost > balance.value
  return (
    <>
      {isShort && <span class="pill warn">{count(Math.max(0, balance.value))} credits left</span>}
      <button type="button" class="button primary" onClick={() => speak(keys)}>
        <Icon name="playground" /> Speak {count(keys.length)}{' '}
        <span class="unseen">{keys.length === 1 ? 'paragraph' : 'paragraphs'}</span> · {count(cost)}{' '}
        {cost === 1 ? 'credit' : 'credits'}
      </button>
    </>
  )
}
