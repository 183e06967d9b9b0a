import { at, BASE } from '../api/base.ts'
import { providerName } from '../api/provider-name.ts'

/** The wanted address: the page's own, or what the sign-in page's names. */
function wanted(): string {
  const { pathname, search } = location
  return pathname === `${BASE}/sign-in` ? (new URLSearchParams(search).get('to') ?? '') : pathname + search
}

interface ProviderButtonProps {
  /** The provider asks for credentials again. */
  readonly isAgain?: boolean
}

/** Leaves for the provider, which leads back to this page. */
export function ProviderButton({ isAgain = false }: ProviderButtonProps) {
  const name = providerName.value
  if (name === null) return null
  const leave = (): void =>
    location.assign(at(`/oidc?${new URLSearchParams({ to: wanted(), ...(isAgain && { again: '' }) })}`))
  return (
    <button type="button" class="button large" onClick={leave}>
      <span>
        Sign in with <bdi>{name}</bdi>
      </span>
    </button>
  )
}

/** Why the provider's sign-in led nowhere. */
const REFUSALS: Readonly<Record<string, (name: string) => string>> = {
  away: (name) => `${name} cannot be reached at the moment. Try again soon, or sign in with a password.`,
  cancelled: (name) => `The sign-in at ${name} was cancelled.`,
  failed: (name) => `The sign-in at ${name} did not work. Begin it again here.`,
  unknown: (name) =>
    `No account has invited you by the e-mail address that ${name} vouches for. Ask an owner of your account.`,
  ambiguous: () => 'Several accounts have invited your e-mail address. Ask the operator of this service.',
  role: (name) => `${name} gives you no role here. Ask whoever manages your groups there.`,
  disabled: () => 'You are disabled here. Ask an owner of your account.',
  account: () => 'This account is disabled: ask the operator of this service to enable it.',
}

export function ProviderRefusal() {
  const refused = new URLSearchParams(location.search).get('refused')
  const sentence = refused === null ? undefined : REFUSALS[refused]
  if (sentence === undefined) return null
  return (
    <p class="notice warn" role="alert">
      {sentence(providerName.value ?? 'the provider')}
    </p>
  )
}
