import { useState } from 'preact/hooks'
import { type ApiError, asApiError, isUncertain } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { randomKey } from '../../api/random-key.ts'
import { useAction } from '../../api/use-action.ts'
import { type CreditAccountMutationVariables, createAccount, creditAccount } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { TextField } from '../../parts/field.tsx'
import { count, isolated } from '../../parts/format.ts'
import { toast } from '../../parts/toast.tsx'

/** The most that GraphQL's Int holds. */
const MAX_GRANT = 2 ** 31 - 1

interface Account {
  readonly id: string
  readonly name: string
  readonly credits: number
}

interface AccountDialogProps {
  /** Null: a new one. */
  readonly account: Account | null
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Makes an account or changes a balance. */
export function AccountDialog({ account, onDone, onClose }: AccountDialogProps) {
  const [name, setName] = useState('')
  const { amount, grantKey, setAmount } = useAmount()
  const save = useAction(async () => {
    const credits = Number(amount)
    if (account === null) await ask(createAccount, { name: name.trim(), credits })
    else await grant({ account: account.id, amount: credits, idempotencyKey: grantKey }, onDone)
    toast(account === null ? 'The account is created.' : 'The balance is changed.')
    onDone()
    onClose()
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    <Dialog title={account === null ? 'Create an account' : `Credits of ${isolated(account.name)}`} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {save.failure !== null && <SaveFailure failure={save.failure} isGrant={account !== null} />}
        {account === null && (
          <TextField label="Name" type="text" required autocomplete="off" value={name} onText={setName} />
        )}
        <CreditsField account={account} value={amount} onText={setAmount} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={save.isOff || amount === ''}>
            {account === null ? 'Create' : Number(amount) < 0 ? `Take back ${count(-Number(amount))}` : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Holds the typed amount and the key of its grant. A press may repeat one whose answer was lost, unless the amount has changed. */
function useAmount() {
  const [{ amount, grantKey }, set] = useState(() => ({ amount: '', grantKey: randomKey() }))
  return { amount, grantKey, setAmount: (text: string) => set({ amount: text, grantKey: randomKey() }) }
}

async function grant(input: CreditAccountMutationVariables, onDone: () => void): Promise<void> {
  try {
    await ask(creditAccount, input)
  } catch (error) {
    // The balance on the page shows whether they were granted.
    if (isUncertain(asApiError(error))) onDone()
    throw error
  }
}

const SaveFailure = ({ failure, isGrant }: { failure: ApiError; isGrant: boolean }) => (
  <>
    <Failure failure={failure} />
    {isGrant && isUncertain(failure) && (
      <p class="notice warn">
        The balance may have been changed all the same. Add the same amount again here: it is added once.
      </p>
    )}
  </>
)

interface CreditsFieldProps {
  readonly account: Account | null
  readonly value: string
  readonly onText: (text: string) => void
}

function CreditsField({ account, value, onText }: CreditsFieldProps) {
  const after = (account?.credits ?? 0) + Number(value)
  const hint =
    account === null
      ? 'The initial balance.'
      : `A negative amount takes credits back. Afterwards: ${count(Number.isFinite(after) ? after : 0)}.`
  return (
    <TextField
      label="Credits"
      hint={hint}
      type="number"
      min={account === null ? 0 : Math.max(-MAX_GRANT, -account.credits)}
      max={MAX_GRANT}
      required
      autocomplete="off"
      value={value}
      onText={onText}
    />
  )
}
