import { randomUUIDv7 } from 'node:crypto'
import { fromUUID, parseTypeId } from 'typeid-js'

const ID_PREFIXES = [
  ...(['acct', 'key', 'job', 'msg', 'user', 'art', 'chat', 'wrk', 'ses', 'voice', 'prj'] as const),
  ...(['entry', 'audit', 'secret'] as const),
] as const
type IdPrefix = (typeof ID_PREFIXES)[number]

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARACTERS = 10
/** "cell" in base32, which has no l, among the random characters. */
const CELL_TAG = 'ce11'
const CELL_TAG_AT = 14
/** Base32 has no such letters: the letter before stands for each of them. */
const BEFORE: Readonly<Record<string, string>> = { i: 'h', l: 'k', o: 'n', u: 't' }

/**
 * Makes a TypeID: prefix, `_`, UUIDv7 in base32. Ids of one prefix sort by creation time.
 * @param at from the context's `now()`, which all processes share
 * @param cell the setting: ids of jobs carry its mark
 */
export function newId(prefix: IdPrefix, at = new Date(), cell: string | null = null): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const id = fromUUID(`${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`, prefix)
  if (cell === null) return id
  const mark = CELL_TAG + (BEFORE[cell] === undefined ? `0${cell}` : `1${BEFORE[cell]}`)
  const start = prefix.length + 1 + CELL_TAG_AT
  return id.slice(0, start) + mark + id.slice(start + mark.length)
}

/** A row's created_at comes from its id, so both sort alike. */
export function idTime(id: string): Date {
  const start = id.lastIndexOf('_') + 1
  let time = 0
  for (let i = start; i < start + TIME_CHARACTERS; i++) time = time * 32 + BASE32.indexOf(id[i]!)
  return new Date(time)
}

/** Every id made before `start` sorts below this one, every later id above it. */
export function firstIdAt(prefix: IdPrefix, start: Date): string {
  let rest = Math.max(0, start.getTime())
  let time = ''
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    time = BASE32[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${time}${'0'.repeat(26 - TIME_CHARACTERS)}`
}

export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`) || text.length !== prefix.length + 27) return false
  try {
    parseTypeId(text as Parameters<typeof parseTypeId>[0])
    return true
  } catch {
    return false
  }
}
