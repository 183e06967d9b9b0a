/** A caller with an API key. */
export interface KeyActor {
  readonly kind: 'key'
  readonly accountId: string
  readonly apiKeyId: string
  readonly scopes: readonly string[]
  /** The account's balance when the key was checked: a hint for the 402 of a submission, never the charge itself. */
  readonly credits: bigint
}

/** A user who signed in. */
export interface SessionActor {
  readonly kind: 'session'
  readonly accountId: string
  readonly userId: string
  readonly sessionId: string
  /** When the password was last given in it; null where a link opened it. */
  readonly passwordAt: Date | null
  /** By the user's role, with that of the operator where the command line has marked the user. */
  readonly scopes: readonly string[]
  readonly credits: bigint
}

/** An account acting without a key: the command line speaking on its behalf. */
export interface AccountActor {
  readonly kind: 'account'
  readonly accountId: string
  readonly credits: bigint
}

/** An actor of an account: a key or a session. */
export type AccountHolder = KeyActor | SessionActor | AccountActor

/** An unauthenticated caller: sees what is public. */
export interface AnonymousActor {
  readonly kind: 'anonymous'
}

/** The operator at the command line, or the service itself. */
interface SystemActor {
  readonly kind: 'system'
}

export type Actor = AccountHolder | AnonymousActor | SystemActor

/** What a caller is counted and watched by: the id of its key, its session or, at the command line, its account. */
export function callerOf(caller: AccountHolder): string {
  if (caller.kind === 'key') return caller.apiKeyId
  return caller.kind === 'session' ? caller.sessionId : caller.accountId
}

/** Whose share of the process a request takes: the account's, if it has one. */
export const ownerOf = (actor: Actor): string | undefined => ('accountId' in actor ? actor.accountId : undefined)
