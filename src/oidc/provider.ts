import * as client from 'openid-client'
import { isLoopback } from '../values/loopback.ts'

/** One request to the provider. */
const TIMEOUT_SECONDS = 5
const CLOCK_TOLERANCE_SECONDS = 60
const DISCOVERY_MS = 60_000

interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  /** An address counts without `email_verified`. */
  readonly trustsEmails: boolean
  /** The claim of roles, with dots between the names of nested objects; null: none is read. */
  readonly rolesClaim: string | null
}

export interface Provider {
  readonly options: ProviderOptions
  /** @throws SignInFailure if the provider is away */
  config(): Promise<client.Configuration>
}

/** Kept by the browser until the provider answers. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The provider must have asked for credentials within this time; null: it need not. */
  readonly maxAgeSeconds: number | null
}

export interface Identity {
  /** The provider's id of the person, which never changes. */
  readonly subject: string
  /** null: the provider vouches for none. */
  readonly email: string | null
  /** Empty without the claim. */
  readonly roles: readonly string[]
  /** Time when the person last gave the provider credentials; null: it does not say. */
  readonly authenticatedAt: Date | null
}

type SignInFailureReason = 'away' | 'cancelled' | 'failed'

/** `message` is for the log. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure'
  readonly reason: SignInFailureReason

  constructor(reason: SignInFailureReason, cause: unknown) {
    const { code, error, message, cause: inner } = cause as Readonly<Record<string, unknown>>
    const parts = [reason, code, error, message, (inner as Error | undefined)?.message]
    super(parts.filter((part) => typeof part === 'string').join(': '), { cause })
    this.reason = reason
  }
}

/** All sign-ins of a minute share one discovery; one that failed is not kept. */
export function openProvider(options: ProviderOptions): Provider {
  let found: Promise<client.Configuration> | null = null
  let until = 0
  const config = () => {
    if (found !== null && Date.now() < until) return found
    until = Date.now() + DISCOVERY_MS
    found = discover(options)
    found.catch(() => {
      found = null
    })
    return found
  }
  return { options, config }
}

/**
 * The address to send a browser to, and what its answer is checked against.
 * @throws SignInFailure if the provider is away
 */
export async function beginSignIn(
  provider: Provider,
  redirectUri: string,
  maxAgeSeconds: number | null = null,
): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
  const config = await provider.config()
  const pending = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    maxAgeSeconds,
  }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: provider.options.scopes,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
  })
  return { url: url.href, pending }
}

/**
 * Exchanges the code of the provider's answer for the person's claims.
 * @param answer the redirect URI with the provider's parameters
 * @throws SignInFailure
 */
export async function finishSignIn(provider: Provider, answer: URL, pending: PendingSignIn): Promise<Identity> {
  const { options } = provider
  const config = await provider.config()
  try {
    const tokens = await client.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
      ...(pending.maxAgeSeconds !== null && { maxAge: pending.maxAgeSeconds }),
    })
    const claims = tokens.claims()!
    const hasMore = !isWhole(claims, options) && config.serverMetadata().userinfo_endpoint !== undefined
    const more = hasMore ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
    return identityOf({ ...more, ...claims }, options)
  } catch (error) {
    throw new SignInFailure(reasonOf(error), error)
  }
}

/** @throws SignInFailure if the provider is away or no OpenID Connect provider */
export async function discover({ issuer, clientId, clientSecret }: ProviderOptions): Promise<client.Configuration> {
  const metadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const insecure = isLoopback(new URL(issuer).hostname) ? [client.allowInsecureRequests] : []
  try {
    return await client.discovery(new URL(issuer), clientId, metadata, authenticateClient(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      execute: [...insecure, client.enableNonRepudiationChecks],
    })
  } catch (error) {
    throw new SignInFailure('away', error)
  }
}

/** HTTP Basic is the default of OpenID Connect; a provider that lists its methods without it gets the secret in the body. */
function authenticateClient(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isBasic = methods === undefined || methods.includes('client_secret_basic')
    return (isBasic ? basic : post)(server, ...rest)
  }
}

type Claims = Readonly<Record<string, unknown>>

const isWhole = (claims: Claims, { rolesClaim, trustsEmails }: ProviderOptions): boolean =>
  'email' in claims &&
  (trustsEmails || 'email_verified' in claims) &&
  (rolesClaim === null || rolesIn(claims, rolesClaim) !== null)

function identityOf(claims: Claims, { rolesClaim, trustsEmails }: ProviderOptions): Identity {
  const { sub, email, email_verified: isVerified, auth_time: authenticated } = claims
  return {
    subject: String(sub),
    email: typeof email === 'string' && (trustsEmails || isVerified === true) ? email : null,
    roles: rolesClaim === null ? [] : (rolesIn(claims, rolesClaim) ?? []),
    authenticatedAt: typeof authenticated === 'number' ? new Date(authenticated * 1000) : null,
  }
}

/** null: the claim is absent. A name with dots may also be one claim, such as `https://example.org/roles`. */
function rolesIn(claims: Claims, name: string): readonly string[] | null {
  const nested = name.split('.').reduce<unknown>((value, key) => (value as Claims | undefined)?.[key], claims)
  const found = claims[name] ?? nested
  if (found === undefined || found === null) return null
  return (Array.isArray(found) ? found : [found]).filter((one) => typeof one === 'string')
}

function reasonOf(error: unknown): SignInFailureReason {
  if (error instanceof client.AuthorizationResponseError)
    return error.error === 'access_denied' ? 'cancelled' : 'failed'
  const { code } = error as { code?: unknown }
  const isAway = error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT'
  return isAway ? 'away' : 'failed'
}
