import { expect, test } from 'vitest'
import { readPeaks } from '../../../src/console/parts/read-peaks.ts'

/** PCM of 16 bits in a WAV file, with a chunk in front that readers skip. */
const wav = (samples: readonly number[]): ArrayBuffer => {
  const file = Buffer.alloc(12 + 24 + 10 + 8 + 2 * samples.length)
  file.write('RIFF', 0)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(16, 34)
  file.write('LIST', 36)
  file.writeUInt32LE(2, 40)
  file.write('data', 46)
  file.writeUInt32LE(2 * samples.length, 50)
  for (const [index, sample] of samples.entries()) file.writeInt16LE(sample, 54 + 2 * index)
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer
}

test('each bar is the loudest sample of its stretch, the loudest of all is 1', () => {
  expect([...(readPeaks(wav([0, 100, -8000, 20, 16_000, 1, 0, -4000]), 4) ?? [])]).toEqual(
    [0.00625, 0.5, 1, 0.25].map(Math.fround),
  )
})

test('silence has bars of nothing, and what is no such file has none', () => {
  expect([...(readPeaks(wav([0, 0]), 2) ?? [])]).toEqual([0, 0])
  expect([
    readPeaks(new ArrayBuffer(0), 4),
    readPeaks(new TextEncoder().encode('ID3 not a wave file').buffer as ArrayBuffer, 4),
  ]).toEqual([null, null])
})
