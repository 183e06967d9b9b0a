import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../../api/base.ts'
import { session } from '../../api/session.ts'
import { type Action, useAction } from '../../api/use-action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { count } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/toast.tsx'
import { createWhole } from '../create-project.ts'
import { allParagraphs, type Project } from '../model/project.ts'
import { rescued } from '../model/save.ts'
import { useStudio } from './context.ts'
import { keepChanges, takeKeptChanges } from './kept-changes.ts'
import { TextView } from './text-view.tsx'

/** Somebody else has saved or deleted the project: nothing is overwritten, and nothing is lost. */
export function ConflictBanner() {
  const { editor, show } = useStudio()
  const copy = useOwnCopy()
  const conflict = editor.conflict.value
  if (conflict === null) return null
  return (
    <CopyNotice copy={copy} onLook={conflict.theirs === null ? undefined : () => show({ name: 'theirs' })}>
      {conflict.theirs === null ? (
        'This project was deleted while it was open here.'
      ) : (
        <>
          <Saver name={conflict.savedBy} /> saved this project while you were changing it.
        </>
      )}{' '}
      {conflict.theirs === null ? 'Your text is' : 'Your changes are'} kept here, and not saved.
    </CopyNotice>
  )
}

/** Offers to keep what this browser still has of a project that is gone. */
export function RescueBanner({ id }: { readonly id: string }) {
  const [mine] = useState(() => {
    const kept = takeKeptChanges(id)
    return kept === null ? null : rescued(kept.changes)
  })
  const copy = useCopy(
    () => mine,
    () => keepChanges(id, null),
  )
  if (mine === null) return null
  const characters = allParagraphs(mine).reduce((sum, { text }) => sum + text.length, 0)
  return (
    <CopyNotice copy={copy}>
      This project was deleted. This browser still has the chapters that you had changed and not saved:{' '}
      {count(characters)} characters.
    </CopyNotice>
  )
}

interface CopyNoticeProps {
  readonly copy: Action<void>
  readonly onLook?: (() => void) | undefined
  readonly children: ComponentChildren
}

const CopyNotice = ({ copy, onLook, children }: CopyNoticeProps) => (
  <div class="notice warn conflict" role="alert">
    <Icon name="alert" />
    <div class="notice-body">
      <p>{children}</p>
      {copy.failure !== null && <Failure failure={copy.failure} />}
    </div>
    {onLook !== undefined && (
      <button type="button" class="button small" onClick={onLook}>
        Look at theirs
      </button>
    )}
    <button type="button" class="button small" aria-disabled={copy.isOff} onClick={() => void copy.run()}>
      Keep mine as a copy
    </button>
  </div>
)

function Saver({ name }: { name: string | null }) {
  if (name !== null && name === session.value?.user.email) return <>You have, in another window,</>
  return (
    <>
      <bdi>{name ?? 'Somebody'}</bdi> has
    </>
  )
}

function useOwnCopy() {
  const { editor } = useStudio()
  return useCopy(
    () => editor.project.peek(),
    () => editor.letGo(),
  )
}

function useCopy(read: () => Project | null, onCopied: () => void) {
  const { route } = useLocation()
  return useAction(async () => {
    const mine = read()
    if (mine === null) return
    const id = await createWhole({ ...mine, name: `${mine.name.slice(0, 190)} (copy)` })
    onCopied()
    toast('Your changes are in this copy. Nothing of it is spoken yet: speaking it costs again.')
    route(at(`/studio/${id}`))
  })
}

export function TheirsDialog({ onClose }: { onClose: () => void }) {
  const { editor } = useStudio()
  const copy = useOwnCopy()
  const [{ savedBy, theirs }] = useState(editor.conflict.peek() ?? { savedBy: null, theirs: null })
  if (theirs === null) return null
  const beside = new Map(allParagraphs(editor.project.peek()).map(({ key, text }) => [key, text]))
  const onTake = (): void => {
    editor.takeTheirs()
    toast('This is their text. Undo brings yours.')
    onClose()
  }
  return (
    <Dialog
      title={savedBy === null ? 'The saved text' : `The text of ${savedBy}`}
      onClose={onClose}
      isWide
      foot={
        <>
          <button type="button" class="button" aria-disabled={copy.isOff} onClick={() => void copy.run()}>
            Keep mine as a copy
          </button>
          <button type="button" class="button primary" onClick={onTake}>
            Go on with theirs
          </button>
        </>
      }
    >
      <div class="stack">
        {copy.failure !== null && <Failure failure={copy.failure} />}
        <TextView chapters={theirs.project.chapters} beside={beside} />
      </div>
    </Dialog>
  )
}
