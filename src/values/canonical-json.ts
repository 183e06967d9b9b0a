/** JSON with sorted keys: equal content, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) ? sorted(part as Record<string, unknown>) : part,
  )
}

/** Without a prototype every key is one like any other. */
function sorted(part: Readonly<Record<string, unknown>>): object {
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(part).sort()) copy[key] = part[key]
  return copy
}
