import { createHash, randomBytes } from 'node:crypto'

const HOUR_MS = 3_600_000
export const SESSION_IDLE_MS = 24 * HOUR_MS
export const SESSION_LIFETIME_MS = 30 * 24 * HOUR_MS
/** A cookie that outlives its session tells an expired session from one that was ended. */
export const SESSION_KEPT_MS = 24 * HOUR_MS

const TOKEN_BYTES = 32
const FORM = /^[A-Za-z0-9_-]{43}$/

/** Makes 256 random bits. Only their hash is stored. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const isToken = (text: string): boolean => FORM.test(text)

export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(token).digest())
