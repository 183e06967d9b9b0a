import { count } from '../parts/format.ts'
import { focusHeading } from '../parts/page.tsx'

/** Asks for a list again, in which so many are new; it goes once they are there. */
export const NewerButton = ({ newer, onReload }: { readonly newer: number; readonly onReload: () => void }) => {
  const onClick = (): void => {
    focusHeading()
    onReload()
  }
  return newer === 0 ? null : (
    <button type="button" class="newer" onClick={onClick}>
      {count(newer)} newer
    </button>
  )
}
