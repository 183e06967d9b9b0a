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
