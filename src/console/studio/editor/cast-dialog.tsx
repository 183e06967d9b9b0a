import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { changeCast } from '../model/edit.ts'
import { allParagraphs, newKey, type Settings } from '../model/project.ts'
import { useStudio } from './context.ts'
import { type Endpoint, settingsInWords } from './endpoints.ts'
import { SettingsDialog } from './settings-dialog.tsx'

interface Member {
  readonly id: string
  readonly name: string
  readonly settings: Settings
  /** The name that the paragraphs have. */
  readonly before: string | null
}

interface CastDialogProps {
  readonly endpoints: readonly Endpoint[]
  readonly onExpired: () => void
  readonly onClose: () => void
}

/** Who speaks in a dialogue, each with a voice. */
export function CastDialog({ endpoints, onExpired, onClose }: CastDialogProps) {
  const { editor } = useStudio()
  const { cast, change, add, remove } = useCast()
  const [shown, setShown] = useState<Member | null>(null)
  const wrong = wrongIn(cast)
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (wrong !== null) return
    const named = cast.map((one) => ({ ...one, name: one.name.trim() }))
    editor.change(changeCast(editor.project.peek(), named))
    onClose()
  }
  const onSave = (settings: Settings): void => {
    if (shown !== null) change(shown.id, { settings })
  }
  return (
    <Dialog title="Cast" onClose={onClose} isWide>
      <form class="stack" onSubmit={onSubmit}>
        <p class="prose">
          Lines of a speaker are said with their voice; all others with that of the chapter or the project.
        </p>
        <CastList {...{ cast, endpoints, change, remove }} onVoice={setShown} />
        {wrong !== null && <p class="hint bad">{wrong}</p>}
        <CastButtons isOff={wrong !== null} onAdd={add} />
      </form>
      {shown !== null && (
        <SettingsDialog
          title={`Voice and style of ${shown.name || 'the speaker'}`}
          own={shown.settings}
          from={editor.project.peek().settings}
          {...{ endpoints, onExpired, onSave }}
          onClose={() => setShown(null)}
        />
      )}
    </Dialog>
  )
}

function useCast() {
  const { editor } = useStudio()
  const [cast, setCast] = useState<readonly Member[]>(() =>
    editor.project.peek().speakers.map(({ name, settings }) => ({ id: newKey(), name, settings, before: name })),
  )
  return {
    cast,
    change: (id: string, changes: Partial<Member>): void =>
      setCast((all) => all.map((one) => (one.id === id ? { ...one, ...changes } : one))),
    add: (): void => setCast((all) => [...all, EMPTY()]),
    remove: (gone: Member): void => setCast((all) => all.filter((one) => one !== gone)),
  }
}

interface CastListProps {
  readonly cast: readonly Member[]
  readonly endpoints: readonly Endpoint[]
  readonly change: (id: string, changes: Partial<Member>) => void
  readonly remove: (member: Member) => void
  readonly onVoice: (member: Member) => void
}

const CastList = ({ cast, endpoints, change, remove, onVoice }: CastListProps) =>
  cast.length === 0 ? null : (
    <ul class="cast-list">
      {cast.map((member) => (
        <MemberRow
          key={member.id}
          {...{ member, endpoints }}
          onName={(name) => change(member.id, { name })}
          onVoice={() => onVoice(member)}
          onRemove={() => remove(member)}
        />
      ))}
    </ul>
  )

const CastButtons = ({ isOff, onAdd }: { isOff: boolean; onAdd: () => void }) => (
  <>
    <div class="row">
      <button type="button" class="button" onClick={onAdd}>
        <Icon name="plus" /> Add a speaker
      </button>
    </div>
    <div class="row end">
      <button type="submit" class="button primary" aria-disabled={isOff}>
        Use this cast
      </button>
    </div>
  </>
)

const EMPTY = (): Member => ({ id: newKey(), name: '', settings: {}, before: null })

function wrongIn(cast: readonly Member[]): string | null {
  const names = cast.map(({ name }) => name.trim())
  if (names.includes('')) return 'Each speaker needs a name.'
  return new Set(names).size < names.length ? 'Two speakers have the same name.' : null
}

interface MemberRowProps {
  readonly member: Member
  readonly endpoints: readonly Endpoint[]
  readonly onName: (name: string) => void
  readonly onVoice: () => void
  readonly onRemove: () => void
}

function MemberRow({ member: { name, settings, before }, endpoints, onName, onVoice, onRemove }: MemberRowProps) {
  const { editor } = useStudio()
  const lines =
    before === null ? 0 : allParagraphs(editor.project.peek()).filter(({ speaker }) => speaker === before).length
  return (
    <li class="row">
      <input
        class="input"
        aria-label="Name of the speaker"
        dir="auto"
        maxLength={100}
        value={name}
        onInput={(event) => onName(event.currentTarget.value)}
      />
      <span class="muted small-text grow">
        {settingsInWords(endpoints, settings, settings) || 'The voice of the project'} · {count(lines)}{' '}
        {lines === 1 ? 'line' : 'lines'}
      </span>
      <button type="button" class="button small" aria-label={`Voice and style of ${name}`} onClick={onVoice}>
        Voice and style
      </button>
      <button type="button" class="button quiet small only-icon" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon name="trash" size={14} />
      </button>
    </li>
  )
}
