/** A key as one step of a JSON pointer (RFC 6901). */
export const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** The JSON pointer to a place, from the keys on the way to it. */
export const pointerOf = (path: readonly string[]): string => path.map((key) => `/${pointerToken(key)}`).join('')
