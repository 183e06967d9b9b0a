import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { concatenated } from '../../src/audio/encoding.ts'
import { type Wav, writeWav } from '../../src/audio/wav.ts'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import { MAX_SPEECH_SECONDS, SpeechAssembly, type SpokenChunk, type SpokenPart } from '../../src/voice/assemble.ts'
import { ChunkJoiner } from '../../src/voice/join.ts'
import { speakText } from '../../src/voice/speak-text.ts'
import { splitForListener, splitText } from '../../src/voice/split.ts'

const RATE = 8000
const PAUSES = ['paragraph', 'sentence', 'clause', 'none'] as const

const chunk = fc.record({
  pause: fc.constantFrom(...PAUSES),
  sound: fc.option(fc.record({ length: fc.integer({ min: 1, max: 900 }), peak: fc.integer({ min: 0, max: 32_000 }) })),
})
const texts = fc.array(chunk, { minLength: 2, maxLength: 8 }).chain((chunks) =>
  fc.record({
    chunks: fc.constant(chunks),
    order: fc.shuffledSubarray([...chunks.keys()], { minLength: chunks.length, maxLength: chunks.length }),
  }),
)
const tone = (length: number, peak: number): Wav => ({
  sampleRate: RATE,
  channels: 1,
  samples: Int16Array.from({ length }, (_, at) => Math.round(peak * Math.sin(at / 3))),
})
const loudness = (target: number) => ({ blocks: [0.01], truePeak: 0.4, target })

describe('the parts of a text', () => {
  test('are its recording, sample by sample, in whatever order its chunks were spoken, those without sound included', async () => {
    const holds = fc.asyncProperty(texts, async ({ chunks, order }) => {
      const spoken = chunks.map(({ sound }): SpokenChunk | null =>
        sound === null ? null : { audio: tone(sound.length, sound.peak), loudness: loudness(-19) },
      )
      const parts: SpokenPart[] = []
      const named = chunks.map(({ pause }, at) => ({ text: 'ab', start: at * 3, pause }))
      const assembly = new SpeechAssembly(named, { onPart: (part) => parts.push(part) })
      for (const index of order) assembly.add(index, spoken[index] ?? null)
      if (spoken.every((one) => one === null)) {
        await expect(assembly.finish()).rejects.toThrow('No part')
        return
      }
      const { audio, timing } = await assembly.finish()
      const joined = parts.flatMap(({ wav }) => [...wav.samples])
      expect(joined).toEqual([...audio.samples])
      expect(parts.map(({ index }) => index)).toEqual([...chunks.keys()])
      expect(timing).toHaveLength(chunks.length)
      for (const [at, { from, to, textStart }] of timing.entries()) {
        expect(from).toBeGreaterThanOrEqual(timing[at - 1]?.to ?? 0)
        expect(to).toBeLessThanOrEqual(audio.samples.length)
        expect(textStart).toBe(at * 3)
      }
    })
    await fc.assert(holds, { numRuns: 150 })
  })

  test('leave as soon as all before them have been spoken', () => {
    const heard: number[] = []
    const named = [0, 1, 2].map((start) => ({ text: 'a', start, pause: 'none' as const }))
    const assembly = new SpeechAssembly(named, { onPart: ({ index }) => heard.push(index) })
    const spoken = { audio: tone(100, 9000), loudness: undefined }
    assembly.add(2, spoken)
    assembly.add(1, spoken)
    expect(heard).toEqual([])
    assembly.add(0, spoken)
    expect(heard).toEqual([0, 1, 2])
  })

  test('without a listener a recording is what it always was: all chunks decide how loud it is', async () => {
    const named = PAUSES.map((pause, at) => ({ text: 'a', start: at, pause }))
    const assembly = new SpeechAssembly(named)
    const chunks = PAUSES.map((pause, at) => ({ audio: tone(500, 3000 * (at + 1)), pause }))
    for (const [index, { audio }] of chunks.entries()) assembly.add(index, { audio, loudness: undefined })
    const joiner = new ChunkJoiner(chunks.length)
    expect((await assembly.finish()).audio.samples).toEqual(concatenated(chunks.map((one) => joiner.push(one))))
  })

  test('of more than three hours is none that a text was meant to be', () => {
    const named = [0, 1, 2].map((start) => ({ text: 'a', start, pause: 'none' as const }))
    const assembly = new SpeechAssembly(named)
    const half = { audio: { ...tone((MAX_SPEECH_SECONDS / 2) * 100, 9000), sampleRate: 100 }, loudness: undefined }
    assembly.add(0, half)
    expect(() => {
      assembly.add(1, half)
      assembly.add(2, half)
    }).toThrow('longer than 3 hours')
  })
})

