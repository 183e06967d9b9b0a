import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { invalidRequest } from '../errors/service-error.ts'

const MIN_CHARACTERS = 12
const MAX_CHARACTERS = 256
/** OWASP's parameters for argon2id. */
const MEMORY_KIB = 19_456
const PASSES = 2
const SALT_BYTES = 16
const HASH_BYTES = 32
const FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)

/** @throws INVALID_REQUEST */
export function checkPassword(password: string, path = '/password'): void {
  // A code point takes at most two UTF-16 units, so a longer text need not be counted.
  const { length } = password.length > MAX_CHARACTERS * 2 ? password : [...password]
  if (length < MIN_CHARACTERS || length > MAX_CHARACTERS || !password.isWellFormed()) {
    const message = `must have ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters`
    throw invalidRequest(`Give a password of ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters.`, [{ path, message }])
  }
}

/** @returns an argon2id hash as a PHC string */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES)
  const hash = await derive('argon2id', parameters(password, nonce, MEMORY_KIB, PASSES, 1, HASH_BYTES))
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${base64(nonce)}$${base64(hash)}`
}

/** Takes as long for an unknown user (null) as for a known one. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, lanes, salt = '', hash = ''] = FORM.exec(stored ?? UNMATCHED) ?? []
  if (memory === undefined) throw new Error('a stored password has an unknown form')
  const expected = Buffer.from(hash, 'base64')
  const nonce = Buffer.from(salt, 'base64')
  const given = password.slice(0, MAX_CHARACTERS * 2)
  const actual = await derive(
    'argon2id',
    parameters(given, nonce, Number(memory), Number(passes), Number(lanes), expected.length),
  )
  return timingSafeEqual(actual, expected) && stored !== null
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '')

const UNMATCHED = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${base64(new Uint8Array(SALT_BYTES))}$${base64(new Uint8Array(HASH_BYTES))}`

const parameters = (
  password: string,
  nonce: Uint8Array,
  memory: number,
  passes: number,
  parallelism: number,
  tagLength: number,
): Argon2Parameters => ({ message: password.normalize('NFKC'), nonce, memory, passes, parallelism, tagLength })
