import { toast } from '../../parts/toast.tsx'
import { useFile } from '../use-file.ts'
import { isHelpOpen } from './help.ts'

/** The keys, over any page, in a file of their own. */
export function HelpScreen() {
  const file = useFile(isHelpOpen.value, () => import('./help-dialog.tsx'), onGone)
  return isHelpOpen.value && file !== null ? <file.HelpDialog /> : null
}

function onGone(): void {
  isHelpOpen.value = false
  toast('The help could not be loaded from the service.')
}
