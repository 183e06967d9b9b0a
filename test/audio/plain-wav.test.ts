import { expect, test } from 'vitest'
import { findWav } from '../../src/audio/plain-wav.ts'
import { writeWav } from '../../src/audio/wav.ts'

/** A WAV file with so many empty chunks in front of its own. */
function behindChunks(count: number): Buffer {
  const wav = Buffer.from(writeWav(new Int16Array(8), 8_000))
  const chunk = Buffer.from('junk\0\0\0\0', 'latin1')
  return Buffer.concat([wav.subarray(0, 12), Buffer.alloc(count * chunk.length, chunk), wav.subarray(12)])
}

test('a WAV file may have chunks of others in front of its samples, and none is walked through that has nothing else', () => {
  expect(findWav(behindChunks(20))).toMatchObject({ code: 1, bits: 16, sampleRate: 8_000 })
  expect(findWav(behindChunks(1_300_000))).toBeNull()
})
