import { invalidRequest } from '../errors.ts'

export interface Account {
  readonly id: string
  readonly name: string
  readonly credits: bigint
}

/** An account without what it is called back at. */
export const ACCOUNT_VIEW = { id: true, name: true, credits: true } as const

const NAME_MAX_CHARACTERS = 200
/** Far beyond any real balance, and sums of a few of them still fit PostgreSQL's bigint. */
export const MAX_CREDITS = 10n ** 15n

/** Names of accounts and keys: anything printable. @throws INVALID_REQUEST */
export function checkName(name: string): void {
  if (name.trim() === '' || name.length > NAME_MAX_CHARACTERS || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    const message = `must have 1 to ${NAME_MAX_CHARACTERS} characters, none of them a control character`
    throw invalidRequest(`Give a name of 1 to ${NAME_MAX_CHARACTERS} characters without control characters.`, [
      { path: '/name', message },
    ])
  }
}
