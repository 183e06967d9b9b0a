/** A caller as other callers of its account see it. */
export interface ActorView {
  readonly kind: 'key' | 'user' | 'operator'
  /** null: not for this account to see. */
  readonly id: string | null
  readonly name: string | null
}
