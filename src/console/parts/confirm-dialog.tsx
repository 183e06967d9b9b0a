import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { typable } from './format.ts'

interface ConfirmProps {
  readonly title: string
  /** The text says what will happen and what cannot be undone. */
  readonly children: ComponentChildren
  /** The verb on the button. */
  readonly action: string
  readonly isDanger?: boolean
  /** Has to be typed before the button works, as far as it can be; something of it can. */
  readonly typed?: string
  /** Something else has to be done before the button works. */
  readonly isOff?: boolean
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before what cannot be undone. It closes once that has succeeded; a failure is shown in it. */
export function ConfirmDialog({ title, children, action, isDanger, typed, isOff, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('')
  const confirm = useAction(async () => {
    await onConfirm()
    onClose()
  })
  const isReady = !isOff && (typed === undefined || typable(text) === typable(typed))
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (isReady) void confirm.run()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit} class="stack">
        <div class="prose">{children}</div>
        {typed !== undefined && <TypedField typed={typed} text={text} onText={setText} />}
        {confirm.failure !== null && <Failure failure={confirm.failure} />}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Go back
          </button>
          <button
            type="submit"
            class={isDanger ? 'button danger' : 'button primary'}
            aria-disabled={confirm.isOff || !isReady}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface TypedFieldProps {
  readonly typed: string
  readonly text: string
  readonly onText: (text: string) => void
}

const TypedField = ({ typed, text, onText }: TypedFieldProps) => (
  <label class="field">
    <span class="label">
      Type <code>{typable(typed)}</code> to confirm
    </span>
    <input class="input" value={text} autocomplete="off" onInput={(event) => onText(event.currentTarget.value)} />
  </label>
)
