import { isHeld } from '../api/follow.ts'
import { leaveToSignIn, session } from '../api/session.ts'
import { useFile } from './use-file.ts'

/** Asks for the password over a page whose session has ended. Where the file that does so is gone, the sign-in page asks. */
export function HeldPage() {
  const file = useFile(isHeld.value, () => import('../sign-in/sign-in-again.tsx'), toSignIn)
  return isHeld.value && file !== null ? <file.SignInAgain /> : null
}

const toSignIn = (): void => leaveToSignIn(session.peek()?.user.email ?? null)
