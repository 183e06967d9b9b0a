import { invalidRequest } from '../errors/service-error.ts'
import { findUnstorable } from '../values/storable-json.ts'

/** @throws INVALID_REQUEST above the limit in Unicode code points */
export function checkText(path: string, text: string, maxCharacters: number): void {
  const message = complaint(text, maxCharacters)
  if (message !== null) throw invalidRequest('Invalid request: see `details`.', [{ path, message }])
}

function complaint(text: string, maxCharacters: number): string | null {
  if (text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters)) {
    return `must have at most ${maxCharacters} characters`
  }
  if (text.trim() === '') return 'must hold a character that is not white space'
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
}
