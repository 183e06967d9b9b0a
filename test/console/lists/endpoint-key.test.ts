import { expect, test } from 'vitest'
import { typedKeys } from '../../../src/console/lists/endpoint-key.ts'

const KNOWN = ['voice.tts', 'voice.portrait', 'generate.portrait']

test('a slug is taken for the one known key that ends with it; what names none or several is an error', () => {
  expect(
    ['', 'TTS', ' voice.other, tts', 'portrait', 'nothing', 'tts,?'].map((text) => typedKeys(text, KNOWN)),
  ).toEqual([
    { value: '' },
    { value: 'voice.tts' },
    { value: 'voice.other,voice.tts' },
    { error: 'Type the whole name: voice.portrait or generate.portrait.' },
    { error: 'There is no endpoint "nothing". Type a whole name, such as voice.tts.' },
    { error: 'There is no endpoint "?". Type a whole name, such as voice.tts.' },
  ])
})
