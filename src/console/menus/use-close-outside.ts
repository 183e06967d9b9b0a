import { useEffect } from 'preact/hooks'

/** A menu ends with the focus elsewhere, a press outside of it, or Escape. */
export function useCloseOutside(root: { readonly current: HTMLElement | null }, close: () => void): void {
  useEffect(() => {
    const onLeave = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) close()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
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

/** Before a menu closes: the focus, where it is in the menu, goes to the button that opens it. */
export function focusOpener(root: HTMLElement | null): void {
  if (root?.contains(document.activeElement)) root.querySelector<HTMLElement>('summary, [aria-expanded]')?.focus()
}
