import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { LANGUAGES } from '../../src/engines/detect-language.ts'
import { openEspeak } from '../../src/engines/espeak.ts'
import { ESPEAK_LANGUAGES } from '../../src/engines/espeak-voice.ts'
import { openLog } from '../../src/log.ts'
import { checkAudio } from '../../src/synthesis/check-audio.ts'
import { parseWav } from '../../src/synthesis/wav.ts'
import { measureVoice } from './measure-voice.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog while the sun sets slowly in the west.'
const CLEAR_PITCH_RATIO = 1.1
const CLEAR_CENTROID_RATIO = 1.15

const file = new URL('../../src/endpoints/published-tts.yaml', import.meta.url)
const { endpoints } = parse(readFileSync(file, 'utf8'))
const [{ voices, inputs }] = endpoints
const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

const speak = async (engineVoice: string, text: string, language: string) => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  return (await engine.speak({ text, language, voice, extra: {}, signal: new AbortController().signal })).wav
}

test('the endpoint’s languages are the engine’s, and auto', () => {
  expect(inputs.properties.language.enum).toEqual(['auto', ...LANGUAGES])
  expect(Object.keys(ESPEAK_LANGUAGES)).toEqual([...LANGUAGES])
})

test('there are at least eight voices', () => expect(voices.length).toBeGreaterThanOrEqual(8))

test('every voice speaks every language', async () => {
  const all = voices.flatMap((voice: { engine_voice: string }) =>
    LANGUAGES.map((language) => [voice.engine_voice, language]),
  )
  const wavs = await Promise.all(
    all.map(([voice, language]: [string, string]) => speak(voice, '1, 2, 3, 4.', language)),
  )
  for (const wav of wavs) expect(checkAudio(wav).durationMs).toBeGreaterThan(500)
})

test('every two voices differ clearly, in pitch or in timbre', async () => {
  const measured: { slug: string; pitchHz: number; centroidHz: number }[] = await Promise.all(
    voices.map(async ({ slug, engine_voice }: { slug: string; engine_voice: string }) => ({
      slug,
      ...measureVoice(parseWav(await speak(engine_voice, TEXT, 'English'))),
    })),
  )
  const alike = measured.flatMap((a, i) =>
    measured
      .slice(i + 1)
      .filter(
        (b) =>
          ratio(a.pitchHz, b.pitchHz) < CLEAR_PITCH_RATIO && ratio(a.centroidHz, b.centroidHz) < CLEAR_CENTROID_RATIO,
      )
      .map((b) => [a, b]),
  )
  expect(alike).toEqual([])
})

const ratio = (a: number, b: number) => Math.max(a, b) / Math.min(a, b)
