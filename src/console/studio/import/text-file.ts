import { ImportError } from './blocks.ts'

const BOMS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Read unless the user names another one: all old Western files fit it. */
export const GUESSED_ENCODING = 'windows-1252'

/** @throws ImportError it is no text */
export function decodeText(bytes: Uint8Array, encoding = encodingOf(bytes) ?? GUESSED_ENCODING): string {
  const text = new TextDecoder(encoding).decode(bytes)
  if (text.includes('\0')) throw new ImportError('This is not a text.')
  return text
}

/** UTF-8, or UTF-16 with its mark; null: older ones do not say which they are. */
export function encodingOf(bytes: Uint8Array): string | null {
  const marked = BOMS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  if (marked !== undefined) return marked[0]
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return null
  }
}
