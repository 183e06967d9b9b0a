import { spawnSync } from 'node:child_process'
import { afterAll, describe, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { type AnyFormat, AUDIO_FORMATS, FILE_FORMATS, PCM_RATE } from '../../src/audio/format.ts'
import type { Wav } from '../../src/audio/wav.ts'
import { fileProblems } from '../setup/speech/file-problems.ts'
import { samplesOf, similarity, sweep } from '../setup/speech/sound.ts'

const threads: AudioThreads = new AudioThreads(1)
afterAll(() => threads.close())

const RATES = [8000, 22_050, 48_000]
/** Encoders of speech leave out what is not heard. */
const LEAST_SIMILAR: Readonly<Record<AnyFormat, number>> = {
  wav: 1,
  flac: 1,
  mp3: 0.97,
  opus: 0.9,
  m4b: 0.97,
  pcm: 0.98,
}
const MOST_LATE_SECONDS = 0.08

async function encoded(pool: AudioThreads, wav: Wav, format: AnyFormat, block = 7001): Promise<Uint8Array> {
  const encoder = pool.startEncoder({ format, sampleRate: wav.sampleRate })
  const parts: Uint8Array[] = []
  for (let at = 0; at < wav.samples.length; at += block)
    parts.push(await encoder.push(wav.samples.subarray(at, at + block)))
  return Buffer.concat([...parts, await encoder.end()])
}

const decoded = async (bytes: Uint8Array, format: AnyFormat): Promise<Wav> =>
  format === 'pcm' ? { sampleRate: PCM_RATE, channels: 1, samples: samplesOf(bytes) } : threads.decode(bytes, format)

test.each(['mp3', 'opus', 'flac', 'm4b'] as const)('a stream waits for no whole file: %s', async (format) => {
  const [long, short] = [sweep(60, 22_050), sweep(0.5, 22_050)]
  let isWhole = false
  const whole = threads.encode(long, format).then((bytes) => {
    isWhole = true
    return bytes
  })
  const heard = await encoded(threads, short, 'mp3')
  expect([isWhole, heard.length > 0]).toEqual([false, true])
  expect((await threads.decode(await whole, format)).samples.length).toBeGreaterThanOrEqual(long.samples.length)
})

describe.each([...AUDIO_FORMATS, 'm4b'] as const)('%s', (format) => {
  test.each(RATES)('plays as long as its samples at %i Hz, and sounds like them', async (rate) => {
    const wav = sweep(1, rate)
    const heard = await decoded(await encoded(threads, wav, format), format)
    const { score, lateSeconds } = similarity(wav, heard)
    expect(heard.samples.length / heard.sampleRate).toBeGreaterThanOrEqual(0.99)
    expect(heard.samples.length / heard.sampleRate).toBeLessThan(1.15)
    expect(Math.abs(lateSeconds)).toBeLessThanOrEqual(MOST_LATE_SECONDS)
    expect(score).toBeGreaterThanOrEqual(LEAST_SIMILAR[format])
    if (format === 'flac' || format === 'wav') expect(heard).toEqual(wav)
  })

  test('is the same however its samples are cut, and whatever is encoded meanwhile', async () => {
    const [one, other] = [sweep(0.5, 22_050), sweep(0.5, 24_000)]
    const alone = await decoded(await encoded(threads, one, format), format)
    const [first, second] = await Promise.all([
      encoded(threads, one, format, 311),
      encoded(threads, other, format, 997),
    ])
    expect((await decoded(first, format)).samples).toEqual(alone.samples)
    expect(similarity(other, await decoded(second, format)).score).toBeGreaterThanOrEqual(LEAST_SIMILAR[format])
  })

  test('of no samples at all is a file, and an encoder that is given up leaves the others alone', async () => {
    const dropped = threads.startEncoder({ format, sampleRate: 24_000 })
    await dropped.push(sweep(0.1, 24_000).samples)
    dropped.drop()
    await expect(dropped.push(new Int16Array(1))).rejects.toThrow('ended')
    await threads.startEncoder({ format, sampleRate: 24_000 }).end()
    const wav = sweep(0.5, 24_000)
    expect(similarity(wav, await decoded(await encoded(threads, wav, format), format)).score).toBeGreaterThan(0.85)
  })
})

test.each(FILE_FORMATS)('a whole %s file says how long it is, and outside programs agree', async (format) => {
  const wav = sweep(3, 22_050)
  const file = await threads.encode(wav, format)
  expect((await threads.decode(file, format)).samples.length).toBeGreaterThan(0)
  if (format === 'flac') expect(Number(Buffer.from(file).readBigUInt64BE(18) & 0xfffffffffn)).toBe(wav.samples.length)
  if (format === 'flac') expect(Buffer.from(file).subarray(26, 42).equals(Buffer.alloc(16))).toBe(false)
  expect(fileProblems(file, format)).toEqual([])
})

test.each([16_000, 22_050, 24_000, 44_100, 48_000])(
  'MP3 whose length is known lasts exactly as long at %i Hz',
  async (rate) => {
    for (const seconds of [0.5, 1, 3.217]) {
      const wav = sweep(seconds, rate)
      const file = await threads.encode(wav, 'mp3')
      const heard = await threads.decode(file, 'mp3')
      expect(heard.samples.length).toBe(wav.samples.length)
      expect(similarity(wav, heard)).toMatchObject({ lateSeconds: 0, score: expect.closeTo(1, 2) })
      const played = spawnSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', '-f', 's16le', 'pipe:1'], { input: file })
      // Where it is installed.
      if (played.error === undefined) expect(played.stdout.length).toBe(2 * wav.samples.length)
    }
  },
)

test('FLAC whose length is known says it in its first bytes', async () => {
  const { samples, sampleRate } = sweep(1, 22_050)
  const encoder = threads.startEncoder({ format: 'flac', sampleRate, totalSamples: samples.length })
  const first = await encoder.push(samples)
  await encoder.end()
  expect(Number(Buffer.from(first).readBigUInt64BE(18) & 0xfffffffffn)).toBe(samples.length)
})

test.each(FILE_FORMATS)('what is no %s file is an error, and the thread goes on', async (format) => {
  for (const junk of [Buffer.alloc(0), Buffer.from('<!doctype html>'), Buffer.alloc(5000, 7)])
    await expect(threads.decode(junk, format)).rejects.toThrow()
  expect(await threads.decode(await threads.encode(sweep(0.2, 24_000), 'flac'), 'flac')).toEqual(sweep(0.2, 24_000))
})

test('a closed pool fails what it has in hands', async () => {
  const pool = new AudioThreads(1)
  const encoder = pool.startEncoder({ format: 'mp3', sampleRate: 24_000 })
  const pushed = encoder.push(new Int16Array(24_000)).catch((error: Error) => error.message)
  await pool.close()
  expect(await pushed).toContain('closed')
})