describe('a text whose listener waits', () => {
  const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(20)

  test('begins with a short chunk, and loses nothing', () => {
    const words = fc.array(fc.constantFrom('Mr. ', 'one ', 'two, ', 'three. ', '3.5 ', 'vier! ', '\n\n', '好。'), {
      maxLength: 200,
    })
    const holds = fc.property(words, (parts) => {
      const text = parts.join('')
      const chunks = splitForListener(text, 'English')
      expect(
        chunks
          .map((one) => one.text)
          .join('')
          .replaceAll(/\s/g, ''),
      ).toBe(text.replaceAll(/\s/g, ''))
      for (const { text: part, start } of chunks) expect(text.slice(start, start + part.length)).toBe(part)
      if (chunks.length > 1 && splitText(text, 'English').length === 1) expect(chunks[0]!.text.length).toBeLessThan(121)
    })
    fc.assert(holds, { numRuns: 100 })
    expect(splitForListener(LONG, 'English')[0]!.text).toBe(LONG.slice(0, 77).trim())
    expect(splitForListener('Short enough to be heard at once.', 'English')).toHaveLength(1)
  })

  test('is cut at a clause where its first sentence is long', () => {
    const text = `${'and so it went on for a long while, '.repeat(8)}until it ended.`
    expect(splitForListener(text, 'English')[0]!.text).toMatch(/^.{40,120},$/)
  })
})

describe('the embedded engine', () => {
  const espeak = openEspeak({ threads: 2, log: openLog('silent') })
  afterAll(() => espeak.close())
  const voice = {
    slug: 'a',
    kind: 'preset',
    engineVoice: 'en-us+f3',
    referenceAudio: null,
    referenceText: null,
  } as const
  const request = (text: string) => ({ text, voice, extra: {}, seed: 1, signal: new AbortController().signal })
  const LONG =
    `${'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(20)}\n\n- - -\n\n` +
    'Shout, loudly: this is the end of it! '.repeat(9)

  test.each([
    ['Hello! This is Sonant, speaking.', 'b0b74555a989182270ccf9f5ef5346309fbaae573ffb438d2ad2a90e84b18869'],
    [LONG, 'aeaff3f2abecbf3a39a4886e7da62b0d797965cf8555df0d855c7a455510f1c4'],
  ])('speaks what is not listened to in the very bytes of the first release: %.12s', async (text, sha256) => {
    const { audio } = await speakText(espeak, request(text))
    expect(createHash('sha256').update(writeWav(audio.samples, audio.sampleRate)).digest('hex')).toBe(sha256)
  })

  test('speaks the same parts every time, and they are the whole', async () => {
    const hear = async () => {
      const parts: SpokenPart[] = []
      const { audio, chunks } = await speakText(espeak, request(LONG), { onPart: (part) => parts.push(part) })
      return { parts, audio, chunks }
    }
    const [first, second] = [await hear(), await hear()]
    expect(first.parts).toHaveLength(first.chunks)
    expect(second.parts).toEqual(first.parts)
    expect(concatenated(first.parts.map(({ wav }) => wav.samples))).toEqual(first.audio.samples)
  })
})
