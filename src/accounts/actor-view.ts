/** A caller as other callers of its account see it. */
export interface ActorView {
  readonly kind: 'key' | 'user' | 'operator'
  /** Of what it did: a caller is called otherwise later on. */
  readonly of: string
  /** Of the key or user; null: not for this account to see. */
  readonly callerId: string | null
  readonly name: string | null
}
