import { toast } from '../../parts/toast.tsx'
import { useFile } from '../use-file.ts'
import { closePalette, isPaletteOpen } from './palette.ts'

/** Over any page, in a file of its own. */
export function PaletteScreen() {
  const file = useFile(isPaletteOpen.value, () => import('./palette-dialog.tsx'), onGone)
  return isPaletteOpen.value && file !== null ? <file.PaletteDialog /> : null
}

function onGone(): void {
  closePalette()
  toast('The search could not be loaded from the service.')
}
