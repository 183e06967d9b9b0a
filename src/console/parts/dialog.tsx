import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { focusHeading } from './page.tsx'

/** The one button of a dialog that does what it asks for. */
const CONFIRMS = ':is(.primary, .danger):not([aria-disabled=true])'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Buttons at its foot. */
  readonly foot?: ComponentChildren
  /** It may be left by Escape and its cross; else by its own button alone. */
  readonly isLocked?: boolean
  readonly isWide?: boolean
}

/** A modal dialog: the browser keeps the focus in it and gives it back. It is shown for as long as it is rendered. */
export function Dialog({ title, onClose, children, foot, isLocked = false, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    dialog?.showModal()
    // Its cross stands first; what is to be filled in comes before that.
    dialog
      ?.querySelector<HTMLElement>('.dialog-body :is(input:not([type=radio], [readonly]), textarea, select)')
      ?.focus()
    return () => {
      dialog?.close()
      if (!(opener instanceof HTMLElement)) return
      opener.focus()
      // The button that opened the dialog may have gone.
      queueMicrotask(() => opener.isConnected || focusHeading())
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      {...closing(isLocked, onClose)}
    >
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {!isLocked && (
          <button type="button" class="button quiet only-icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
      {foot !== undefined && <footer class="dialog-foot">{foot}</footer>}
    </dialog>
  )
}

type OfDialog = Event & { readonly currentTarget: HTMLDialogElement }

/**
 * A browser that was kept from closing it once closes it at the next Escape without asking: then it is shown again, or its owner hears of
 * it. A file picker that is cancelled in it says so as well, which is not about the dialog.
 */
const closing = (isLocked: boolean, onClose: () => void) => ({
  onCancel: (event: OfDialog): void => {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    if (!isLocked) onClose()
  },
  onKeyDown: (event: KeyboardEvent & OfDialog): void => {
    const { key, ctrlKey, metaKey, repeat, currentTarget } = event
    // A dialog within this one has taken it.
    if (event.defaultPrevented) return
    if (isLocked && key === 'Escape') event.preventDefault()
    if (key !== 'Enter' || !(ctrlKey || metaKey)) return
    // Else it would press the button that has the focus, which may be the other one.
    event.preventDefault()
    if (!repeat) currentTarget.querySelector<HTMLElement>(CONFIRMS)?.click()
  },
  onClose: ({ currentTarget }: OfDialog): void => {
    if (!currentTarget.isConnected || currentTarget.open) return
    if (isLocked) currentTarget.showModal()
    else onClose()
  },
})
