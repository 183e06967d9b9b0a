import { randomUUIDv7 } from 'node:crypto'
import { fromUUID, parseTypeId } from 'typeid-js'

/** The nouns that have an id, and its prefix. */
const ID_PREFIXES = [
  ...(['acct', 'key', 'job', 'msg', 'user', 'art', 'chat', 'wrk', 'ses', 'voice'] as const),
  ...(['entry', 'audit', 'secret'] as const),
] as const
type IdPrefix = (typeof ID_PREFIXES)[number]

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
/** The 48 bits of a UUIDv7's milliseconds are exactly the first ten of its 26 characters. */
const TIME_CHARACTERS = 10

/**
 * A new TypeID: prefix, `_`, 26 characters of base32 UUIDv7. Ids of one prefix sort by creation time.
 * @param at the time that it holds: verbs give the context's `now()`, which all processes share
 */
export function newId(prefix: IdPrefix, at = new Date()): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  return fromUUID(`${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`, prefix)
}

/** The time an id was made, to the millisecond; a row's created_at is taken from its id so that both sort alike. */
export function idTime(id: string): Date {
  const start = id.lastIndexOf('_') + 1
  let time = 0
  for (let i = start; i < start + TIME_CHARACTERS; i++) time = time * 32 + BASE32.indexOf(id[i]!)
  return new Date(time)
}

/**
 * Where the ids made at a time or later begin: every id of an earlier millisecond sorts before it, every other one after it. This is
 * how a window of time becomes a range of the index on ids.
 */
export function firstIdAt(prefix: IdPrefix, start: Date): string {
  let rest = Math.max(0, start.getTime())
  let time = ''
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    time = BASE32[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${time}${'0'.repeat(26 - TIME_CHARACTERS)}`
}

/** Whether a string is a well-formed id of this prefix. Never throws. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`) || text.length !== prefix.length + 27) return false
  try {
    parseTypeId(text as Parameters<typeof parseTypeId>[0])
    return true
  } catch {
    return false
  }
}
