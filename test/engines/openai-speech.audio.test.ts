import { spawnSync } from 'node:child_process'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { writeWav } from '../../src/audio/wav.ts'
import type { SpeechRequest } from '../../src/engines/engine.ts'
import { openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { similarity, sweep } from '../setup/speech/sound.ts'
import { wavIn } from '../setup/speech/wav-in.ts'

const KEY = 'sk-live-0123456789'
const TEXT = 'The weather is lovely today.'
const engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: () => KEY })
const threads = new AudioThreads(1)
let server: SpeechServer

beforeEach(async () => {
  server = await startSpeechServer()
})
afterEach(() => server.close())
afterAll(() => Promise.all([engines.close(), threads.close()]))

const voice = { slug: 'a', kind: 'preset', engineVoice: 'a', referenceAudio: null, referenceText: null } as const
const speak = (block: object = {}, request: Partial<SpeechRequest> = {}) =>
  engines.use({ kind: 'openai-speech', base_url: server.url, model: 'tts', retry_seconds: 0, ...block }, (engine) =>
    engine.speak({ text: TEXT, voice, signal: new AbortController().signal, extra: {}, ...request }),
  )
const spoken = async (bytes: Uint8Array, contentType = 'audio/wav') => {
  server.answer(() => ({ body: bytes, headers: { 'content-type': contentType } }))
  return (await speak()).audio
}
const rates = [8000, 16_000, 22_050, 44_100, 48_000, 96_000]
const clamp8 = (sample: number) => Math.max(0, Math.min(255, Math.round(sample / 256) + 128))

describe('a WAV file is spoken', () => {
  test.each([
    ['8 bits', { code: 1, bits: 8, write: (at: Buffer, sample: number) => void at.writeUInt8(clamp8(sample)) }],
    ['16 bits', { code: 1, bits: 16, write: (at: Buffer, sample: number) => void at.writeInt16LE(sample) }],
    ['24 bits', { code: 1, bits: 24, write: (at: Buffer, sample: number) => void at.writeIntLE(sample * 256, 0, 3) }],
    ['32 bits', { code: 1, bits: 32, write: (at: Buffer, sample: number) => void at.writeInt32LE(sample * 65_536) }],
    [
      '32-bit floats',
      { code: 3, bits: 32, write: (at: Buffer, sample: number) => void at.writeFloatLE(sample / 32_768) },
    ],
    [
      '64-bit floats',
      { code: 3, bits: 64, write: (at: Buffer, sample: number) => void at.writeDoubleLE(sample / 32_768) },
    ],
  ])('of %s, in mono and stereo, extensible and not, at any rate', async (_, writing) => {
    for (const [index, rate] of rates.entries()) {
      const original = sweep(0.5, rate)
      const file = wavIn(original, { ...writing, channels: 1 + (index % 2), isExtensible: index % 3 === 0 })
      const { sampleRate, samples } = await spoken(file, 'application/octet-stream')
      expect([sampleRate, samples.length]).toEqual([rate, original.samples.length])
      const furthest = samples.reduce((most, one, at) => Math.max(most, Math.abs(one - original.samples[at]!)), 0)
      expect(furthest).toBeLessThanOrEqual(writing.bits === 8 ? 256 : 1)
    }
  })

  test('when its floats go beyond full scale: turned down, not cut off', async () => {
    const original = sweep(0.5, 24_000)
    const write = (at: Buffer, sample: number) => void at.writeFloatLE((sample / 32_768) * 8)
    const { samples } = await spoken(wavIn(original, { code: 3, bits: 32, write }))
    expect(similarity(original, { sampleRate: 24_000, channels: 1, samples }).score).toBeGreaterThan(0.999)
  })

  test('bit by bit and with 2,000,000,000 for its size', async () => {
    const original = sweep(1, 24_000)
    const file = Buffer.from(writeWav(original.samples, 24_000))
    for (const at of [4, 40]) file.writeUInt32LE(2_000_000_000, at)
    server.answer(() => ({ body: file, slowMs: 1 }))
    expect((await speak()).audio).toEqual(original)
  })
})

test('samples without a header are spoken as their type says', async () => {
  const { samples } = sweep(1, 16_000)
  const body = Buffer.from(samples.buffer)
  expect(await spoken(body, 'audio/pcm;rate=16000')).toEqual({ sampleRate: 16_000, channels: 1, samples })
  const swapped = Buffer.from(body).swap16()
  expect(await spoken(swapped, 'audio/L16;rate=16000;channels=1')).toEqual({ sampleRate: 16_000, channels: 1, samples })
})

