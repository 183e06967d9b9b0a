import { createHmac, timingSafeEqual } from 'node:crypto'
import { SIGNED_URL_SECONDS } from './storage.ts'

const MEDIA_PREFIX = '/media/'
const MAX_KEY_CHARACTERS = 512
const KEY_PATTERN = /^[a-z0-9_-][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/
const SIGNED_PATH = /^\/media\/([a-z0-9_./-]+)\?type=([^&#]+)&expires=([1-9][0-9]{0,10})&signature=[A-Za-z0-9_-]{43}$/

/** What a signed URL gives access to. `expires` is in Unix seconds; `contentType` is what the bytes are served as. */
export interface MediaGrant {
  readonly key: string
  readonly contentType: string
  readonly expires: number
}

/** Whether a text may address an artifact: a relative path of `[a-z0-9_./-]` in which no part is empty or starts with a dot. */
export const isStorageKey = (key: string): boolean => key.length <= MAX_KEY_CHARACTERS && KEY_PATTERN.test(key)

/** The path and query that `GET /media/*` answers until `expires`. @throws RangeError on a bad key. */
export function signMediaPath(signingKey: Uint8Array, grant: MediaGrant): string {
  if (!isStorageKey(grant.key)) throw new RangeError('the storage key is malformed')
  const type = encodeURIComponent(grant.contentType)
  return `${MEDIA_PREFIX}${grant.key}?type=${type}&expires=${grant.expires}&signature=${signature(signingKey, grant)}`
}

/** The same as an absolute URL that lives 15 minutes from `now`. */
export function signMediaUrl(
  publicUrl: string,
  signingKey: Uint8Array,
  { key, contentType, now }: { key: string; contentType: string; now: Date },
): string {
  const expires = Math.floor(now.getTime() / 1000) + SIGNED_URL_SECONDS
  return publicUrl.replace(/\/+$/, '') + signMediaPath(signingKey, { key, contentType, expires })
}

/**
 * What a received path and query (`request.url`, exactly as it came) grants at `now`, or null where it was tampered with
 * or is expired. One grant has exactly one spelling: any other order, repetition or encoding of the parts is refused.
 */
export function verifyMediaPath(signingKey: Uint8Array, received: string, now: Date): MediaGrant | null {
  const grant = parse(received)
  if (grant === null || !isStorageKey(grant.key)) return null
  if (!equalTexts(received, signMediaPath(signingKey, grant))) return null
  return now.getTime() < grant.expires * 1000 ? grant : null
}

function parse(received: string): MediaGrant | null {
  const [, key, type, expires] = SIGNED_PATH.exec(received) ?? []
  if (key === undefined || type === undefined || expires === undefined) return null
  try {
    return { key, contentType: decodeURIComponent(type), expires: Number(expires) }
  } catch {
    return null
  }
}

/** A JSON array cannot be split in two ways; its first element keeps this use of the key, and its version, apart. */
const signature = (signingKey: Uint8Array, { key, contentType, expires }: MediaGrant): string =>
  createHmac('sha256', signingKey)
    .update(JSON.stringify(['sonant.media.v1', key, contentType, expires]))
    .digest('base64url')

function equalTexts(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
