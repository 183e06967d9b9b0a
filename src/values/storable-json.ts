/** No honest request nests deeper, and recursion over one that does would end the stack. */
const MAX_DEPTH = 64
/** Each that a schema does not know is a violation of its own. */
const MAX_KEYS = 1000

export const UNSAFE_STRING = 'Strings must not contain NUL or unpaired surrogates.'
export const INVALID = 'Invalid request: see `details`.'

/** A value that would not come back from the database as it was sent. */
interface Unstorable {
  /** The keys on the way to it; to the object itself where one of its keys is at fault. */
  readonly path: readonly string[]
  readonly message: string
  /** The sentence of the answer that refuses it. */
  readonly error: string
}

/**
 * The first part of a JSON value that cannot be kept as it is: PostgreSQL refuses NUL, an unpaired surrogate silently becomes U+FFFD, and
 * a number beyond 2^53 has lost digits already, or became infinite. Also what is nested too deeply, or has too many keys.
 * null: all of it can be kept.
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

/** The keys alone: a list of pairs takes three times as long to make as it is of use. */
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
/** NaN included. */
export const isOutOfRange = (value: number): boolean => !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
