export interface KeyActor {
  readonly kind: 'key'
  readonly accountId: string
  readonly apiKeyId: string
  readonly scopes: readonly string[]
  /** Balance without held credits when the key was checked: a hint for a 402, never the charge. */
  readonly credits: bigint
  /** Credits that the monthly limits left then, such a hint as well; absent or null: no limit is known. */
  readonly allowance?: bigint | null
  /** True if the key limits how many of its jobs run at once. */
  readonly limitsRunning?: boolean
}

export interface SessionActor {
  readonly kind: 'session'
  readonly accountId: string
  readonly userId: string
  readonly sessionId: string
  /** Null if a link opened the session. */
  readonly passwordAt: Date | null
  readonly scopes: readonly string[]
  readonly credits: bigint
  readonly allowance?: bigint | null
}

/** The command line that acts for an account. */
export interface AccountActor {
  readonly kind: 'account'
  readonly accountId: string
  readonly credits: bigint
  readonly allowance?: bigint | null
}

export type AccountHolder = KeyActor | SessionActor | AccountActor

export interface AnonymousActor {
  readonly kind: 'anonymous'
}

/** The operator at the command line, or the service itself. */
interface SystemActor {
  readonly kind: 'system'
}

export type Actor = AccountHolder | AnonymousActor | SystemActor

/** The id of the key, session or account that limits count by. */
export function callerOf(caller: AccountHolder): string {
  if (caller.kind === 'key') return caller.apiKeyId
  return caller.kind === 'session' ? caller.sessionId : caller.accountId
}

export const ownerOf = (actor: Actor): string | undefined => ('accountId' in actor ? actor.accountId : undefined)
