const PREFIX = 'whsec_'
/** What Standard Webhooks allows: a secret of a receiver's own may be shorter or longer than ours. */
const MIN_BYTES = 24
const MAX_BYTES = 64
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** How long the second newest secret goes on signing after a rotation. */
export const OVERLAP_MS = 24 * 3_600_000

/** A secret as its owner sees it, once: `whsec_` and base64. */
export const writeWebhookSecret = (secret: Uint8Array): string => PREFIX + Buffer.from(secret).toString('base64')

/** The bytes of a written secret, or null where it is none. */
export function readWebhookSecret(text: string): Buffer | null {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  return BASE64.test(encoded) && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}
