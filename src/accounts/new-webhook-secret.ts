import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

/** The bytes of a new signing secret: they are the HMAC key. Stored sealed, shown by a rotation alone. */
export const newWebhookSecret = (): Buffer => randomBytes(SECRET_BYTES)
