import { describe, expect, test } from 'vitest'
import { findWav, readWav } from '../../src/audio/plain-wav.ts'
import { readRawSamples } from '../../src/audio/speech-reader.ts'
import { writeWav } from '../../src/audio/wav.ts'

const samples = Int16Array.from({ length: 1000 }, (_, at) => Math.round(20_000 * Math.sin(at / 9)))
const plain = Buffer.from(writeWav(samples, 24_000))
const chunk = (name: string, content: Buffer, size = content.length): Buffer => {
  const head = Buffer.from(`${name}....`)
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, content])
}
const fmt = plain.subarray(12, 36)
const body = plain.subarray(44)
const riff = (...chunks: readonly Buffer[]): Buffer => chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]))
const heard = (bytes: Uint8Array) => readWav(bytes)?.samples

/** A WAV file with so many empty chunks in front of its own. */
function behindChunks(count: number): Buffer {
  const empty = Buffer.from('junk\0\0\0\0', 'latin1')
  return Buffer.concat([plain.subarray(0, 12), Buffer.alloc(count * empty.length, empty), plain.subarray(12)])
}

test('a WAV file may have chunks of others in front of its samples, and none is walked through that has nothing else', () => {
  expect(findWav(behindChunks(20))).toMatchObject({ code: 1, bits: 16, sampleRate: 24_000 })
  expect(findWav(behindChunks(1_300_000))).toBeNull()
})

describe('all samples are read, whatever the header says of their length', () => {
  test.each([0, 1, 600, 0x7ffff000, 0x7fffffff - 36, 0x80000000, 0xffffffff - 44, 0xffffffff, 2_000_000_000])(
    '%i',
    (size) => {
      expect(heard(riff(fmt, chunk('data', body, size)))).toEqual(samples)
      const file = Buffer.from(plain)
      for (const at of [4, 40]) file.writeUInt32LE(size, at)
      expect(heard(file)).toEqual(samples)
    },
  )

  test('what stands before and behind them is none of them, padded or not', () => {
    const odd = Buffer.from('abc')
    const padded = Buffer.concat([chunk('LIST', odd), Buffer.alloc(1)])
    for (const other of [padded, chunk('LIST', odd), chunk('fact', Buffer.alloc(4)), chunk('JUNK', Buffer.alloc(28))]) {
      expect(heard(riff(other, fmt, other, chunk('data', body), other))).toEqual(samples)
      expect(heard(Buffer.concat([riff(fmt, chunk('data', body)), other]))).toEqual(samples)
    }
    expect(heard(riff(fmt, chunk('LIST', odd, 0xffffffff), chunk('data', body)))).toEqual(samples)
  })

  test('a file of more than four gigabytes by its name is read like any other', () => {
    expect(heard(Buffer.concat([Buffer.from('RF64'), riff(fmt, chunk('data', body, 0xffffffff)).subarray(4)]))).toEqual(
      samples,
    )
  })
})

describe('samples without a header are read as their media type says', () => {
  const swapped = Buffer.from(body).swap16()
  const stereo = Buffer.concat(Array.from(samples, (sample) => Buffer.from(Int16Array.of(sample, sample).buffer)))
  const floats = Buffer.from(Float32Array.from(samples, (sample) => sample / 32_768).buffer)
  test.each([
    ['audio/pcm;rate=24000', body, 24_000],
    ['audio/pcm', body, 24_000],
    ['Audio/PCM; Rate="16000"; channels=2', stereo, 16_000],
    ['audio/L16;rate=16000;channels=1', swapped, 16_000],
    ['audio/l16; rate=44100; endianness=little-endian', body, 44_100],
    ['audio/L16;codec=pcm;rate=24000', body, 24_000],
    ['audio/x-raw, format=(string)S16LE, rate=(int)22050, channels=(int)1', body, 22_050],
    ['audio/x-raw;format=S16BE;rate=8000', swapped, 8000],
    ['audio/x-raw;format=F32LE;rate=48000', floats, 48_000],
    ['audio/raw;encoding=signed-integer;bits=16;rate=16000;endian=little', body, 16_000],
    ['audio/pcm;sample_rate=96000;encoding=pcm_s16le', body, 96_000],
  ])('%s', (type, bytes, rate) => {
    expect(readRawSamples(bytes, type)).toEqual({ sampleRate: rate, channels: 1, samples })
  })

  test.each(['audio/wav', 'audio/mpeg', 'text/html', 'application/octet-stream', '', 'audio/pcm;channels=0'])(
    'and as nothing where that is "%s"',
    (type) => {
      const read = readRawSamples(body, type)
      expect(read === null || type.startsWith('audio/pcm')).toBe(true)
    },
  )
})
