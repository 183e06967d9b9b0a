import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../api-keys/api-key.ts'
import { VOICE_SCOPE } from '../catalog/voice-endpoint.ts'
import { GENERATION_SCOPE } from '../catalog/workflow.ts'
import { CHAT_SCOPE, MEDIA_TAG_SCOPE, RETARGET_SCOPE } from '../companion/companion.ts'
import { invalidRequest } from '../errors/service-error.ts'

export const USER_ROLES = ['owner', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

/** A person who signs in, and acts for one account. */
export interface User {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly role: UserRole
  readonly createdAt: Date
  /** Since when the person may not sign in; null for everybody else. */
  readonly disabledAt: Date | null
}

/** A person without the password's hash. */
export const USER_VIEW = {
  id: true,
  accountId: true,
  email: true,
  role: true,
  createdAt: true,
  disabledAt: true,
} as const

const MEMBER_SCOPES: readonly string[] = [
  VOICE_SCOPE,
  JOB_READ_SCOPE,
  GENERATION_SCOPE,
  CHAT_SCOPE,
  RETARGET_SCOPE,
  MEDIA_TAG_SCOPE,
]

/** What a signed-in person may do, in the words of keys. A session is never an operator and reaches no restricted endpoint. */
export const scopesOf = (role: UserRole): readonly string[] =>
  role === 'owner' ? [...MEMBER_SCOPES, ACCOUNT_ADMIN_SCOPE] : MEMBER_SCOPES

const MAX_EMAIL_CHARACTERS = 254
const EMAIL_FORM = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u

/** No address is longer (RFC 5321): what is need not be looked at, and normalizing it would take the square of its length. */
const isTooLong = (text: string): boolean => text.length > MAX_EMAIL_CHARACTERS

/** An address as it is kept and compared; null where it is longer than any. */
export const normalEmail = (text: string): string | null =>
  isTooLong(text) ? null : text.trim().normalize('NFC').toLowerCase()

/** A new address as it is to be kept. @throws INVALID_REQUEST */
export function checkEmail(text: string): string {
  const email = normalEmail(text)
  if (email === null || isTooLong(email) || !EMAIL_FORM.test(email) || !email.isWellFormed())
    throw invalidRequest('Give an e-mail address.', [{ path: '/email', message: 'is no e-mail address' }])
  return email
}
