import { leaveToSignIn, session } from '../api/session.ts'
import { ProviderButton } from './provider.tsx'
import { LinkAdvice, LostPassword, SignInForm } from './sign-in-page.tsx'

/** Over a page whose session has expired: it stays as it is for the same user. A link that is opened in another tab is heard of there. */
export function SignInAgain() {
  const user = session.value?.user
  if (!user) return null
  return (
    <>
      <p class="muted">The page stays as it is until you go on.</p>
      {user.isFederated ? (
        <div class="stack">
          <ProviderButton />
          <OtherAccount />
        </div>
      ) : (
        <SignInHere email={user.email} hasPassword={user.hasPassword} />
      )}
    </>
  )
}

const SignInHere = ({ email, hasPassword }: { readonly email: string; readonly hasPassword: boolean }) => (
  <>
    {!hasPassword && <ByLink email={email} />}
    <SignInForm own={email}>
      <OtherAccount />
      {hasPassword && <LostPassword />}
    </SignInForm>
  </>
)

/** The user may have set a password elsewhere since the page last looked. */
const ByLink = ({ email }: { email: string }) => (
  <>
    <p>
      You signed in as <strong dir="auto">{email}</strong> with a link.
    </p>
    <LinkAdvice email={email} />
    <p>
      Open it in this browser: this page goes on by itself. With a password that you have chosen since, sign in here:
    </p>
  </>
)

const OtherAccount = () => (
  <button type="button" class="button" onClick={() => leaveToSignIn(null)}>
    Use another account
  </button>
)
