import { computed, signal } from '@preact/signals'
import { signIn as signInMutation, signOut as signOutMutation } from '../operations.ts'
import { asApiError, isUncertain } from './api-error.ts'
import { ask, whenRejected } from './ask.ts'
import { at } from './base.ts'
import { findSession, type Session } from './find-session.ts'
import { closeLive, cutLive, holdLive, isHeld, openLive, releaseLive } from './follow.ts'
import { hide, show } from './hidden-page.ts'
import { noteLeft } from './left.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** The signed-in user with the account; null: no user is signed in; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined)

/** Owners manage keys, webhooks, credits and users; the service refuses everybody else all the same. */
export const isOwner = computed(() => session.value?.user.role === 'OWNER')

/** Marked by the command line alone. */
export const isOperator = computed(() => session.value?.user.operator === true)

/** The address whose password the sign-in page asks for again. */
export const endedFor = signal<string | null>(null)

/** True if that had happened before the user signed out everywhere: the other sessions may not have ended. */
export const areOthersOpen = signal(false)

/** How often the user has signed out, here or in another tab of this browser: no text of theirs stays in it. */
export const signOuts = signal(0)

// The user has another role by now: the page offered something that the service refuses.
whenRejected(doubt, () => void lookAgain())
// The browser may keep this page as it is, for a way back to it: then nothing of it is in sight before it is known whose session it is.
addEventListener('pagehide', ({ persisted }) => {
  if (!persisted) return
  hide()
  cutLive()
})
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  if (session.peek() === undefined) location.reload()
  else
    loadSession().then(() => {
      if (isHeld.peek()) endSession()
      show()
    }, reloadBlank)
})
// By now another user may have signed in, or this one have another role: a look that is under way may have been answered before.
addEventListener('focus', () => {
  if (session.peek()) void lookAgain(true)
})

/** Whose texts and takes this tab may hold in its memory. */
let memoryOf: string | undefined
/** How often a session has begun or ended here: what was asked before says nothing of the one of now. */
let changes = 0
/** How often another tab has said which user it has found signed in. */
let news = 0
/** The user has asked for this sign-out and it may have succeeded. Null once the service refused it, or a user has signed in after it. */
let leaving: 'here' | 'everywhere' | null = null
/** True while a sign-out is under way; the number counts its begins and ends. */
let isAsking = false
let askings = 0

/** Tabs share a cookie: each says which user it has found signed in, or with an empty text that it has signed out. */
const tabs = new BroadcastChannel(`sonant${at('/')}`)
tabs.onmessage = ({ data: userId }: MessageEvent<string>) => {
  if (userId === '') return endSession()
  // A look that is under way here may have been answered before: it is repeated.
  news++
  // An answer from before a sign-out says nothing about its result.
  if (!isAsking) leaving = null
  if (userId !== session.peek()?.user.id || isHeld.peek()) void lookAgain(true)
}

/**
 * Reads again whose session this is. Another user's begins with a page that remembers nothing.
 * @param home where that is
 * @throws ApiError
 */
export async function loadSession(home = at('/')): Promise<void> {
  const [asked, asking, heard] = [changes, askings, news]
  const { me, hasExpired } = await findSession()
  if (asked !== changes) return
  if (heard !== news) return loadSession(home)
  if (me && memoryOf !== undefined && memoryOf !== me.user.id) return leave(home)
  const before = session.peek()
  if (!me && before) return hasExpired ? hold() : endSession()
  session.value = me
  if (me) {
    memoryOf = me.user.id
    if (!isAsking && asking === askings) leaving = null
    endedFor.value = null
    areOthersOpen.value = false
    tabs.postMessage(me.user.id)
  }
  if (me && before?.user.id !== me.user.id) openLive(doubt)
  if (me) releaseLive()
  else closeLive()
}

/** The same without an answer. A look that is refused itself is not repeated. */
const lookAgain = oneAtATime(() => loadSession().catch(() => {}))

/** An answer or the socket says that the session is over: it may be about the one before, so that is asked. */
function doubt(): void {
  if (session.peek() && !isHeld.peek()) void lookAgain(true)
}

/** @throws ApiError */
export async function signIn(email: string, password: string): Promise<void> {
  await ask(signInMutation, { email, password })
  leaving = null
  changes++
  await loadSession()
}

/**
 * Everything that was loaded goes with the page. A session that is over already is one that was signed out: the answer to an earlier try may
 * have been lost. Of the user's other sessions that says nothing: then the page stays, and tells so. @throws ApiError
 */
export async function signOut(everywhere: boolean, home: string): Promise<void> {
  leaving = everywhere ? 'everywhere' : 'here'
  isAsking = true
  askings++
  try {
    await ask(signOutMutation, { everywhere }).finally(() => {
      isAsking = false
      askings++
    })
  } catch (error) {
    const failure = asApiError(error)
    if (failure.code !== 'UNAUTHORIZED') {
      if (!isUncertain(failure)) leaving = null
      else void lookAgain(true)
      throw failure
    }
    if (everywhere) {
      areOthersOpen.value = true
      return endSession()
    }
  }
  leaveAll(home)
}

/** No text of the user stays, in any tab. */
function leaveAll(home: string): void {
  noteLeft()
  signOuts.value += 1
  tabs.postMessage('')
  leave(home)
}

/** Goes on with a page that remembers nothing. This one is blank first: the browser may keep it, or a form may ask before it is left. */
function leave(home: string): void {
  changes++
  closeLive()
  session.value = undefined
  setTimeout(() => location.assign(home))
}

/** Says that the service is not reached, and asks nothing first. */
function reloadBlank(): void {
  session.value = undefined
  location.reload()
}

/** The session has expired under an open page, which its user may go on with: the password is asked for over it. */
function hold(): void {
  if (isHeld.peek()) return
  if (leaving !== null) endSession()
  else {
    changes++
    holdLive()
  }
}

/** To the sign-in page: nothing of this page is in sight any more. @param email that is to be filled in there */
export function leaveToSignIn(email: string | null): void {
  endedFor.value = email
  closeLive()
  session.value = null
}

/** It was ended, here or elsewhere, or its user is disabled: nothing of the page stays in sight or in memory. */
function endSession(): void {
  signOuts.value += 1
  if (!session.peek()) return
  noteLeft()
  if (leaving === 'here') {
    leaveAll(at('/'))
    return
  }
  if (leaving === 'everywhere') tabs.postMessage('')
  changes++
  leaveToSignIn(session.peek()?.user.email ?? null)
}
