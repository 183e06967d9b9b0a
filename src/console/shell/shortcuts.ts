/** Where `g` and a letter lead, by letter. */
type Places = Readonly<Record<string, string>>

interface ShortcutActions {
  readonly go: (path: string) => void
  readonly showHelp: () => void
  readonly search: () => void
}

export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  /** A field has the focus, so letters are text. */
  readonly isTyping: boolean
}

const SECOND_LETTER_MS = 1500

/** Single letters, with no field in the focus and no modifier held; `g` waits a moment for the letter of a place. */
export function createShortcuts(
  places: Places,
  actions: ShortcutActions,
  now: () => number,
): (pressed: Pressed) => boolean {
  let goSince = Number.NEGATIVE_INFINITY
  return ({ key, ctrlKey, metaKey, altKey, isTyping }) => {
    if (isTyping || ctrlKey || metaKey || altKey) return false
    const isSecond = now() - goSince < SECOND_LETTER_MS
    goSince = Number.NEGATIVE_INFINITY
    const place = isSecond ? places[key] : undefined
    if (place !== undefined) actions.go(place)
    else if (key === '?') actions.showHelp()
    else if (key === '/') actions.search()
    else if (key === 'g') goSince = now()
    else return false
    return true
  }
}

export const takesText = (element: Element | null): boolean =>
  element !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && element.getAttribute('type') !== 'checkbox'
