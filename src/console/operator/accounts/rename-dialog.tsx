import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { renameAccount } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { TextField } from '../../parts/field.tsx'
import { isolated } from '../../parts/format.ts'
import { toast } from '../../parts/toast.tsx'

interface RenameDialogProps {
  readonly account: { readonly id: string; readonly name: string }
  readonly onDone: () => void
  readonly onClose: () => void
}

export function RenameDialog({ account, onDone, onClose }: RenameDialogProps) {
  const [name, setName] = useState(account.name)
  const save = useAction(async () => {
    await ask(renameAccount, { account: account.id, name: name.trim() })
    toast('The account is renamed.')
    onDone()
    onClose()
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    <Dialog title={`Rename ${isolated(account.name)}`} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {save.failure !== null && <Failure failure={save.failure} />}
        <TextField label="Name" type="text" required autocomplete="off" value={name} onText={setName} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={save.isOff || name.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  )
}
