import { expect, test } from 'vitest'
import { concatenated } from '../../src/audio/encoding.ts'
import type { Wav } from '../../src/audio/wav.ts'
import { ChunkJoiner, type RenderedChunk, recordingOf, toFile } from '../../src/voice/join.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'

const joinChunks = (chunks: readonly RenderedChunk[]): Wav => {
  const joiner = new ChunkJoiner(chunks.length)
  const samples = concatenated(chunks.map((chunk) => joiner.push(chunk)))
  return recordingOf(joiner, samples)
}
const RATE = 10_000
const MS = RATE / 1000
const tone = (ms: number, silentBefore = 0, silentAfter = 0): Wav => {
  const samples = new Int16Array((ms + silentBefore + silentAfter) * MS)
  samples.fill(5000, silentBefore * MS, (silentBefore + ms) * MS)
  return { sampleRate: RATE, channels: 1, samples }
}
const lengthMs = (chunks: readonly RenderedChunk[]) => joinChunks(chunks).samples.length / MS

test('a single chunk stays as it is', () => {
  const audio = tone(100, 500, 500)
  expect(joinChunks([{ audio, pause: 'none' }]).samples).toBe(audio.samples)
})

test('silence at the edges is shortened to 60 ms and to 100 ms at the end, less stays as it is', () => {
  const silent = tone(100, 900, 900)
  expect(lengthMs([silent, silent].map((audio) => ({ audio, pause: 'none' })))).toBe(60 + 100 + 60 + (60 + 100 + 100))
  const close = tone(100, 10, 0)
  expect(lengthMs([close, close].map((audio) => ({ audio, pause: 'none' })))).toBe(2 * 110)
})

test.each([
  ['paragraph', 600],
  ['sentence', 300],
  ['clause', 120],
  ['none', 0],
] as const)('after a %s there are %d ms of silence, and none after the last chunk', (pause, ms) => {
  const audio = tone(100)
  expect(
    lengthMs([
      { audio, pause },
      { audio, pause },
    ]),
  ).toBe(200 + ms)
  const { samples } = joinChunks([
    { audio, pause },
    { audio, pause: 'none' },
  ])
  expect(samples.slice(100 * MS, (100 + ms) * MS).every((sample) => sample === 0)).toBe(true)
})

test.each([0.25, 4])('at a pace of %d pauses are as much longer or shorter, but not what the text asks for', (pace) => {
  const audio = tone(100)
  const chunks = [
    { audio, pause: 'paragraph', pace, silenceMs: 1000 } as const,
    { audio, pause: 'none', pace } as const,
  ]
  expect(lengthMs(chunks)).toBe(200 + 600 / pace + 1000)
})

test('every chunk rises from zero and falls to zero within 10 ms, and is untouched between', () => {
  const { samples } = joinChunks([
    { audio: tone(100), pause: 'none' },
    { audio: tone(100), pause: 'none' },
  ])
  for (const start of [0, 100 * MS]) {
    const chunk = samples.slice(start, start + 100 * MS)
    expect([chunk[0], chunk.at(-1)]).toEqual([0, 0])
    expect(chunk[5 * MS]).toBe(2500)
    expect(chunk.slice(10 * MS, 90 * MS).every((sample) => sample === 5000)).toBe(true)
  }
})

test('a chunk with nothing to say is its pause', () => {
  const audio = tone(100)
  expect(
    lengthMs([
      { audio, pause: 'paragraph' },
      { audio: null, pause: 'paragraph' },
      { audio, pause: 'none' },
    ]),
  ).toBe(200 + 1200)
})

test('the chunks that were rendered are not changed', () => {
  const audio = tone(100)
  joinChunks([
    { audio, pause: 'none' },
    { audio, pause: 'none' },
  ])
  expect(audio).toEqual(tone(100))
})

test('the file is one WAV with true sizes', () => {
  const file = toFile(
    joinChunks([
      { audio: tone(100), pause: 'sentence' },
      { audio: tone(100), pause: 'none' },
    ]),
  )
  const view = Buffer.from(file)
  expect([view.readUInt32LE(4), view.readUInt32LE(40)]).toEqual([file.length - 8, file.length - 44])
  expect(parseWav(file).samples).toHaveLength(500 * MS)
})

test('chunks of different rates are RENDER_FAILED, and so is nothing at all', () => {
  const other = { ...tone(100), sampleRate: 8000 }
  expect(() =>
    joinChunks([
      { audio: tone(100), pause: 'none' },
      { audio: other, pause: 'none' },
    ]),
  ).toThrow(expect.objectContaining({ code: 'RENDER_FAILED' }))
  expect(() => joinChunks([{ audio: null, pause: 'none' }])).toThrow(expect.objectContaining({ code: 'RENDER_FAILED' }))
})
