/** No honest request nests deeper, and recursion over one that does would end the stack. */
const MAX_DEPTH = 64

/**
 * Where a value holds a string that PostgreSQL cannot keep as it is: NUL is refused by it, a lone surrogate silently becomes U+FFFD.
 * Returns a JSON pointer to the first such string or key, or to what is nested too deeply, or null.
 */
export function unsafeTextPath(value: unknown, at = '', depth = 0): string | null {
  if (depth > MAX_DEPTH) return at
  if (typeof value === 'string') return isUnsafe(value) ? at : null
  if (value === null || typeof value !== 'object') return null
  for (const [key, part] of Object.entries(value)) {
    if (isUnsafe(key)) return at === '' ? '/' : at
    const path = unsafeTextPath(part, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
    if (path !== null) return path
  }
  return null
}

const isUnsafe = (text: string): boolean => text.includes('\0') || !text.isWellFormed()
