import { createHmac, timingSafeEqual } from 'node:crypto'
import { SIGNED_URL_SECONDS } from './storage.ts'

const MEDIA_PREFIX = '/media/'
const MAX_KEY_CHARACTERS = 512
/** A path that names 100 jobs. */
const MAX_PATH_CHARACTERS = 3_000
const KEY_PATTERN = /^[a-z0-9_-][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/
const SIGNED_PATH =
  /^\/media\/([a-z0-9_./-]+)\?type=([^&#]+)&expires=([1-9][0-9]{0,10})(?:&cell=([0-9a-z]))?&signature=[A-Za-z0-9_-]{43}$/

/** `expires` is in Unix seconds. */
export interface MediaGrant {
  readonly key: string
  readonly contentType: string
  readonly expires: number
  /** A proxy leads the URL to this cell. */
  readonly cell?: string | null
}

export interface UrlSigner {
  publicUrl(): string
  readonly signingKey: Uint8Array
  readonly cell?: string | null
}

export const isStorageKey = (key: string): boolean => key.length <= MAX_KEY_CHARACTERS && KEY_PATTERN.test(key)

const isPath = (key: string): boolean => key.length <= MAX_PATH_CHARACTERS && KEY_PATTERN.test(key)

/** @throws RangeError on a malformed key */
export function signMediaPath(signingKey: Uint8Array, grant: MediaGrant): string {
  if (!isPath(grant.key)) throw new RangeError('the storage key is malformed')
  const type = encodeURIComponent(grant.contentType)
  const cell = grant.cell == null ? '' : `&cell=${grant.cell}`
  return `${MEDIA_PREFIX}${grant.key}?type=${type}&expires=${grant.expires}${cell}&signature=${signature(signingKey, grant)}`
}

/** Valid for 15 minutes from `now`. */
export function signMediaUrl(
  { publicUrl, signingKey, cell = null }: UrlSigner,
  { key, contentType, now }: { key: string; contentType: string; now: Date },
): string {
  const expires = Math.floor(now.getTime() / 1000) + SIGNED_URL_SECONDS
  return publicUrl().replace(/\/+$/, '') + signMediaPath(signingKey, { key, contentType, expires, cell })
}

/** Returns null for an altered or expired path; one grant has exactly one spelling. */
export function verifyMediaPath(signingKey: Uint8Array, received: string, now: Date): MediaGrant | null {
  const grant = parse(received)
  if (grant === null || !isPath(grant.key)) return null
  if (!equalTexts(received, signMediaPath(signingKey, grant))) return null
  return now.getTime() < grant.expires * 1000 ? grant : null
}

function parse(received: string): MediaGrant | null {
  const [, key, type, expires, cell] = SIGNED_PATH.exec(received) ?? []
  if (key === undefined || type === undefined || expires === undefined) return null
  try {
    return { key, contentType: decodeURIComponent(type), expires: Number(expires), ...(cell && { cell }) }
  } catch {
    return null
  }
}

/** A JSON array is unambiguous; its first element separates uses and versions of the key. */
const signature = (signingKey: Uint8Array, { key, contentType, expires, cell }: MediaGrant): string =>
  createHmac('sha256', signingKey)
    .update(JSON.stringify(['sonant.media.v1', key, contentType, expires, ...(cell ? [cell] : [])]))
    .digest('base64url')

function equalTexts(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
