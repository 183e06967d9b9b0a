import { expect, test } from 'vitest'
import { placeOfServer } from '../../../src/catalog/files/hidden-password.ts'

test.each([
  ['http://gpu:8091', 'http://gpu:8091'],
  ['https://user:sesame@speech.example.com/tts/', 'https://speech.example.com/tts'],
  ['https://:sesame@speech.example.com', 'https://speech.example.com'],
  ['https://speech.example.com/tts?key=sesame#sesame', 'https://speech.example.com/tts'],
  ['worker', 'worker'],
])('where a server is says nothing secret: %s', (address, place) => {
  expect(placeOfServer(address)).toBe(place)
})
