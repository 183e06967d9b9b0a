import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { loadSession } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { changePassword, completePerson } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { TextField } from '../parts/field.tsx'
import { focusHeading } from '../parts/page.tsx'
import { toast } from '../parts/toast.tsx'
import { AddressField, NewPasswordField, ownAddress } from './password-fields.tsx'

interface PasswordFormProps {
  readonly email: string
  /** Without one, as after a sign-in link, the address is chosen as well. */
  readonly hasPassword: boolean
  readonly onDone: () => void
}

export function PasswordForm({ email, hasPassword, onDone }: PasswordFormProps) {
  const [address, setAddress] = useState(hasPassword ? email : ownAddress(email))
  const [current, setCurrent] = useState('')
  const [fresh, setFresh] = useState('')
  const save = useAction(async () => {
    if (hasPassword) await ask(changePassword, { currentPassword: current, newPassword: fresh })
    else await ask(completePerson, { email: address.trim(), password: fresh })
    toast('The password is saved. Your other sessions have ended.')
    setCurrent('')
    setFresh('')
    await loadSession()
    onDone()
    // The form may be another one now.
    focusHeading()
  })
  return (
    <section class="card">
      <div class="card-head">
        <h2>{hasPassword ? 'Password' : 'Choose your password'}</h2>
        <p>{hasPassword ? email : 'You signed in with a link. Choose an address and a password to sign in with.'}</p>
      </div>
      <form class="stack card-body" onSubmit={submitting(save.run)}>
        {save.failure !== null && <Failure failure={save.failure} />}
        <FirstField
          hasPassword={hasPassword}
          value={hasPassword ? current : address}
          onText={hasPassword ? setCurrent : setAddress}
        />
        <NewPasswordField value={fresh} onText={setFresh} />
        <div class="row">
          <button type="submit" class="button primary" aria-disabled={save.isOff}>
            Save
          </button>
        </div>
      </form>
    </section>
  )
}

const submitting =
  (run: () => Promise<void>) =>
  (event: Event): void => {
    event.preventDefault()
    void run()
  }

interface TextProps {
  readonly value: string
  readonly onText: (text: string) => void
}

/** The present password proves that its user changes it; without one it is the address that is chosen. */
const FirstField = ({ hasPassword, ...text }: TextProps & { readonly hasPassword: boolean }) =>
  hasPassword ? (
    <TextField label="Current password" type="password" autocomplete="current-password" required {...text} />
  ) : (
    <AddressField {...text} />
  )
