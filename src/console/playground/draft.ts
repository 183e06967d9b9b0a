import { signal } from '@preact/signals'
import { session } from '../api/session.ts'

const KEPT = 'sonant-draft'

/** What stands on the sheet of the playground, while other screens are open as well; one that wants a text heard puts it there. It is in no address. */
export const draftText = signal('')

/** Loads the page anew, which goes on with the same text where the same user is signed in. In between it lies in the storage of the tab. */
export function reloadWithDraft(): void {
  const userId = session.peek()?.user.id
  if (userId !== undefined) sessionStorage.setItem(KEPT, JSON.stringify({ userId, text: draftText.peek() }))
  location.reload()
}

session.subscribe((found) => {
  if (found) takeKept(found.user.id)
})

function takeKept(userId: string): void {
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  const draft = kept === null ? null : (JSON.parse(kept) as { userId: string; text: string })
  if (draft?.userId === userId) draftText.value = draft.text
}
