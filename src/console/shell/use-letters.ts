import { useLayoutEffect, useRef } from 'preact/hooks'
import { areShortcutsOn } from './help/help.ts'
import { takesText } from './shortcuts.ts'

/** Letters of one screen, by key: with no field in the focus, no modifier held, and no dialog open. */
export function useLetters(letters: Readonly<Record<string, () => void>>): void {
  const latest = useRef(letters)
  latest.current = letters
  // Before the screen is drawn: a letter counts as soon as it is seen.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
      if (defaultPrevented || ctrlKey || metaKey || altKey || !areShortcutsOn.value) return
      if (takesText(document.activeElement) || document.querySelector('dialog[open]') !== null) return
      const act = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    // After the shell's, which listens at the document: the letter behind its g is a place.
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
