import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationMs, parseWav, writeWav } from '../../src/audio/wav.ts'

const samples = Int16Array.from({ length: 1000 }, (_, i) => (i * 37) % 20_000)
const withBytes = (offset: number, ...bytes: number[]) => {
  const file = writeWav(samples, 22_050)
  file.set(bytes, offset)
  return file
}
const ascii = (text: string) => [...Buffer.from(text)]
const insert = (file: Uint8Array, at: number, bytes: number[]) =>
  Uint8Array.from([...file.slice(0, at), ...bytes, ...file.slice(at)])

test('what is written is read back', () => {
  fc.assert(
    fc.property(fc.int16Array(), fc.integer({ min: 1, max: 384_000 }), (data, sampleRate) => {
      expect(parseWav(writeWav(data, sampleRate))).toEqual({ sampleRate, channels: 1, samples: data })
    }),
  )
})

test('the duration is samples over rate, in milliseconds', () => {
  expect(durationMs(parseWav(writeWav(new Int16Array(33_075), 22_050)))).toBe(1500)
})

describe('tolerated', () => {
  test('sizes that a streaming server did not know', () => {
    expect(parseWav(withBytes(4, 255, 255, 255, 255)).samples).toEqual(samples)
    expect(parseWav(withBytes(40, 255, 255, 255, 255)).samples).toEqual(samples)
  })

  test('other chunks, padded to an even length', () => {
    const odd = [...ascii('LIST'), 3, 0, 0, 0, 1, 2, 3, 0]
    expect(parseWav(insert(writeWav(samples, 8000), 12, odd)).samples).toEqual(samples)
    expect(parseWav(insert(writeWav(samples, 8000), 36, odd)).samples).toEqual(samples)
    expect(parseWav(Uint8Array.from([...writeWav(samples, 8000), ...odd])).samples).toEqual(samples)
  })

  test('a file that begins at an odd address', () => {
    const shifted = new Uint8Array(writeWav(samples, 8000).length + 1)
    shifted.set(writeWav(samples, 8000), 1)
    expect(parseWav(shifted.subarray(1)).samples).toEqual(samples)
    expect(parseWav(Buffer.from(shifted.buffer, 1)).samples).toEqual(samples)
  })
})

describe('refused, saying why', () => {
  test.each([
    ['nothing', new Uint8Array(), /not a WAV/],
    ['HTML', Uint8Array.from(ascii('<!doctype html><title>502 Bad Gateway</title>')), /not a WAV/],
    ['big-endian', withBytes(0, ...ascii('RIFX')), /not a WAV/],
    ['stereo', withBytes(22, 2), /not PCM 16-bit mono/],
    ['8 bits', withBytes(34, 8), /not PCM 16-bit mono/],
    ['floats', withBytes(20, 3), /not PCM 16-bit mono/],
    ['a rate of zero', withBytes(24, 0, 0, 0, 0), /sample rate/],
    ['cut off', writeWav(samples, 8000).subarray(0, 500), /cut off/],
    ['no data', writeWav(samples, 8000).subarray(0, 36), /no samples/],
    ['no format', withBytes(12, ...ascii('junk')), /before their format/],
    ['a short format', withBytes(16, 8, 0, 0, 0), /broken format/],
  ])('%s', (_, bytes, reason) => expect(() => parseWav(bytes)).toThrow(reason))

  test('any damage gives samples or a plain error, never a crash', () => {
    const header = fc.uint8Array({ minLength: 0, maxLength: 60 })
    fc.assert(
      fc.property(header, fc.nat(60), (bytes, at) => {
        const file = writeWav(samples, 22_050)
        file.set(bytes.subarray(0, file.length - at), at)
        try {
          expect(parseWav(file).samples.length).toBeLessThanOrEqual(file.length / 2)
        } catch (error) {
          expect((error as Error).message).toMatch(/WAV file/)
        }
      }),
    )
  })
})
