import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { applyFile } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { toast } from '../../parts/toast.tsx'
import type { EntryChange } from './changes.tsx'

interface ApplyDialogProps {
  readonly source: string
  readonly changes: readonly EntryChange[]
  readonly onDone: (slugs: readonly string[]) => void
  readonly onClose: () => void
}

/** The last question before callers notice. */
export function ApplyDialog({ source, changes, onDone, onClose }: ApplyDialogProps) {
  const apply = useAction(async () => {
    const { applyEndpoints } = await ask(applyFile, { source, dryRun: false })
    toast(['Applied: it is in use everywhere within a second.', ...applyEndpoints.warnings].join(' '))
    onClose()
    onDone(applyEndpoints.slugs)
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void apply.run()
  }
  return (
    <Dialog title={`Apply ${changes.map(({ slug }) => slug).join(', ')}?`} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {apply.failure !== null && <Failure failure={apply.failure} />}
        <p class="prose">
          From now on people and programs speak with what you see in the file. Jobs that wait are spoken with it as
          well; those that run finish as they began.
        </p>
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Go back
          </button>
          <button type="submit" class="button primary" aria-disabled={apply.isOff}>
            Apply
          </button>
        </div>
      </form>
    </Dialog>
  )
}
