import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'snt_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_CHARACTERS = 36
const CHECKSUM_CHARACTERS = 6
const FORM = /^snt_((?:[0-9a-z]_)?[0-9A-Za-z]{36})([0-9A-Za-z]{6})$/

/** Makes `snt_`, in a cell its mark and `_`, 36 random base62 characters and 6 of checksum. */
export function newApiKey(cell: string | null = null): string {
  let secret = cell === null ? '' : `${cell}_`
  for (let i = 0; i < SECRET_CHARACTERS; i++) secret += ALPHABET[randomInt(ALPHABET.length)]
  return PREFIX + secret + checksum(secret)
}

/** The checksum finds typing mistakes without a query. */
export function isApiKey(text: string): boolean {
  const [, secret, sum] = FORM.exec(text) ?? []
  return secret !== undefined && checksum(secret) === sum
}

export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer')

function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
