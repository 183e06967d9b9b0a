import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { loadSession, session } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { enter, type LinkQuery, link as linkQuery } from '../operations.ts'
import { Failure } from '../parts/failure.tsx'
import { serviceCommand } from '../parts/service-command.ts'
import { Gate } from './sign-in-page.tsx'

/**
 * Where a sign-in link leads. The token is taken out of the address first, so that it stays in no history; it is used up by the click alone,
 * after the page has said whose account it opens, but for one of the first start. Another link that is opened in the same tab changes no more than the address' end.
 */
export function EnterPage() {
  const [token, setToken] = useState(() => location.hash.slice(1))
  useEffect(() => {
    document.title = 'Sign in · Sonant'
    const take = (): void => {
      if (location.hash !== '') setToken(location.hash.slice(1))
      history.replaceState(null, '', location.pathname)
    }
    take()
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return <SignInByLink key={token} token={token} />
}

/** Made by the first start. Nobody else has an address of this domain. */
const DEMO_OWNER = 'owner@demo.invalid'
const HERE = ['localhost', '127.0.0.1', '[::1]']

/**
 * A start opens this page for the user who sits before the machine: nothing is left to ask.
 * Security: any other link needs a press, as somebody else may have sent it, and so does one that would take over another session.
 */
const isOfStart = (email: string): boolean =>
  email === DEMO_OWNER && HERE.includes(location.hostname) && [undefined, email].includes(session.peek()?.user.email)

/** Redeems one link. */
function SignInByLink({ token }: { token: string }) {
  const { route } = useLocation()
  const query = useQuery(linkQuery, { token })
  const open = useAction(async () => {
    await ask(enter, { token })
    await loadSession(at('/'))
    route(at('/'), true)
  })
  const found = query.data?.signInLink
  useEffect(() => {
    if (found && isOfStart(found.email)) void open.run()
  }, [found])
  if (query.failure !== null)
    return (
      <Gate title="Sign in">
        <Failure failure={query.failure} onRetry={query.reload} isAskedAgain />
      </Gate>
    )
  if (query.data === null) return <Gate title="One moment">{null}</Gate>
  return (
    <Gate title={found ? 'Welcome' : 'This sign-in link is no longer valid'}>
      {open.failure !== null && <Failure failure={open.failure} />}
      {found ? <Welcome link={found} isOpening={open.isOff} onOpen={() => open.run()} /> : <DeadLink />}
    </Gate>
  )
}

interface WelcomeProps {
  readonly link: NonNullable<LinkQuery['signInLink']>
  readonly isOpening: boolean
  readonly onOpen: () => void
}

const Welcome = ({ link, isOpening, onOpen }: WelcomeProps) => (
  <div class="stack">
    <p class="lead">
      You sign in as <strong dir="auto">{link.email}</strong>, with the account{' '}
      <strong dir="auto">{link.account}</strong>.
    </p>
    <button type="button" class="button primary large" aria-disabled={isOpening} onClick={onOpen}>
      Sign in
    </button>
    <p class="hint">The link works once. Do not go on if somebody else sent it to sign you in to their account.</p>
  </div>
)

const DeadLink = () => (
  <div class="stack">
    <p class="lead">
      It was used already, or is too old: an invitation works once, for three days. Ask whoever sent it for another one,
      which an owner of the account makes under People. Whoever runs Sonant makes one as well:
    </p>
    <pre>{serviceCommand('users sign-in-link you@example.com')}</pre>
    <a class="button" href={at('/')}>
      Sign in with a password
    </a>
  </div>
)
