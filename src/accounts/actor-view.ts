/** A caller as other callers of its account see it. */
export interface ActorView {
  readonly kind: 'key' | 'user' | 'operator'
  /** The identity of this one appearance: a later rename of the caller must not change how an older entry names it. */
  readonly of: string
  /** The id of the key or user; null if this account may not see it. */
  readonly callerId: string | null
  readonly name: string | null
}
