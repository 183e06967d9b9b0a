/** An account as callers see it; `credits` is its balance. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly credits: bigint
  readonly createdAt: Date
}

/** An account without what it is called back at. */
export const ACCOUNT_VIEW = { id: true, name: true, credits: true, createdAt: true } as const
