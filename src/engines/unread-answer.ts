import { EngineError } from './engine.ts'
import { withoutWordsOf } from './server-words.ts'

const READ_BYTES = 600
const SHOWN_CHARACTERS = 120
/** Long words may be keys, tokens or texts in base64. */
const SECRET = /[\w+=~-]{20,}/g
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\uFFFD]+/gu

interface UnreadAnswer {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly reason: string
  /** The error must hold none of these words. */
  readonly texts: readonly string[]
}

export function unreadAnswer({ bytes, contentType, reason, texts }: UnreadAnswer): EngineError {
  const what = `${bytes.length} bytes of ${shown(contentType, texts) || 'no content type'}`
  const begin = bytes.length === 0 ? '' : ` that begin with "${beginningOf(bytes, texts)}"`
  return new EngineError('PROVIDER_UNAVAILABLE', `The server answered 200 without speech: ${what}${begin}. ${reason}`)
}

/** Zeros of wide characters would split words. */
const beginningOf = (bytes: Uint8Array, texts: readonly string[]): string =>
  shown(Buffer.from(bytes.subarray(0, READ_BYTES)).toString().replaceAll('\0', ''), texts)

const shown = (said: string, texts: readonly string[]): string =>
  withoutWordsOf(said.replace(SECRET, '…'), texts).replace(UNPRINTABLE, '.').slice(0, SHOWN_CHARACTERS)
