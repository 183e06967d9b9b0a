import { EngineError } from './engine.ts'
import { withoutWordsOf } from './server-words.ts'

/** The bytes that are inspected, and the characters that the operator sees. */
const READ_BYTES = 600
const SHOWN_CHARACTERS = 120
/** Keys and tokens, and texts in base64, are long and without a space. */
const SECRET = /[\w+=~-]{20,}/g
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\uFFFD]+/gu

/** An answer of status 200 that holds no speech. */
interface UnreadAnswer {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Why nothing was read. */
  readonly reason: string
  /** The texts and keys of the request. None of their words appears in the error. */
  readonly texts: readonly string[]
}

/** The server's failure, with the first of what it sent, for the operator. */
export function unreadAnswer({ bytes, contentType, reason, texts }: UnreadAnswer): EngineError {
  const what = `${bytes.length} bytes of ${shown(contentType, texts) || 'no content type'}`
  const begin = bytes.length === 0 ? '' : ` that begin with "${beginningOf(bytes, texts)}"`
  return new EngineError('PROVIDER_UNAVAILABLE', `The server answered 200 without speech: ${what}${begin}. ${reason}`)
}

/** Without the zeros of wide characters, which would take words apart. */
const beginningOf = (bytes: Uint8Array, texts: readonly string[]): string =>
  shown(Buffer.from(bytes.subarray(0, READ_BYTES)).toString().replaceAll('\0', ''), texts)

const shown = (said: string, texts: readonly string[]): string =>
  withoutWordsOf(said.replace(SECRET, '…'), texts).replace(UNPRINTABLE, '.').slice(0, SHOWN_CHARACTERS)
