import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far a delivery's timestamp may be from the verifier's clock. */
export const TOLERANCE_SECONDS = 300

/** The three headers of a delivery. */
export interface SignedHeaders {
  readonly id: string
  /** Unix seconds, as they are written. */
  readonly timestamp: string
  /** Space-separated `v1,<base64>`. */
  readonly signature: string
}

/** One value for every secret, in their order: new first, then old. */
export const signDelivery = (secrets: readonly Uint8Array[], id: string, timestamp: string, body: Uint8Array): string =>
  secrets.map((secret) => `v1,${mac(secret, id, timestamp, body).toString('base64')}`).join(' ')

/** Whether any of the values was made with this secret. The timestamp's age is judged elsewhere. */
export function hasSignature(secret: Uint8Array, headers: SignedHeaders, body: Uint8Array): boolean {
  const expected = Buffer.from(`v1,${mac(secret, headers.id, headers.timestamp, body).toString('base64')}`)
  return headers.signature.split(' ').some((value) => {
    const given = Buffer.from(value)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const mac = (secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
