import { leaveToSignIn, session } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { LinkAdvice, LostPassword, SignInForm } from './sign-in-page.tsx'

/** Over a page whose session has ended: it stays as it is for the same user. A link that is opened in another tab is heard of there. */
export function SignInAgain() {
  const user = session.value?.user
  if (!user) return null
  return (
    <Dialog title="Your session has ended" onClose={toOther} isLocked>
      <div class="stack sign-in-again">
        <p class="muted">The page stays as it is until you go on.</p>
        {user.hasPassword ? (
          <SignInForm own={user.email}>
            <OtherAccount />
            <LostPassword />
          </SignInForm>
        ) : (
          <ByLink email={user.email} />
        )}
      </div>
    </Dialog>
  )
}

const ByLink = ({ email }: { email: string }) => (
  <>
    <p>
      You signed in as <strong dir="auto">{email}</strong> with a link, and have no password.
    </p>
    <LinkAdvice email={email} />
    <p>Open it in this browser: this page goes on by itself.</p>
    <OtherAccount />
  </>
)

const OtherAccount = () => (
  <button type="button" class="button" onClick={toOther}>
    Use another account
  </button>
)

const toOther = (): void => leaveToSignIn(null)
