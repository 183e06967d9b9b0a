import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { durationMs } from '../../../src/audio/wav.ts'
import { LANGUAGES } from '../../../src/engines/espeak/detect-language.ts'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { ESPEAK_LANGUAGES } from '../../../src/engines/espeak/espeak-voice.ts'
import { integratedLufs, measureLoudness } from '../../../src/engines/loudness.ts'
import { openLog } from '../../../src/values/log.ts'
import { checkAudio, speakText } from '../../../src/voice/speak-text.ts'
import { measureVoice } from '../../setup/speech/measure-voice.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog while the sun sets slowly in the west.'
const CLEAR_PITCH_RATIO = 1.1
const CLEAR_CENTROID_RATIO = 1.15
/** Voices of one kind differ less, in pitch and in timbre. */
const FAR_PITCH_RATIO = 1.1
const FAR_CENTROID_RATIO = 1.3

const file = new URL('../../../src/catalog/published-tts.yaml', import.meta.url)
const { endpoints } = parse(readFileSync(file, 'utf8'))
const [{ voices, inputs }] = endpoints
const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

const speak = async (engineVoice: string, text: string, language: string) => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  return (await engine.speak({ text, language, voice, extra: {}, signal: new AbortController().signal })).audio
}

test('the endpoint’s languages are the engine’s, and auto', () => {
  expect(inputs.properties.language.enum).toEqual(['auto', ...LANGUAGES])
  expect(Object.keys(ESPEAK_LANGUAGES)).toEqual([...LANGUAGES])
})

test('there are at least eight voices', () => expect(voices.length).toBeGreaterThanOrEqual(8))

test('every voice speaks every language', { timeout: 120_000 }, async () => {
  const all = voices.flatMap((voice: { engine_voice: string }) =>
    LANGUAGES.map((language) => [voice.engine_voice, language]),
  )
  const wavs = await Promise.all(
    all.map(([voice, language]: [string, string]) => speak(voice, '1, 2, 3, 4.', language)),
  )
  for (const wav of wavs) {
    checkAudio(wav)
    expect(durationMs(wav)).toBeGreaterThan(500)
  }
})

const measured: Promise<{ slug: string; pitchHz: number; centroidHz: number }[]> = Promise.all(
  voices.map(async ({ slug, engine_voice }: { slug: string; engine_voice: string }) => ({
    slug,
    ...measureVoice(await speak(engine_voice, TEXT, 'English')),
  })),
)

test.each([
  ['aria', 'clara', 'stella'],
  ['leo', 'theo', 'hugo'],
])('%s, %s and %s differ in pitch and in timbre', async (...slugs) => {
  const of = (await measured).filter(({ slug }) => slugs.includes(slug))
  for (const [a, b] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const) {
    expect(ratio(of[a]!.pitchHz, of[b]!.pitchHz)).toBeGreaterThan(FAR_PITCH_RATIO)
    expect(ratio(of[a]!.centroidHz, of[b]!.centroidHz)).toBeGreaterThan(FAR_CENTROID_RATIO)
  }
})

describe('every voice has -19 LUFS and peaks below -1 dBTP, whatever its loudness by itself', () => {
  const spoken = async (engineVoice: string, styleInstruction?: string) => {
    const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
    const request = { text: TEXT, language: 'English', voice, extra: {}, signal: new AbortController().signal }
    const { audio } = await speakText(engine, {
      ...request,
      ...(styleInstruction !== undefined && { styleInstruction }),
    })
    const { samples, sampleRate } = audio
    const { blocks, truePeak } = measureLoudness(samples, sampleRate)
    return { lufs: integratedLufs(blocks), dbtp: 20 * Math.log10(truePeak) }
  }

  test.each(voices as { slug: string; engine_voice: string }[])('$slug, within 1 dB', async ({ engine_voice }) => {
    const { lufs, dbtp } = await spoken(engine_voice)
    expect(Math.abs(lufs + 19)).toBeLessThan(1)
    expect(dbtp).toBeLessThanOrEqual(-1)
  })

  test.each(['whisper', 'softly', 'loudly', 'shouting', 'very excited'])('%s, within 4 dB', async (style) => {
    for (const engineVoice of ['en-us+m7', 'en-us+belinda']) {
      const { lufs, dbtp } = await spoken(engineVoice, style)
      expect(Math.abs(lufs + 19)).toBeLessThan(4)
      expect(dbtp).toBeLessThanOrEqual(-1)
    }
  })
})

test('every two voices differ clearly, in pitch or in timbre', async () => {
  const all = await measured
  const alike = all.flatMap((a, i) =>
    all
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
