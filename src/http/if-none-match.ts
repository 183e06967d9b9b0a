const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/** If-None-Match (RFC 9110 section 13.1.2): weak comparison. `etag` is strong and has its quotes. */
export function namesETag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header === etag || header.trim() === '*') return true
  for (const [, opaque] of header.matchAll(ENTITY_TAG)) if (opaque === etag) return true
  return false
}

/** If-Match (RFC 9110 section 13.1.1): strong comparison. */
export function matchesETag(header: string, etag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(ENTITY_TAG)].some(([tag]) => tag === etag)
}
