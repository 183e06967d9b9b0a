import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

/** The bytes of an HMAC key. */
export const newWebhookSecret = (): Buffer => randomBytes(SECRET_BYTES)
