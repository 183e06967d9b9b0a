import { invalidRequest } from '../errors.ts'
import { findUnstorable } from '../storable.ts'

/** Holds a text from the caller against its limit, in Unicode code points. @throws INVALID_REQUEST */
export function checkText(path: string, text: string, maxCharacters: number): void {
  const message = complaint(text, maxCharacters)
  if (message !== null) throw invalidRequest('Invalid request: see `details`.', [{ path, message }])
}

function complaint(text: string, maxCharacters: number): string | null {
  if (text.trim() === '') return 'must hold a character that is not white space'
  if (text.length > maxCharacters && [...text].length > maxCharacters) {
    return `must have at most ${maxCharacters} characters`
  }
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
}
