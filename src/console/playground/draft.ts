import { signal } from '@preact/signals'
import { leftAt } from '../api/left.ts'
import { session, signOuts } from '../api/session.ts'

const KEPT = 'sonant-draft'

/** What stands on the sheet of the playground, while other screens are open as well; one that wants a text heard puts it there. It is in no address. */
export const draftText = signal('')

/** What is set besides the text, by the endpoint's slug, for the way back from other screens. */
export const draftInputs = new Map<string, Readonly<Record<string, string | boolean | undefined>>>()

/** What a word to be heard has taken the place of on the sheet. */
export const replaced = signal<{ readonly text: string; readonly by: string } | null>(null)

/** How often a voice was added to the account from the playground, which has to offer it. */
export const addedVoices = signal(0)
export const noteVoice = (): void => {
  addedVoices.value += 1
}

/** Puts a word there to be heard; what the user has written is kept for the way back. */
export function hearWord(word: string): void {
  const text = draftText.peek()
  const before = replaced.peek()
  const own = text.trim() === '' || text === before?.by ? before?.text : text
  replaced.value = own === undefined ? null : { text: own, by: word }
  draftText.value = word
}

/** @returns what was there before the word; another text that stands there now is kept in turn */
export function takeBack(kept: { readonly text: string; readonly by: string }): string {
  const text = draftText.peek()
  replaced.value = text.trim() === '' || text === kept.by ? null : { text, by: kept.text }
  return kept.text
}

/** Loads the page anew, which goes on with the same text where the same user is signed in. In between it lies in the storage of the tab. */
export function reloadWithDraft(): void {
  const userId = session.peek()?.user.id
  const text = replaced.peek()?.text ?? draftText.peek()
  if (userId !== undefined) sessionStorage.setItem(KEPT, JSON.stringify({ userId, text, at: Date.now() }))
  location.reload()
}

// Undefined: not known yet.
session.subscribe((found) => {
  if (found !== undefined) takeKept(found?.user.id)
})

signOuts.subscribe((times) => {
  if (times === 0) return
  draftText.value = ''
  replaced.value = null
  draftInputs.clear()
  sessionStorage.removeItem(KEPT)
})

/** For its user alone, who may have to sign in again first; it goes where a user is signed in, or has signed out since. */
function takeKept(userId: string | undefined): void {
  const { at = 0, ...draft } = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}') as Partial<
    Record<'userId' | 'text', string>
  > & { at?: number }
  const isLeft = at <= leftAt()
  if (isLeft || userId !== undefined) sessionStorage.removeItem(KEPT)
  if (!isLeft && draft.userId === userId && draft.text !== undefined) draftText.value = draft.text
}
