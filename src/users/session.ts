import { createHash, randomBytes } from 'node:crypto'

const HOUR_MS = 3_600_000
/** An unused session ends after this. */
export const SESSION_IDLE_MS = 24 * HOUR_MS
/** Any session ends after this. */
export const SESSION_LIFETIME_MS = 30 * 24 * HOUR_MS
/** So long its row and its cookie outlive it, by which an expired session differs from one that was ended. */
export const SESSION_KEPT_MS = 24 * HOUR_MS

const TOKEN_BYTES = 32
const FORM = /^[A-Za-z0-9_-]{43}$/

/** What a browser holds of a session, or a user of a sign-in link: 256 random bits. Never kept here, except as its hash. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const isToken = (text: string): boolean => FORM.test(text)

/** The only form in which a token is stored. */
export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(token).digest())
