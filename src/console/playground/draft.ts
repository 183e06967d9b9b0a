import { signal } from '@preact/signals'

const KEPT = 'sonant-draft'

/** What stands on the sheet of the playground, while other screens are open as well; one that wants a text heard puts it there. It is in no address. */
export const draftText = signal(takeKept())

/** Loads the page anew, which goes on with the same text. In between it lies in the storage of the tab, and nowhere longer. */
export function reloadWithDraft(): void {
  sessionStorage.setItem(KEPT, draftText.peek())
  location.reload()
}

function takeKept(): string {
  const text = sessionStorage.getItem(KEPT) ?? ''
  sessionStorage.removeItem(KEPT)
  return text
}
