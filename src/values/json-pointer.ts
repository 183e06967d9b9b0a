/** Paths are shown no longer: what is behind it need not be escaped. */
const MAX_KEY_CHARACTERS = 256

/** A key as one step of a JSON pointer (RFC 6901); of one that is very long, its start. */
export const pointerToken = (key: string): string =>
  key.slice(0, MAX_KEY_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1')

/** The JSON pointer to a place, from the keys on the way to it. */
export const pointerOf = (path: readonly string[]): string => path.map((key) => `/${pointerToken(key)}`).join('')
