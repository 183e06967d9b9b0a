import { expect, test } from 'vitest'
import { findWav, readWav } from '../../../../src/audio/plain-wav.ts'
import { judgeRecording } from '../../../../src/audio/read-recording.ts'
import { checkRecording, hasError } from '../../../../src/console/voices/record/check-recording.ts'
import { loudnessOf } from '../../../../src/console/voices/record/levels.ts'
import { wavFile } from '../../../../src/console/voices/record/wav-file.ts'

const RATE = 24_000

interface Speech {
  /** The voice's amplitude, from 0 to 1. */
  readonly level?: number
  readonly noise?: number
  /** Silence before and after it. */
  readonly edges?: number
  readonly gain?: number
}

/** Words of 0.6 s with pauses of 0.3 s, over even noise. */
function speech(seconds: number, { level = 0.3, noise = 0.001, edges = 0, gain = 1 }: Speech = {}): Float32Array {
  const [length, edge] = [Math.round(seconds * RATE), Math.round(edges * RATE)]
  return Float32Array.from({ length: length + 2 * edge }, (_, at) => {
    const time = (at - edge) / RATE
    const isWord = time >= 0 && time < seconds && time % 0.9 < 0.6
    const hiss = noise * Math.sin(at * at * 0.37)
    const sample = gain * ((isWord ? level * Math.sin(2 * Math.PI * 180 * time) : 0) + hiss)
    return Math.max(-1, Math.min(1, sample))
  })
}

const kinds = (samples: Float32Array) =>
  checkRecording(samples, RATE).findings.flatMap(({ kind, found }) => (kind === 'good' ? [] : [`${kind}: ${found}`]))

test('a clear recording of a good length is good in every respect', () => {
  const checked = checkRecording(speech(21), RATE)
  expect(checked.findings.map(({ kind }) => kind)).toEqual(['good', 'good', 'good', 'good'])
  expect(hasError(checked)).toBe(false)
})

test('silence at both ends goes, but for a moment before the first and after the last word', () => {
  const { seconds, samples } = checkRecording(speech(12.3, { edges: 2 }), RATE)
  expect(seconds).toBeGreaterThan(12)
  expect(seconds).toBeLessThan(12.8)
  // The first word comes after 0.1 s.
  expect(samples.findIndex((sample) => Math.abs(sample) > 0.1) / RATE).toBeCloseTo(0.1, 1)
})

test.each([
  ['silence', speech(12, { level: 0, noise: 0 }), 'Nothing was heard'],
  ['a muted microphone that hisses', speech(12, { level: 0, noise: 0.004 }), 'Nothing was heard'],
  ['no samples at all', new Float32Array(0), 'Nothing was heard'],
  ['one word', speech(0.5, { edges: 3 }), 'It lasts 0.7 seconds'],
  ['a whole page', speech(33), 'It lasts 33'],
  ['a voice that is cut off everywhere', speech(20, { gain: 9 }), 'It is too loud'],
])('%s cannot be used', (_, samples, found) => {
  const errors = checkRecording(samples, RATE).findings.filter(({ kind }) => kind === 'error')
  expect(errors).toEqual([
    { kind: 'error', found: expect.stringContaining(found), advice: expect.stringMatching(/\w/) },
  ])
})

test.each([
  ['a short one', speech(5), [/^warning: It lasts 5\.\d seconds/]],
  ['half of the text', speech(12), [/^warning: It lasts 12\.\d seconds/]],
  ['a quiet one', speech(20, { level: 0.015, noise: 0.0001 }), [/^warning: It is quiet/]],
  ['one in a loud room', speech(20, { noise: 0.08 }), [/^warning: The room is loud/]],
  ['one in a room that is heard', speech(20, { noise: 0.015 }), [/^warning: The room is heard/]],
  ['a few places that are too loud', withPeaks(speech(20)), [/^warning: A few places are too loud/]],
])('%s can be used, with a warning that says what to do', (_, samples, expected) => {
  expect(kinds(samples)).toEqual(expected.map((found) => expect.stringMatching(found)))
  expect(hasError(checkRecording(samples, RATE))).toBe(false)
})

test('a microphone that hears no more than a telephone does is named', () => {
  const { findings } = checkRecording(speech(21), 16_000)
  expect(findings.filter(({ kind }) => kind !== 'good').map(({ found }) => found)).toContain(
    'The microphone sounds like a telephone.',
  )
})

test('a file never has more than 96,000 samples a second, so that 30 seconds fit the service', async () => {
  const bytes = new Uint8Array(await wavFile(new Float32Array([0, 0.5, 0.5, 0.5]), 192_000, 'a.wav').arrayBuffer())
  expect(readWav(bytes)).toMatchObject({ sampleRate: 96_000, samples: new Int16Array([8192, 16_384]) })
})

/** A thousandth of the samples at full scale. */
function withPeaks(samples: Float32Array): Float32Array {
  return samples.map((sample, at) => (at % 1000 === 0 ? 1 : sample))
}

test.each([
  speech(21),
  speech(5),
  speech(20, { noise: 0.08 }),
  speech(20, { gain: 9 }),
  speech(33),
  speech(12, { level: 0, noise: 0.004 }),
])('what passes here the service takes, and what does not it refuses: %#', async (samples) => {
  const checked = checkRecording(samples, RATE)
  const file = wavFile(checked.samples, RATE, 'a.wav')
  const wav = readWav(new Uint8Array(await file.arrayBuffer()))
  expect('violation' in judgeRecording(wav!)).toBe(hasError(checked))
})

test('the file is mono WAV of 16 bits with the samples as they were recorded', async () => {
  const bytes = new Uint8Array(await wavFile(new Float32Array([0, 0.5, -0.5, 2, -2]), 48_000, 'a.wav').arrayBuffer())
  expect(findWav(bytes)).toMatchObject({ code: 1, channels: 1 })
  expect(readWav(bytes)).toMatchObject({
    sampleRate: 48_000,
    samples: new Int16Array([0, 16_384, -16_383, 32_767, -32_767]),
  })
})

test('a level is nothing, too quiet, good or too loud', () => {
  expect([0, 0.002, 0.02, 0.2, 0.8, 1].map(loudnessOf)).toEqual(['silent', 'silent', 'quiet', 'good', 'good', 'loud'])
})
