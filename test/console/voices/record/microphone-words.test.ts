import { expect, test } from 'vitest'
import { microphoneWords } from '../../../../src/console/voices/record/microphone-words.ts'

test.each([
  ['NotAllowedError', /allow it .* and try again/],
  ['NotFoundError', /^No microphone was found: connect one/],
  ['NotReadableError', /in use by another program.*close that program/],
  ['InsecurePage', /https:\/\/.*upload the file/],
  ['Unplugged', /connect it or choose another one/],
  ['TypeError', /cannot be used here.*upload the file/],
])('%s of a microphone says what to do, without the name of the error', (name, words) => {
  expect(microphoneWords(name)).toMatch(words)
  expect(microphoneWords(name)).not.toContain(name)
})
