export function concatenated(parts: readonly Int16Array[]): Int16Array {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part, at)
    at += part.length
  }
  return samples
}
