import { expect, test } from 'vitest'
import { checkScript } from '../../../src/voice/markup/check-script.ts'

type Arguments = Parameters<typeof checkScript>
const ENDPOINT = {
  slug: 'ssml',
  markup: 'ssml',
  voiceInput: 'voice',
  voices: [{ slug: 'calm', engineVoice: 'one' }],
  engine: { kind: 'openai-speech' },
} as unknown as Arguments[2]
const spelled = (letter: string, times: number) =>
  `<speak><say-as interpret-as="characters">${letter.repeat(times)}</say-as></speak>`
const violationOf = async (text: string) =>
  (await checkScript({} as Arguments[0], 'acct_1', ENDPOINT, { text, voice: 'calm' })).violation

test('letters that are spoken as several are refused where that makes the text far longer than it was submitted', async () => {
  expect(await violationOf(spelled('s', 4000))).toBeNull()
  expect(await violationOf(spelled('ß', 1000))).toBeNull()
  expect(await violationOf(spelled('ß', 1200))).toMatch(/more than twice its length/)
})
