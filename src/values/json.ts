const MAX_KEY_CHARACTERS = 256
/** Deeper values would overflow the stack of the recursion. */
const MAX_DEPTH = 64
const MAX_KEYS = 1000

export const UNSAFE_STRING = 'Strings must not contain NUL or unpaired surrogates.'
export const INVALID = 'Invalid request: see `details`.'

interface Unstorable {
  readonly path: readonly string[]
  readonly message: string
  readonly error: string
}

/** One step of a JSON pointer (RFC 6901), shortened if the key is very long. */
export const pointerToken = (key: string): string =>
  key.slice(0, MAX_KEY_CHARACTERS).replaceAll('~', '~0').replaceAll('/', '~1')

export const pointerOf = (path: readonly string[]): string => path.map((key) => `/${pointerToken(key)}`).join('')

/** JSON with sorted keys: equal content gives equal text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  if (Array.isArray(value)) return value.map(sorted)
  // Without a prototype, `__proto__` is an ordinary key.
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value).sort()) copy[key] = sorted((value as Record<string, unknown>)[key])
  return copy
}

/**
 * Finds the first part that the database would change or refuse: NUL, a lone surrogate, a number beyond 2^53,
 * too many keys or too deep nesting. Returns null if there is none.
 */
export function findUnstorable(value: unknown, depth = 0): Unstorable | null {
  if (depth > MAX_DEPTH) return invalid(`is nested deeper than ${MAX_DEPTH} levels`)
  if (typeof value === 'string') return isUnsafe(value) ? unsafe('holds NUL or an unpaired surrogate') : null
  if (typeof value === 'number') return isOutOfRange(value) ? invalid('is a number out of range') : null
  if (value === null || typeof value !== 'object') return null
  if (Array.isArray(value)) return firstUnstorable(value.keys(), value, depth)
  const keys = Object.keys(value)
  if (keys.length > MAX_KEYS) return invalid(`has more than ${MAX_KEYS} keys`)
  return firstUnstorable(keys, value, depth)
}

function firstUnstorable(keys: Iterable<string | number>, value: object, depth: number): Unstorable | null {
  for (const key of keys) {
    if (typeof key === 'string' && isUnsafe(key)) return unsafe('has a key that holds NUL or an unpaired surrogate')
    const found = findUnstorable((value as Record<string | number, unknown>)[key], depth + 1)
    if (found !== null) return { ...found, path: [String(key), ...found.path] }
  }
  return null
}

const unsafe = (message: string): Unstorable => ({ path: [], message, error: UNSAFE_STRING })
const invalid = (message: string): Unstorable => ({ path: [], message, error: INVALID })

const isUnsafe = (text: string): boolean => text.includes('\0') || !text.isWellFormed()
export const isOutOfRange = (value: number): boolean => !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
