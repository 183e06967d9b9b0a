import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { providerName } from '../api/provider-name.ts'
import { signOut } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { endSession, type ProfileQuery, profile as profileQuery } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { exactTime } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { toast } from '../parts/toast.tsx'
import { unsaved } from '../shell/unsaved.ts'
import { PasswordForm } from './password-form.tsx'

type Me = NonNullable<ProfileQuery['me']>

/** The user's own password and sessions. */
export function ProfilePage() {
  const query = useQuery(profileQuery, {})
  return (
    <Page title="Profile" isNarrow>
      <Load query={query} skeleton={<SkeletonRows rows={4} />}>
        {({ me }) =>
          me && (
            <>
              <SignsInBy user={me.user} onDone={query.reload} />
              <Sessions sessions={me.sessions} onChange={query.reload} />
            </>
          )
        }
      </Load>
    </Page>
  )
}

/** Who signs in through the provider has no password here. */
const SignsInBy = ({ user, onDone }: { user: Me['user']; onDone: () => void }) =>
  user.isFederated ? (
    <section class="card">
      <div class="card-head">
        <h2>Sign-in</h2>
        <p>
          {user.email} signs in through <bdi>{providerName.value}</bdi>, and has no password here.
        </p>
      </div>
    </section>
  ) : (
    <PasswordForm key={String(user.hasPassword)} email={user.email} hasPassword={user.hasPassword} onDone={onDone} />
  )

function Sessions({ sessions, onChange }: { sessions: Me['sessions']; onChange: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [ending, setEnding] = useState<string | null>(null)
  const end = async (id: string): Promise<void> => {
    await ask(endSession, { id })
    toast('The session has ended.')
    onChange()
  }
  return (
    <section class="card">
      <div class="card-head">
        <h2>Where you are signed in</h2>
        <button type="button" class="button danger small" onClick={() => setAsking(true)}>
          Sign out everywhere
        </button>
      </div>
      <ul class="card-body stack">
        {sessions.map((one) => (
          <SessionLine key={one.id} session={one} onEnd={() => setEnding(one.id)} />
        ))}
      </ul>
      {ending !== null && <EndDialog onConfirm={() => end(ending)} onClose={() => setEnding(null)} />}
      {isAsking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          isDanger
          onConfirm={() => signOut(true, at('/'))}
          onClose={() => setAsking(false)}
        >
          Every browser that you are signed in with is signed out, this one included. {unsaved}
        </ConfirmDialog>
      )}
    </section>
  )
}

const EndDialog = (confirming: { readonly onConfirm: () => Promise<void>; readonly onClose: () => void }) => (
  <ConfirmDialog title="End this session?" action="End the session" isDanger {...confirming}>
    That browser is signed out at once.
  </ConfirmDialog>
)

interface SessionLineProps {
  readonly session: Me['sessions'][number]
  readonly onEnd: () => void
}

const SessionLine = ({ session: { createdAt, seenAt, current }, onEnd }: SessionLineProps) => (
  <li class="row spread">
    <span>
      Since {exactTime(createdAt)} <span class="faint">· used </span>
      <Moment at={seenAt} />
    </span>
    {current ? (
      <span class="chip">this browser</span>
    ) : (
      <button type="button" class="button small" onClick={onEnd}>
        End
      </button>
    )}
  </li>
)
