const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/**
 * Whether If-None-Match names this entity tag (RFC 9110 section 13.1.2): weak comparison, lists, and `*` for whatever there is.
 * `etag` is strong, quotes included.
 */
export function namesETag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header === etag || header.trim() === '*') return true
  for (const [, opaque] of header.matchAll(ENTITY_TAG)) if (opaque === etag) return true
  return false
}

/** Whether If-Match holds for this entity tag (RFC 9110 section 13.1.1): strong comparison, lists, and `*` for whatever there is. */
export function matchesETag(header: string, etag: string): boolean {
  return header.trim() === '*' || [...header.matchAll(ENTITY_TAG)].some(([tag]) => tag === etag)
}
