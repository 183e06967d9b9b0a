export interface Account {
  readonly id: string
  readonly name: string
  readonly credits: bigint
  readonly createdAt: Date
}

export const ACCOUNT_VIEW = { id: true, name: true, credits: true, createdAt: true } as const
