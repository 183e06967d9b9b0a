import { useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { useFile } from '../shell/use-file.ts'

/** Opens the ends of a window as fields, next to the windows that have names. Most visits choose one of those: the fields have a file of their own. */
export function OwnWindow() {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const file = useFile(
    isOpen,
    () => import('./own-window-dialog.tsx'),
    () => {
      close()
      toast('The fields of a time could not be loaded from the service.')
    },
  )
  return (
    <>
      <button type="button" class="button only-icon" title="Custom time…" onClick={() => setOpen(true)}>
        <Icon name="calendar" />
        <span class="unseen">Custom time…</span>
      </button>
      {isOpen && file !== null && <file.OwnWindowDialog onClose={close} />}
    </>
  )
}
