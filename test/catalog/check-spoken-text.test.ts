import { describe, expect, test } from 'vitest'
import { checkSpokenText, codePoints, MAX_TEXT_CHARACTERS, withJudgedText } from '../../src/catalog/voice-endpoint.ts'

const MEGABYTE = 2 ** 20

test('its characters are code points, and an unpaired surrogate is one', () => {
  const texts = ['', 'é', '😀😀a', '\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00\ude00', '👩‍👩‍👧']
  expect(texts.map(codePoints)).toEqual(texts.map((text) => [...text].length))
})

describe('a text is judged', () => {
  test.each(['a', 'é', '😀'])('by its beginning where it is a megabyte of %s, and is too long as such', (character) => {
    const inputs = { text: character.repeat(MEGABYTE / Buffer.byteLength(character)), voice: 'aria' }
    const { text, voice } = withJudgedText(inputs)
    expect([String(text).length, voice]).toEqual([2 * MAX_TEXT_CHARACTERS + 1, 'aria'])
    expect([...String(text)].length).toBeGreaterThan(MAX_TEXT_CHARACTERS)
    expect(checkSpokenText(text)).toBe(checkSpokenText(inputs.text))
  })

  test.each([
    ['a', 2 * MAX_TEXT_CHARACTERS],
    ['😀', MAX_TEXT_CHARACTERS],
  ])('whole where it could be spoken: %s, %i times', (character, count) => {
    const inputs = { text: character.repeat(count) }
    expect(withJudgedText(inputs)).toBe(inputs)
  })
})
