const MAX_KEY_CHARACTERS = 256

/** One step of a JSON pointer (RFC 6901), shortened if the key is very long. */
export const pointerToken = (key: string): string =>
  key.slice(0, MAX_KEY_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1')

export const pointerOf = (path: readonly string[]): string => path.map((key) => `/${pointerToken(key)}`).join('')
