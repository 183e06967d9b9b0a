import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { loadSession, session } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { completePerson, reauthenticate } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { TextField } from '../../parts/field.tsx'
import { toast } from '../../parts/toast.tsx'
import { AddressField, NewPasswordField, ownAddress } from '../../profile/password-fields.tsx'
import { ProviderButton } from '../../sign-in/provider.tsx'

interface ConfirmationProps {
  /** Repeats the change that was refused. */
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Asks for what is missing before something of other accounts is changed: the password again, or a first one. */
export function ConfirmationDialog(props: ConfirmationProps) {
  const user = session.value?.user
  if (!user) return null
  if (user.isFederated) return <ProviderAgain onClose={props.onClose} />
  return user.hasPassword ? <PasswordAgain {...props} /> : <FirstPassword {...props} email={user.email} />
}

function PasswordAgain({ onDone, onClose }: ConfirmationProps) {
  const [password, setPassword] = useState('')
  return (
    <Asking
      title="Give your password again"
      about="It was not asked for in the last 15 minutes, and what you are about to do concerns more than your own account."
      perform={() => ask(reauthenticate, { password })}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label="Your password"
        type="password"
        required
        autocomplete="current-password"
        value={password}
        onText={setPassword}
      />
    </Asking>
  )
}

/** The page comes back as it was loaded; the change is made again by its user. */
const ProviderAgain = ({ onClose }: Pick<ConfirmationProps, 'onClose'>) => (
  <Dialog title="Sign in again first" onClose={onClose}>
    <div class="stack">
      <p class="prose">
        What you are about to do concerns more than your own account, and your last sign-in is more than 15 minutes ago.
        You come back to this page, and make the change again there.
      </p>
      <div class="row end">
        <button type="button" class="button" onClick={onClose}>
          Go back
        </button>
        <ProviderButton isAgain />
      </div>
    </div>
  </Dialog>
)

function FirstPassword({ email, onDone, onClose }: ConfirmationProps & { readonly email: string }) {
  const [address, setAddress] = useState(ownAddress(email))
  const [password, setPassword] = useState('')
  const perform = async (): Promise<void> => {
    await ask(completePerson, { email: address.trim(), password })
    toast('The password is saved. Your other sessions have ended.')
    // The banner that asks for a password goes.
    await loadSession().catch(() => {})
  }
  return (
    <Asking
      title="Choose your password first"
      about="You signed in with a link. What you are about to do concerns more than your own account, and needs a password. It goes on with it, and your other sessions end."
      perform={perform}
      onDone={onDone}
      onClose={onClose}
    >
      <AddressField value={address} onText={setAddress} />
      <NewPasswordField value={password} onText={setPassword} />
    </Asking>
  )
}

interface AskingProps extends ConfirmationProps {
  readonly title: string
  readonly about: string
  readonly perform: () => Promise<unknown>
  readonly children: ComponentChildren
}

function Asking({ title, about, perform, children, onDone, onClose }: AskingProps) {
  const save = useAction(async () => {
    // Another tab may have set a first password meanwhile: then this dialog asks for it.
    await perform().catch(async (error) => {
      await loadSession().catch(() => {})
      throw error
    })
    onDone()
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void save.run()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {save.failure !== null && <Failure failure={save.failure} />}
        <p class="prose">{about}</p>
        {children}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Go back
          </button>
          <button type="submit" class="button primary" aria-disabled={save.isOff}>
            Go on
          </button>
        </div>
      </form>
    </Dialog>
  )
}
