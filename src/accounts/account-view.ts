/** An account as callers see it; `credits` is its balance. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly credits: bigint
}

/** An account without what it is called back at. */
export const ACCOUNT_VIEW = { id: true, name: true, credits: true } as const
