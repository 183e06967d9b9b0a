import { count } from '../parts/format.ts'
import { focusHeading } from '../parts/page.tsx'

/** Asks for a list again, in which so many are new; it goes once they are there. */
export const NewerButton = ({ newer, onReload }: { readonly newer: number; readonly onReload: () => void }) => {
  const onClick = (): void => {
    focusHeading()
    onReload()
  }
  return (
    <>
      {/* It is said once, however many follow. */}
      <span class="unseen" role="status">
        {newer > 0 && 'There are newer entries.'}
      </span>
      {newer > 0 && (
        <button type="button" class="newer" onClick={onClick}>
          {count(newer)} newer
        </button>
      )}
    </>
  )
}
