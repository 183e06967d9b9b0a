import { afterAll, describe, expect, test } from 'vitest'
import { openAudioThreads } from '../../src/audio/audio-threads.ts'
import { openRecordings } from '../../src/audio/recordings.ts'
import { similarity, sweep } from '../setup/sound.ts'

const threads = openAudioThreads(1)
const recordings = openRecordings()
afterAll(() => threads.close())

const wavBytes = (bits: 24 | 32, sampleRate: number, seconds: number): Buffer => {
  const { samples } = sweep(seconds, sampleRate)
  const bytes = bits / 8
  const body = Buffer.alloc(samples.length * 2 * bytes)
  samples.forEach((sample, at) => {
    for (const channel of [0, 1]) {
      const place = (at * 2 + channel) * bytes
      if (bits === 32) body.writeFloatLE(sample / 32_768, place)
      else body.writeIntLE(sample * 256, place, bytes)
    }
  })
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + body.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(bits === 32 ? 3 : 1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * 2 * bytes, 28)
  head.writeUInt16LE(2 * bytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  head.writeUInt32LE(body.length, 40)
  return Buffer.concat([head, body])
}

describe('recordings', () => {
  test('WAV of any depth, FLAC, MP3 and Opus become the same sound, mono at 24 kHz', async () => {
    const original = sweep(2, 24_000)
    const files = [
      wavBytes(24, 44_100, 2),
      wavBytes(32, 48_000, 2),
      ...(await Promise.all((['flac', 'mp3', 'opus'] as const).map((format) => threads.encode(original, format)))),
    ]
    for (const file of files) {
      const judged = await recordings.read(file)
      if (!('wav' in judged)) throw new Error(judged.violation)
      expect(judged.wav.sampleRate).toBe(24_000)
      expect(judged.wav.samples.length / 24_000).toBeCloseTo(2, 0)
      expect(similarity(original, judged.wav).score).toBeGreaterThan(0.95)
    }
  })

  test('five minutes in a small file are not decoded to their end, and junk, AAC and no bytes are no audio', async () => {
    const loud = new Int16Array(300 * 24_000)
    for (let at = 0; at < loud.length; at++) loud[at] = at % 200 < 100 ? 4000 : -4000
    const file = await threads.encode({ sampleRate: 24_000, channels: 1, samples: loud }, 'flac')
    const begun = process.memoryUsage().rss
    const [long, junk, aac, none] = await Promise.all([
      recordings.read(file),
      recordings.read(Buffer.from('This is no audio. '.repeat(1000))),
      recordings.read(Buffer.from('\0\0\0\x20ftypM4A isom')),
      recordings.read(new Uint8Array(0)),
    ])
    expect(long).toMatchObject({ violation: expect.stringMatching(/it lasts longer$/) })
    expect(junk).toEqual({ violation: 'is no audio that can be read: send WAV, FLAC, MP3, Ogg Opus or WebM' })
    expect(aac).toMatchObject({ violation: expect.stringContaining('AAC') })
    expect(none).toEqual(junk)
    expect(process.memoryUsage().rss - begun).toBeLessThan(200 * 2 ** 20)
  })

  test('an owner has four uploads under way at most, a process sixteen', () => {
    const admitted = Array.from({ length: 5 }, () => recordings.admit('one'))
    expect(admitted.map((release) => release !== null)).toEqual([true, true, true, true, false])
    const others = ['two', 'three', 'four', 'five'].flatMap((owner) => [owner, owner, owner, owner])
    const more = others.map((owner) => recordings.admit(owner))
    expect(more.filter((release) => release !== null)).toHaveLength(12)
    for (const release of [...admitted, ...more]) release?.()
    admitted[0]?.()
    expect(recordings.admit('one')).not.toBeNull()
  })
})
