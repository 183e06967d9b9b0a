import { effect, signal } from '@preact/signals'
import { DRAFT } from '../api/left.ts'
import { session, signOuts } from '../api/session.ts'
import { forget, keep, type StorageName, takeKept } from './kept.ts'

/** Each tab has its own text. A new tab, also after a crash, begins with the text that the browser stored last. */
const STORAGES: readonly StorageName[] = ['sessionStorage', 'localStorage']

type Inputs = Readonly<Record<string, string | boolean | undefined>>

interface Draft {
  readonly text: string
  /** The inputs of each endpoint, by its slug. */
  readonly inputs: Readonly<Record<string, Inputs>>
}

/** True once the page has looked for a kept draft. */
let hasBegun = false

/** The text of the playground, kept while other screens are open. Another screen puts a text there to have it spoken. No address holds it. */
export const draftText = signal('')

/** Inputs besides the text by slug, for the way back from other screens. */
export const draftInputs = new Map<string, Inputs>()

/** The text that one from another screen has replaced. */
export const replaced = signal<{ readonly text: string; readonly by: string } | null>(null)

/** A word was put there to be heard: it is spoken as soon as the form is there. */
export const isToSpeak = signal(false)

/** How often a voice was added to the account from the playground, which has to offer it. */
export const addedVoices = signal(0)
export const noteVoice = (): void => {
  addedVoices.value += 1
}

/** Puts a text of another screen there; what the user has written is kept for the way back. */
export function putText(other: string): void {
  const text = draftText.peek()
  const before = replaced.peek()
  const own = text.trim() === '' || text === before?.by ? before?.text : text
  replaced.value = own === undefined ? null : { text: own, by: other }
  draftText.value = other
}

/** Puts a word there to be heard. */
export function hearWord(word: string): void {
  putText(word)
  isToSpeak.value = true
}

/** @returns what was there before the word; another text that stands there now is kept in turn */
export function takeBack(kept: { readonly text: string; readonly by: string }): string {
  const text = draftText.peek()
  replaced.value = text.trim() === '' || text === kept.by ? null : { text, by: kept.text }
  return kept.text
}

// Undefined: not known yet.
session.subscribe((found) => {
  if (found !== undefined) goOn(found?.user.id)
})

signOuts.subscribe((times) => {
  if (times === 0) return
  draftText.value = ''
  replaced.value = null
  isToSpeak.value = false
  draftInputs.clear()
  forget(DRAFT, STORAGES)
})

// The page stores each change at once, as a crash gives no warning.
effect(() => {
  const text = replaced.value?.text ?? draftText.value
  if (hasBegun) keepDraft(text)
})

/** Keeps what is set for an endpoint besides the text. */
export function noteInputs(slug: string, inputs: Inputs): void {
  draftInputs.set(slug, inputs)
  keepDraft(replaced.peek()?.text ?? draftText.peek())
}

function keepDraft(text: string): void {
  // After a sign-out there is nothing.
  if (text === '' && draftInputs.size === 0) forget(DRAFT, STORAGES)
  else keep(DRAFT, { text, inputs: Object.fromEntries(draftInputs) } satisfies Draft, STORAGES)
}

/** Goes on with what this tab, or else this browser, had for the user. */
function goOn(userId: string | undefined): void {
  const kept = takeKept<Draft>(DRAFT, userId, STORAGES)
  if (userId === undefined || hasBegun) return
  hasBegun = true
  for (const [slug, inputs] of Object.entries(kept?.inputs ?? {})) draftInputs.set(slug, inputs)
  if (kept?.text) draftText.value = kept.text
}
