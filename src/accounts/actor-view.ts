export interface ActorView {
  readonly kind: 'key' | 'user' | 'operator'
  /** Identifies this one entry, because a caller may be renamed later. */
  readonly of: string
  /** null if this account may not see it */
  readonly callerId: string | null
  readonly name: string | null
}
