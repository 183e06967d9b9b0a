import { useEffect } from 'preact/hooks'

/**
 * A menu ends with the focus elsewhere, a press outside of it, or Escape. Such a press opens nothing: what is under it may be a row that leads
 * somewhere. A button or a link does what it says.
 */
export function useCloseOutside(
  root: { readonly current: HTMLElement | null },
  isOpen: () => boolean,
  close: () => void,
): void {
  useEffect(() => {
    const onLeave = (event: Event): void => {
      if (!isOpen() || !(event.target instanceof Node) || root.current?.contains(event.target)) return
      if (event instanceof PointerEvent && event.button === 0) ignoreClick()
      close()
    }
    const onKey = (event: KeyboardEvent): void => {
      // A dialog that the menu has opened takes its own, and gives the focus back into the menu.
      if (event.key !== 'Escape' || !isOpen() || document.querySelector('dialog[open]')) return
      focusOpener(root.current)
      close()
    }
    document.addEventListener('focusin', onLeave)
    document.addEventListener('pointerdown', onLeave)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('focusin', onLeave)
      document.removeEventListener('pointerdown', onLeave)
      document.removeEventListener('keydown', onKey)
    }
  }, [])
}

/** The click that a press of the first button is going to end with; one that scrolls, or asks for the browser's menu, ends with none. */
function ignoreClick(): void {
  const over = new AbortController()
  const options = { capture: true, signal: over.signal }
  const stop = (event: Event): void => {
    if (!(event.target as Element).closest('a, button, input, select, textarea, label, summary'))
      event.stopPropagation()
  }
  document.addEventListener('click', stop, options)
  for (const type of ['click', 'contextmenu', 'pointercancel', 'pointerdown', 'keydown'])
    document.addEventListener(type, () => over.abort(), options)
}

/** Before a menu closes: the focus, where it is in the menu, goes to the button that opens it. */
export function focusOpener(root: HTMLElement | null): void {
  if (root?.contains(document.activeElement)) root.querySelector<HTMLElement>('summary, [aria-expanded]')?.focus()
}
