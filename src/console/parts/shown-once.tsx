import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

interface ShownOnceProps {
  readonly title: string
  /** The advice beside it. */
  readonly children: string
  readonly value: string
  /** Its name: "API key". */
  readonly name: string
  /** The reader has done this before they may leave the dialog. */
  readonly done?: string
  readonly onClose: () => void
}

/** A secret that is never shown again: it lives in this dialog alone, which is left only by saying that it is stored. */
export function ShownOnce({ title, children, value, name, done = 'I have stored it', onClose }: ShownOnceProps) {
  const [isStored, setStored] = useState(false)
  const foot = (
    <button type="button" class="button primary" aria-disabled={!isStored} onClick={onClose}>
      Done
    </button>
  )
  return (
    <Dialog title={title} onClose={onClose} isLocked foot={foot}>
      <div class="stack">
        <p class="prose">{children}</p>
        <div class="secret">
          <code>{value}</code>
          <CopyButton text={value} label={`Copy the ${name}`}>
            Copy
          </CopyButton>
        </div>
        <label class="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
          {done}
        </label>
      </div>
    </Dialog>
  )
}