describe('compressed audio is spoken, whatever it is called', () => {
  const original = sweep(1, 24_000)
  const expectSame = async (file: Uint8Array, type?: string) => {
    const { sampleRate, samples } = await spoken(file, type)
    expect(samples.length / sampleRate).toBeCloseTo(1, 0)
    expect(similarity(original, { sampleRate, channels: 1, samples }).score).toBeGreaterThan(0.95)
  }

  test('MP3, Ogg Opus and FLAC', async () => {
    await expectSame(await threads.encode(original, 'mp3'), 'audio/wav')
    await expectSame(await threads.encode(original, 'opus'), 'audio/pcm;rate=24000')
    await expectSame(await threads.encode(original, 'flac'), '')
  })

  const isMissing = spawnSync('ffmpeg', ['-version']).error !== undefined
  test.skipIf(isMissing)('Ogg Vorbis in mono and stereo, MP3 in WAV and WebM', async () => {
    const input = writeWav(original.samples, 24_000)
    for (const args of [
      ['-c:a', 'libvorbis', '-f', 'ogg'],
      ['-ac', '2', '-c:a', 'libvorbis', '-f', 'ogg'],
      ['-c:a', 'libmp3lame', '-f', 'wav'],
      ['-c:a', 'libopus', '-f', 'webm'],
    ]) {
      await expectSame(spawnSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...args, 'pipe:1'], { input }).stdout)
    }
  })

  test('with the times of a Kokoro server', async () => {
    const audio = Buffer.from(await threads.encode(original, 'mp3')).toString('base64')
    const timestamps = [{ word: 'The', start_time: 0.5, end_time: 1 }]
    server.caption(() => ({ json: { audio, audio_format: 'mp3', timestamps } }))
    const { audio: heard, words } = await speak({ profile: 'kokoro' })
    expect([heard.samples.length > 20_000, words]).toEqual([true, [{ offset: 0, sample: 12_000 }]])
    expect(server.calls).toEqual([])
  })

  test('and hours of silence in a small file are given up', async () => {
    const silence = { sampleRate: 48_000, channels: 1, samples: new Int16Array(48_000 * 300) } as const
    const file = await threads.encode(silence, 'flac')
    server.answer(() => ({ body: file }))
    await expect(speak({}, { expectedSeconds: 2 })).rejects.toMatchObject({ code: 'RENDER_FAILED', message: /longer/ })
  })
})

describe('what holds no speech is the failure of the server, which is asked again', () => {
  const header = Buffer.from(writeWav(new Int16Array(0), 24_000))
  test.each([
    ['no bytes', Buffer.alloc(0), 'audio/wav', /0 bytes of audio\/wav/],
    ['HTML', '<html><title>502 Bad Gateway</title>', 'text/html', /begin with "<html><title>502 Bad Gateway<\/title>"/],
    ['an error as JSON', '{"error":{"message":"CUDA error"}}', 'application/json', /CUDA error/],
    ['a header alone', header, 'audio/wav', /RIFF/],
    ['half a header', header.subarray(0, 30), 'audio/wav', /30 bytes/],
    ['noise', Buffer.from([0, 1, 2, 3, 250, 251, 252, 253]), 'audio/wav', /8 bytes/],
    ['an MP3 that breaks off', Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), 'audio/mpeg', /ID3/],
    ['Ogg without anything in it', Buffer.from('OggS\0\0\0\0'), 'audio/ogg', /OggS/],
    ['a type that is PCM, without samples', Buffer.alloc(1), 'audio/pcm;rate=24000', /1 bytes/],
  ])('%s', async (_, body, type, message) => {
    server.answer(() => ({ body, headers: { 'content-type': type } }))
    const failed = { name: 'EngineError', code: 'PROVIDER_UNAVAILABLE', message: expect.stringMatching(message) }
    await expect(speak()).rejects.toMatchObject(failed)
    server.answer((_call, index) => (index < 3 ? { body, headers: { 'content-type': type } } : {}))
    expect((await speak({ retry_seconds: 20 })).audio.samples.length).toBeGreaterThan(0)
  })

  test('of what it sent the operator is shown neither words of the text nor keys', async () => {
    const said = `<p>${TEXT}</p> ${KEY} Bearer eyJhbGciOiJIUzI1NiJ9.abcdefghijklmnopqrstuvwxyz \u202E\x1b[31m`
    const wide = Buffer.from(`<b>${TEXT}`, 'utf16le')
    for (const body of [said, wide, Buffer.from(TEXT).toString('base64')]) {
      server.answer(() => ({ body, headers: { 'content-type': `text/html; title="${TEXT}"` } }))
      const { message } = (await speak({ api_key_env: 'KEY' }).catch((thrown: unknown) => thrown)) as Error
      expect(message).toContain('text/html')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
      expect(message).not.toMatch(/weather|lovely|today|0123456789|eyJ|abcdef|VGhl|[\x00-\x1f\u202e]/)
    }
  })
})
