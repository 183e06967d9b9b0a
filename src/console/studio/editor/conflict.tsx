import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../../api/base.ts'
import { session } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/toast.tsx'
import { createWhole } from '../create-project.ts'
import { allParagraphs } from '../model/project.ts'
import { useStudio } from './context.ts'
import { keepChanges } from './kept-changes.ts'
import { TextView } from './text-view.tsx'

/** Somebody else has saved: nothing is overwritten, and nothing is lost. */
export function ConflictBanner() {
  const { editor, show } = useStudio()
  const copy = useCopy()
  const conflict = editor.conflict.value
  if (conflict === null) return null
  return (
    <div class="notice warn conflict" role="alert">
      <Icon name="alert" />
      <div class="notice-body">
        <p>
          <Saver name={conflict.savedBy} /> saved this project while you were changing it. Your changes are kept here,
          and not saved.
        </p>
        {copy.failure !== null && <Failure failure={copy.failure} />}
      </div>
      <button type="button" class="button small" onClick={() => show({ name: 'theirs' })}>
        Look at theirs
      </button>
      <button type="button" class="button small" aria-disabled={copy.isOff} onClick={() => void copy.run()}>
        Keep mine as a copy
      </button>
    </div>
  )
}

function Saver({ name }: { name: string | null }) {
  if (name !== null && name === session.value?.user.email) return <>You have, in another window,</>
  return (
    <>
      <bdi>{name ?? 'Somebody'}</bdi> has
    </>
  )
}

function useCopy() {
  const { editor } = useStudio()
  const { route } = useLocation()
  return useAction(async () => {
    const mine = editor.project.peek()
    const id = await createWhole({ ...mine, name: `${mine.name.slice(0, 190)} (copy)` })
    editor.takeTheirs()
    keepChanges(editor.id, null)
    toast('Your changes are in this copy.')
    route(at(`/studio/${id}`))
  })
}

export function TheirsDialog({ onClose }: { onClose: () => void }) {
  const { editor } = useStudio()
  const copy = useCopy()
  const [conflict] = useState(editor.conflict.peek())
  if (conflict === null) return null
  const beside = new Map(allParagraphs(editor.project.peek()).map(({ key, text }) => [key, text]))
  const onTake = (): void => {
    editor.takeTheirs()
    toast('This is their text. Undo brings yours.')
    onClose()
  }
  return (
    <Dialog
      title={conflict.savedBy === null ? 'The saved text' : `The text of ${conflict.savedBy}`}
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
        <TextView chapters={conflict.theirs.project.chapters} beside={beside} />
      </div>
    </Dialog>
  )
}
