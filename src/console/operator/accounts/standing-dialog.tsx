import { ask } from '../../api/ask.ts'
import { disableAccount, enableAccount } from '../../operations.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { isolated } from '../../parts/format.ts'

interface StandingDialogProps {
  readonly account: { readonly id: string; readonly name: string; readonly disabledAt?: unknown }
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Disables an account, or enables it again. */
export function StandingDialog({ account: { id, name, disabledAt }, onDone, onClose }: StandingDialogProps) {
  const isDisabled = Boolean(disabledAt)
  const onConfirm = async (): Promise<void> => {
    if (isDisabled) await ask(enableAccount, { account: id })
    else await ask(disableAccount, { account: id })
    onDone()
  }
  return (
    <ConfirmDialog
      title={`${isDisabled ? 'Enable' : 'Disable'} ${isolated(name)}?`}
      action={isDisabled ? 'Enable' : 'Disable'}
      isDanger={!isDisabled}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {isDisabled
        ? 'Its keys and people work again, as they did before.'
        : 'Its keys and people are refused at once, and open connections close. Jobs that it has submitted are spoken all the same. Nothing is deleted: enable it to put everything back.'}
    </ConfirmDialog>
  )
}
