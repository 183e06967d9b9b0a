import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { updateAccount } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { isolated } from '../../parts/format.ts'
import { type Limits, useLimits } from '../../parts/limit-field.tsx'
import { toast } from '../../parts/toast.tsx'

interface LimitsDialogProps {
  readonly account: Limits & { readonly id: string; readonly name: string }
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Sets what an account may use. */
export function LimitsDialog({ account, onDone, onClose }: LimitsDialogProps) {
  const { limits, fields } = useLimits(account)
  const save = useAction(async () => {
    await ask(updateAccount, { account: account.id, ...limits })
    toast('The limits are changed.')
    onDone()
    onClose()
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    <Dialog title={`Limits of ${isolated(account.name)}`} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {save.failure !== null && <Failure failure={save.failure} />}
        {fields}
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={save.isOff}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
