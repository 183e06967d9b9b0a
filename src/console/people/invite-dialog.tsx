import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useAction } from '../api/use-action.ts'
import { inviteUser, type UserRole } from '../operations.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Segments, TextField } from '../parts/field.tsx'
import { linkOf, type NewLink } from './new-link.ts'

interface InviteDialogProps {
  readonly onDone: () => void
  readonly onClose: () => void
  /** The link to hand over. */
  readonly onLink: (link: NewLink) => void
}

export function InviteDialog({ onDone, onClose, onLink }: InviteDialogProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<UserRole>('MEMBER')
  const invite = useAction(async () => {
    const { inviteUser: invitation } = await ask(inviteUser, { email: email.trim(), role })
    onLink(linkOf(invitation.signInLink))
    onDone()
    onClose()
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void invite.run()
  }
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {invite.failure !== null && <Failure failure={invite.failure} />}
        <TextField
          label="E-mail address"
          hint="To sign in with. No e-mail is sent: you pass on a link, which works once, for three days."
          type="email"
          required
          autocomplete="off"
          value={email}
          onText={setEmail}
        />
        <RoleField role={role} onChange={setRole} />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={invite.isOff || email.trim() === ''}>
            Add and make a link
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const RoleField = ({ role, onChange }: { role: UserRole; onChange: (role: UserRole) => void }) => (
  <div class="field">
    <span class="label">Role</span>
    <Segments
      label="Role"
      value={role}
      onChange={onChange}
      options={[
        ['MEMBER', 'Member'],
        ['OWNER', 'Owner'],
      ]}
    />
    <p class="hint">{role === 'OWNER' ? 'Everything, keys and webhooks included.' : 'Submit and read jobs.'}</p>
  </div>
)
