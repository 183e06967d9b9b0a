import { useLayoutEffect } from 'preact/hooks'
import { isHeld } from '../api/follow.ts'
import { leaveToSignIn, session } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useFile } from './use-file.ts'

/** The sign-in page asks where the file that does so here has not come by then. */
const LOADING_MS = 5000

/** Asks for the password over a page whose session has expired: nothing of it is legible or heard until its user has signed in again. */
export function HeldPage() {
  const held = isHeld.value
  const file = useFile(held, () => inTime(import('../sign-in/sign-in-again.tsx')), toSignIn)
  // With the dialog itself: what plays is not heard under it, nor held back after it.
  useLayoutEffect(() => (held ? silence() : undefined), [held])
  if (!held) return null
  return (
    <Dialog title="Your session has ended" onClose={toSignIn} isLocked>
      <div class="stack held" aria-busy={file === null}>
        {file === null ? <p class="muted">One moment…</p> : <file.SignInAgain />}
      </div>
    </Dialog>
  )
}

const inTime = <Part,>(loading: Promise<Part>): Promise<Part> =>
  Promise.race([loading, new Promise<never>((_, reject) => setTimeout(reject, LOADING_MS))])

/** Stops every player and keeps others from starting. @returns a function that ends the silence */
function silence(): () => void {
  for (const audio of document.querySelectorAll('audio')) audio.pause()
  const stop = ({ target }: Event): void => (target as HTMLMediaElement).pause()
  document.addEventListener('play', stop, true)
  return () => document.removeEventListener('play', stop, true)
}

function toSignIn(): void {
  if (isHeld.peek()) leaveToSignIn(session.peek()?.user.email ?? null)
}
