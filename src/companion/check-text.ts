import { invalidRequest } from '../errors/service-error.ts'
import { findUnstorable } from '../values/storable-json.ts'

/** Holds a text from the caller against its limit, in Unicode code points. @throws INVALID_REQUEST */
export function checkText(path: string, text: string, maxCharacters: number): void {
  const message = complaint(text, maxCharacters)
  if (message !== null) throw invalidRequest('Invalid request: see `details`.', [{ path, message }])
}

function complaint(text: string, maxCharacters: number): string | null {
  // A code point takes at most two of the string's units: what is longer need not be counted.
  if (text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters)) {
    return `must have at most ${maxCharacters} characters`
  }
  if (text.trim() === '') return 'must hold a character that is not white space'
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
}
