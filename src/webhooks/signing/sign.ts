import { createHmac, timingSafeEqual } from 'node:crypto'

export const TOLERANCE_SECONDS = 300

export interface SignedHeaders {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

export const signDelivery = (secrets: readonly Uint8Array[], id: string, timestamp: string, body: Uint8Array): string =>
  secrets.map((secret) => `v1,${mac(secret, id, timestamp, body).toString('base64')}`).join(' ')

/** Does not check the timestamp. */
export function hasSignature(secret: Uint8Array, headers: SignedHeaders, body: Uint8Array): boolean {
  const expected = Buffer.from(`v1,${mac(secret, headers.id, headers.timestamp, body).toString('base64')}`)
  return headers.signature.split(' ').some((value) => {
    const given = Buffer.from(value)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const mac = (secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
