import { useEffect, useState } from 'preact/hooks'
import { isHeld } from '../api/follow.ts'
import { leaveToSignIn, session } from '../api/session.ts'

type SignInAgain = typeof import('../sign-in/sign-in-again.tsx').SignInAgain

/** Asks for the password over a page whose session has ended. It has a file of its own: where that is gone, the sign-in page asks. */
export function HeldPage() {
  const [Dialog, setDialog] = useState<SignInAgain | null>(null)
  const held = isHeld.value
  useEffect(() => {
    if (!held || Dialog !== null) return
    import('../sign-in/sign-in-again.tsx').then(
      ({ SignInAgain }) => setDialog(() => SignInAgain),
      () => leaveToSignIn(session.peek()?.user.email ?? null),
    )
  }, [held])
  return held && Dialog !== null ? <Dialog /> : null
}
