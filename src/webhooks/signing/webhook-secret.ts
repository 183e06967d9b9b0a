const PREFIX = 'whsec_'
/** Limits of Standard Webhooks, for secrets that receivers choose. */
const MIN_BYTES = 24
const MAX_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const OVERLAP_MS = 24 * 3_600_000

export const writeWebhookSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString('base64')

/** Null if the text is no secret. */
export function readWebhookSecret(text: string): Buffer | null {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  return BASE64.test(encoded) && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}
