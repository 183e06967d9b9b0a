import type { UserRole } from '../access/scopes.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { hasUnseen } from '../values/printable.ts'

/** A user who signs in, and acts for one account. */
export interface User {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly role: UserRole
  /** Whether the command line has marked the user as an operator. */
  readonly operator: boolean
  readonly createdAt: Date
  /** When a session of the user was last used, within a minute; null before the first one. */
  readonly lastSeenAt: Date | null
  /** Since when the user may not sign in; null for an enabled user. */
  readonly disabledAt: Date | null
}

/** A user without the password's hash. */
export const USER_VIEW = {
  id: true,
  accountId: true,
  email: true,
  role: true,
  operator: true,
  createdAt: true,
  lastSeenAt: true,
  disabledAt: true,
} as const

const MAX_EMAIL_CHARACTERS = 254
const EMAIL_FORM = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u

/** No address is longer (RFC 5321): what is need not be looked at, and normalizing it would take the square of its length. */
const isTooLong = (text: string): boolean => text.length > MAX_EMAIL_CHARACTERS

/** An address as it is kept and compared; null where it is longer than any. */
export const normalEmail = (text: string): string | null =>
  isTooLong(text) ? null : text.trim().normalize('NFC').toLowerCase()

/** Prisma's code for a unique value that is there already: of a user, the address. */
export const isEmailTaken = (error: unknown): boolean => (error as { code?: unknown }).code === 'P2002'

export const emailTaken = (email: string) =>
  invalidRequest(`Choose another address: "${email}" is taken.`, [{ path: '/email', message: 'is taken' }])

/** A new address as it is to be kept. @throws INVALID_REQUEST */
export function checkEmail(text: string): string {
  const email = normalEmail(text)
  if (
    email === null ||
    isTooLong(email) ||
    !EMAIL_FORM.test(email) ||
    hasUnseen(email) ||
    /[\u200c\u200d]/.test(email) ||
    !email.isWellFormed()
  )
    throw invalidRequest('Give an e-mail address.', [{ path: '/email', message: 'is no e-mail address' }])
  return email
}
