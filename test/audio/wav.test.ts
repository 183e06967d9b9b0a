import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readWav } from '../../src/audio/plain-wav.ts'
import { durationMs, joinSamples, writeWav } from '../../src/audio/wav.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'

const samples = Int16Array.from({ length: 1000 }, (_, i) => (i * 37) % 20_000)

test('what is written is read back', () => {
  fc.assert(
    fc.property(fc.int16Array(), fc.integer({ min: 1, max: 384_000 }), (data, sampleRate) => {
      const file = writeWav(data, sampleRate)
      expect(parseWav(file)).toEqual({ sampleRate, channels: 1, samples: data })
      expect(readWav(file)).toEqual({ sampleRate, channels: 1, samples: data })
    }),
  )
})

test('joined samples are written without another copy', async () => {
  const joined = await joinSamples([samples, new Int16Array(0), samples.subarray(3)])
  expect([...joined]).toEqual([...samples, ...samples.subarray(3)])
  const file = writeWav(joined, 8000)
  expect(file.buffer).toBe(joined.buffer)
  expect(file).toEqual(writeWav(Int16Array.from(joined), 8000))
})

test('the duration is samples over rate, in milliseconds', () => {
  expect(durationMs({ sampleRate: 22_050, channels: 1, samples: new Int16Array(33_075) })).toBe(1500)
})

test('a file that begins at an odd address is read', () => {
  const shifted = new Uint8Array(writeWav(samples, 8000).length + 1)
  shifted.set(writeWav(samples, 8000), 1)
  expect(readWav(shifted.subarray(1))?.samples).toEqual(samples)
  expect(readWav(Buffer.from(shifted.buffer, 1))?.samples).toEqual(samples)
})

test.each([
  ['nothing', ''],
  ['HTML', '<!doctype html><title>502 Bad Gateway</title>'],
  ['big-endian', 'RIFX\x24\0\0\0WAVEfmt '],
])('%s is no WAV file', (_, content) => expect(readWav(Buffer.from(content, 'latin1'))).toBeNull())

test('any damage gives samples or nothing, never a crash', () => {
  const header = fc.uint8Array({ minLength: 0, maxLength: 60 })
  fc.assert(
    fc.property(header, fc.nat(60), (bytes, at) => {
      const file = writeWav(samples, 22_050)
      file.set(bytes.subarray(0, file.length - at), at)
      expect(readWav(file)?.samples.length ?? 0).toBeLessThanOrEqual(file.length)
    }),
  )
})
