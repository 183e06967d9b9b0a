import type { UserRole } from '../access/scopes.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { hasUnseen } from '../values/printable.ts'

export interface User {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly role: UserRole
  readonly operator: boolean
  readonly createdAt: Date
  /** Within a minute; null before the first session. */
  readonly lastSeenAt: Date | null
  readonly disabledAt: Date | null
}

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

/** RFC 5321. Normalizing a long text takes the square of its length. */
const isTooLong = (text: string): boolean => text.length > MAX_EMAIL_CHARACTERS

/** null if it is longer than any address */
export const normalEmail = (text: string): string | null =>
  isTooLong(text) ? null : text.trim().normalize('NFC').toLowerCase()

/** Prisma's code for a violated unique constraint. */
export const isEmailTaken = (error: unknown): boolean => (error as { code?: unknown }).code === 'P2002'

export const emailTaken = (email: string) =>
  invalidRequest(`Choose another address: "${email}" is taken.`, [{ path: '/email', message: 'is taken' }])

/** @throws INVALID_REQUEST */
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
