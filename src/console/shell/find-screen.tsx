import { Dialog } from '../parts/dialog.tsx'
import { closeFind, isFindOpen } from './find.ts'
import { FindById } from './find-by-id.tsx'

/** Leads from any screen to what an id names. */
export const FindScreen = () =>
  isFindOpen.value && (
    <Dialog title="Find by id" onClose={closeFind}>
      <FindById onFound={closeFind} />
    </Dialog>
  )
