import { expect, test } from 'vitest'
import { spokenText } from '../../../src/engines/espeak/spoken-part.ts'
import { readableLatin, toSpokenText } from '../../../src/engines/espeak/spoken-text.ts'

const read = (text: string): string => Array.from(text, readableLatin).join('')

test.each([
  ['Tiếng Việt, người, ẵ', 'Tiêng Viêt, ngươi, ă'],
  ['Hᴇʟʟᴏ ꜰᴜɴ', 'Hello fun'],
  ['ᵗʰᵉ ᴿᴬᴵSᴱᴰ', 'the RAISED'],
  ['ɡood ḿ Ẁales', 'good m Wales'],
])('%s is read as %s', (text, letters) => {
  expect(read(text)).toBe(letters)
})

test.each(['é', 'ŝ', 'ơ', 'ẞ', 'ə'])('%s stays as it is', (letter) => {
  expect(readableLatin(letter)).toBe(letter)
})

test('Vietnamese reads its own letters, and each part stands for the letter that was submitted', () => {
  const inLanguage = (language: string) => toSpokenText('Việt', language, () => [])
  expect(spokenText(inLanguage('vi'))).toBe('Việt')
  expect(inLanguage('en-us')).toEqual([
    { spoken: 'V', start: 0, length: 1 },
    { spoken: 'i', start: 1, length: 1 },
    { spoken: 'ê', start: 2, length: 1 },
    { spoken: 't', start: 3, length: 1 },
  ])
})
