import { useEffect } from 'preact/hooks'

/** A menu ends with the focus elsewhere, a press outside of it, or Escape. */
export function useCloseOutside(root: { readonly current: HTMLElement | null }, close: () => void): void {
  useEffect(() => {
    const onLeave = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) close()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close()
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
