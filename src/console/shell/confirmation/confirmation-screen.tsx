import { useEffect } from 'preact/hooks'
import { useFile } from '../use-file.ts'
import { confirmation } from './confirmation.ts'

/** Asks whoever is signed in for the password, over any page, in a file of its own. */
export function ConfirmationScreen() {
  const asked = confirmation.value
  const file = useFile(asked !== null, () => import('./confirmation-dialog.tsx'), onGone)
  // The session has ended meanwhile.
  useEffect(() => onLeft, [])
  return asked !== null && file !== null ? <file.ConfirmationDialog onDone={asked.goOn} onClose={onLeft} /> : null
}

const onLeft = (): void => confirmation.peek()?.refuse('Nothing was changed: that needs your password.')
const onGone = (): void =>
  confirmation.peek()?.refuse('Nothing was changed: the dialog for your password could not be loaded from the service.')
