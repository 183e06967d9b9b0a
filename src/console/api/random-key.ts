/** An idempotency key for one press of a button. `crypto.randomUUID` is there over https and on localhost alone. */
export const randomKey = (): string =>
  `console-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
