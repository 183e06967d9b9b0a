import { afterAll, describe, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { openRecordings } from '../../src/audio/recordings.ts'
import { similarity, sweep } from '../setup/speech/sound.ts'

const threads = new AudioThreads(1)
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

/** A WAV file of one channel in an encoding of one byte or more a sample. */
const wavIn = (code: number, bits: number, write: (sample: number) => Buffer, isExtensible = false): Buffer => {
  const body = Buffer.concat(Array.from(sweep(2, 16_000).samples, write))
  const format = Buffer.alloc(isExtensible ? 40 : 16)
  format.writeUInt16LE(isExtensible ? 0xfffe : code, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(16_000, 4)
  format.writeUInt32LE((16_000 * bits) / 8, 8)
  format.writeUInt16LE(bits / 8, 12)
  format.writeUInt16LE(bits, 14)
  if (isExtensible) format.writeUInt16LE(code, 24)
  const sized = (tag: string, content: Buffer, length = content.length) => {
    const head = Buffer.from(`${tag}....`)
    head.writeUInt32LE(length, 4)
    return Buffer.concat([head, content])
  }
  // As a program that writes into a pipe leaves it: without the length of what came.
  const isPiped = code === 7
  const all = Buffer.concat([Buffer.from('WAVE'), sized('fmt ', format), sized('data', body, isPiped ? 0 : undefined)])
  return sized('RIFF', all)
}
const bytesOf = (bytes: number, write: (buffer: Buffer, sample: number) => void) => (sample: number) => {
  const buffer = Buffer.alloc(bytes)
  write(buffer, sample)
  return buffer
}
/** ITU-T G.711: the sign, the segment and four bits of the step. */
const logarithmic = (bias: number, turn: (sign: number, code: number) => number) => (sample: number) => {
  const level = Math.min(32_635, Math.abs(sample)) + bias
  const segment = Math.max(0, Math.floor(Math.log2(level)) - 7)
  const code = (segment << 4) | ((level >> Math.max(bias === 0 ? 4 : 3, segment + 3)) & 0x0f)
  return Buffer.from([turn(sample < 0 ? 0x80 : 0, code)])
}

describe('recordings', () => {
  test.each([
    [
      '8 bits',
      wavIn(
        1,
        8,
        bytesOf(1, (one, sample) => one.writeUInt8((sample >> 8) + 128)),
      ),
    ],
    [
      '32 bits, extensible',
      wavIn(
        1,
        32,
        bytesOf(4, (one, sample) => one.writeInt32LE(sample * 65_536)),
        true,
      ),
    ],
    [
      '64-bit floats',
      wavIn(
        3,
        64,
        bytesOf(8, (one, sample) => one.writeDoubleLE(sample / 32_768)),
      ),
    ],
    [
      'A-law',
      wavIn(
        6,
        8,
        logarithmic(0, (sign, code) => code ^ sign ^ 0xd5),
      ),
    ],
    [
      'mu-law',
      wavIn(
        7,
        8,
        logarithmic(0x84, (sign, code) => ~(code | sign) & 0xff),
      ),
    ],
  ])('WAV in %s is the same sound', async (_encoding, file) => {
    const judged = await recordings.read('one', file)
    if (!('wav' in judged)) throw new Error(judged.violation)
    expect(judged.wav.samples.length / 24_000).toBeCloseTo(2, 1)
    expect(similarity(sweep(2, 24_000), judged.wav).score).toBeGreaterThan(0.95)
  })

  test.each([
    ['WAV with ADPCM', wavIn(2, 8, () => Buffer.from([0x5a]))],
    ['WAV with compressed sound', wavIn(0x9999, 8, () => Buffer.from([0x5a]))],
    ['AIFF', Buffer.from('FORM\0\0\x10\0AIFFCOMM')],
    ['Ogg with Vorbis', Buffer.from(`OggS\0\x02${'\0'.repeat(22)}\x01vorbis`)],
    ['Windows Media', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')],
  ])('%s is refused by its name', async (name, file) => {
    const judged = (await recordings.read('one', file)) as { violation: string }
    expect(judged.violation).toMatch(new RegExp(`^is ${name}, which is not read here: send WAV`))
  })

  test('WAV of any depth, FLAC, MP3 and Opus become the same sound, mono at 24 kHz', async () => {
    const original = sweep(2, 24_000)
    const files = [
      wavBytes(24, 44_100, 2),
      wavBytes(32, 48_000, 2),
      ...(await Promise.all((['flac', 'mp3', 'opus'] as const).map((format) => threads.encode(original, format)))),
    ]
    for (const file of files) {
      const judged = await recordings.read('one', file)
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
      recordings.read('one', file),
      recordings.read('one', Buffer.from('This is no audio. '.repeat(1000))),
      recordings.read('one', Buffer.from('\0\0\0\x20ftypM4A isom')),
      recordings.read('one', new Uint8Array(0)),
    ])
    expect(long).toMatchObject({ violation: expect.stringMatching(/it lasts longer$/) })
    expect(junk).toEqual({ violation: 'is no audio that can be read: send WAV, FLAC, MP3, Ogg Opus or WebM' })
    expect(aac).toMatchObject({ violation: expect.stringContaining('AAC') })
    expect(none).toEqual(junk)
    expect(process.memoryUsage().rss - begun).toBeLessThan(200 * 2 ** 20)
  })

  test.each([
    ['MP3 frames of free format', Buffer.from('fffb0000fffb0000000000000000000000000000', 'hex')],
    ['MP3 frames that hold none', Buffer.from('fffb90640000', 'hex')],
    ['ID3 tags', Buffer.from('49443304000000000000', 'hex')],
    ['pages of Ogg', Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(20), Buffer.from([1, 1, 0])])],
    ['chunks of WAV', Buffer.from('RIFF\0\0\0\0WAVEjunk\0\0\0\0', 'latin1')],
  ])(
    '10 MiB of %s without a sound cost at most two seconds, or three times as much as 256 KiB',
    async (_what, unit) => {
      const cost = async (bytes: number): Promise<number> => {
        const file = Buffer.alloc(bytes, unit)
        const begun = process.cpuUsage()
        expect(await recordings.read('one', file)).toHaveProperty('violation')
        const { user, system } = process.cpuUsage(begun)
        return (user + system) / 1000
      }
      expect(await cost(10 * 2 ** 20)).toBeLessThan(Math.max(2000, 3 * (await cost(2 ** 18))))
    },
  )

  test('one owner is read one file at a time, and another one in its turn', async () => {
    const tone = Buffer.from(await threads.encode(sweep(2, 24_000), 'wav'))
    const order: string[] = []
    const read = (owner: string) => recordings.read(owner, tone).then(() => order.push(owner))
    await Promise.all([...['one', 'one', 'one', 'one'].map(read), read('two')])
    expect(order.indexOf('two')).toBeLessThan(3)
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
