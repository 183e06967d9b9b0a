import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { concatenated } from '../../../src/audio/encoding.ts'
import { EngineError, type SpeechEngine } from '../../../src/engines/engine.ts'
import { openEngines } from '../../../src/engines/engines.ts'
import { openDisk } from '../../../src/storage/disk.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openLog } from '../../../src/values/log.ts'
import { KeptSpeech, nameSpeech } from '../../../src/voice/long-text/kept-speech.ts'
import { sectionsOf } from '../../../src/voice/long-text/sections.ts'
import { speakLongText } from '../../../src/voice/long-text/speak-long-text.ts'
import { readScript } from '../../../src/voice/markup/read-script.ts'
import { speakText } from '../../../src/voice/speak-text.ts'
import { OffsetMap } from '../../../src/voice/timing/offset-map.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'

const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
const PARAGRAPH = `${SENTENCE.repeat(12).trim()}\n\n`
const PARAGRAPHS = 10
const ONE_SECTION = SENTENCE.repeat(30).trim()
const SEVERAL = PARAGRAPH.repeat(PARAGRAPHS).trim()
const engines = openEngines({ threads: 1, log: openLog('silent'), lookUp: () => undefined })
const voice = { slug: 'a', kind: 'preset', engineVoice: 'Vivian', referenceAudio: null, referenceText: null } as const
const request = { voice, extra: {}, seed: 41, language: 'English', signal: new AbortController().signal }

let server: SpeechServer
let folder = ''
let storage: Storage
beforeEach(async () => {
  server = await startSpeechServer()
  folder = await mkdtemp(join(tmpdir(), 'sonant-long-'))
  storage = openDisk({ dir: folder, publicUrl: () => 'http://127.0.0.1', signingKey: new Uint8Array(32) })
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
afterAll(() => engines.close())

const engine = () =>
  ({ kind: 'openai-speech', base_url: server.url, model: 'tts', max_in_flight: 4, retry_seconds: 5 }) as const

async function speakLong(text: string, { isFirst = true, named = 'e', onPart }: Partial<Options> = {}) {
  const kept = new KeptSpeech({ storage }, 'job_1', isFirst, request.signal)
  const listening = { onProgress: () => undefined, ...(onPart && { onPart }) }
  const script = { map: OffsetMap.plain(text) }
  const long = await engines.use(engine(), (one) =>
    speakLongText(one, { ...request, text }, script, { kept, name: nameSpeech(named), listening }),
  )
  const blocks: Int16Array[] = []
  for await (const block of long.speech.blocks) blocks.push(block)
  return { ...long, samples: concatenated(blocks) }
}

interface Options {
  readonly isFirst: boolean
  readonly named: string
  readonly onPart: (part: { readonly index: number; readonly wav: { readonly samples: Int16Array } }) => void
}

const speakShort = (text: string) => engines.use(engine(), (one) => speakText(one, { ...request, text }))
const textsAsked = () => server.calls.map(({ body }) => String(body.input))
const keptFiles = () => readdir(join(folder, 'job_1', '0'))

describe('a long text', () => {
  test('sounds like one that is held in memory, and has the same times', async () => {
    server.answer(({ body }) => ({ peak: 3000 + String(body.input).length * 20, edgeSeconds: 0.2 }))
    const [long, short] = [await speakLong(ONE_SECTION), await speakShort(ONE_SECTION)]
    expect(long.samples.length).toBe(short.audio.samples.length)
    expect(long.speech.totalSamples).toBe(long.samples.length)
    expect(Buffer.from(long.samples.buffer).equals(Buffer.from(short.audio.samples.slice().buffer))).toBe(true)
    expect({ words: long.timing.words, sentences: long.timing.sentences }).toEqual(await short.timing())
    expect(long.chunks).toBe(short.chunks)
  })

  test('has a word for each word and a sentence for each sentence, in order, over all sections', async () => {
    const { timing, speech } = await speakLong(SEVERAL)
    expect(timing.words.map(({ start, end }) => SEVERAL.slice(start, end))).toEqual(SEVERAL.match(/\w+/g))
    expect(timing.sentences.length).toBe(PARAGRAPHS * 12)
    const ends = timing.words.map(({ to }) => to)
    expect(ends).toEqual([...ends].sort((one, other) => one - other))
    expect(ends.at(-1)! / 1000).toBeCloseTo(speech.totalSamples / speech.sampleRate, 0)
    expect(timing.heard).toBeNull()
  })

  test('is heard in parts that make up the recording', async () => {
    const parts: Int16Array[] = []
    const { samples } = await speakLong(SEVERAL, { onPart: ({ wav }) => parts.push(wav.samples) })
    expect(Buffer.from(concatenated(parts).buffer).equals(Buffer.from(samples.buffer))).toBe(true)
  })

  test('goes on where an attempt stopped: what it kept is not asked for again, and sounds the same', async () => {
    const whole = await speakLong(SEVERAL)
    const chunks = server.calls.length
    await rm(join(folder, 'job_1'), { recursive: true })
    server.calls.length = 0
    server.answer((_, index) => (index < chunks * 0.6 ? {} : { status: 400, json: { error: 'no' } }))
    await expect(speakLong(SEVERAL)).rejects.toMatchObject({ code: 'RENDER_FAILED' })
    const kept = await keptFiles()
    expect(kept.length).toBeGreaterThanOrEqual(Math.floor(chunks * 0.6) - 4)
    server.calls.length = 0
    server.answer(() => ({}))
    const resumed = await speakLong(SEVERAL, { isFirst: false })
    expect(textsAsked().length).toBe(chunks - kept.length)
    expect(Buffer.from(resumed.samples.buffer).equals(Buffer.from(whole.samples.buffer))).toBe(true)
    expect(resumed.timing).toEqual(whole.timing)
  })

  test('is judged by all of its kanji, also those that an attempt before has spoken, and its progress does not go back', async () => {
    const text = `${'ひらがなのぶんしょうです。'.repeat(300)}\n\n${'漢字漢字。'.repeat(300)}`
    const told: number[] = []
    const speak = async (isFirst: boolean, most: number) => {
      let spoken = 0
      const fake: SpeechEngine = {
        ...{ slots: 1, deterministic: true, voices: async () => null },
        speak: async ({ text: own }) => {
          if (++spoken > most) throw new EngineError('PROVIDER_UNAVAILABLE', 'away')
          const unread = own.match(/漢/g)?.length ?? 0
          const audio = { sampleRate: 8000, channels: 1 as const, samples: new Int16Array(8000).fill(3000) }
          return { audio, kanji: { read: own.length - unread, unread: 3 * unread } }
        },
      }
      const kept = new KeptSpeech({ storage }, 'job_1', isFirst, request.signal)
      const listening = { onProgress: ({ done }: { done: number }) => told.push(done) }
      const asked = { ...request, language: 'Japanese', text }
      const speaking = { kept, name: nameSpeech('e'), listening }
      await speakLongText(fake, asked, { map: OffsetMap.plain(text) }, speaking)
    }
    await speak(true, Number.POSITIVE_INFINITY)
    const total = Math.max(...told)
    await rm(join(folder, 'job_1'), { recursive: true })
    told.length = 0
    await expect(speak(true, total - 3)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    await speak(false, Number.POSITIVE_INFINITY)
    expect(told.at(-1)).toBe(total)
    expect(told).toEqual([...told].sort((one, other) => one - other))
  })

  test('is spoken anew by another engine', async () => {
    await speakLong(ONE_SECTION)
    const chunks = server.calls.length
    await speakLong(ONE_SECTION, { isFirst: false, named: 'another' })
    expect(server.calls.length).toBe(2 * chunks)
  })

  test('speaks what the store kept in part again', async () => {
    const { samples } = await speakLong(ONE_SECTION)
    const chunks = server.calls.length
    const [first, second] = (await keptFiles()).map((name) => join(folder, 'job_1', '0', name))
    await truncate(first!, 0)
    await truncate(second!, 5000)
    const again = await speakLong(ONE_SECTION, { isFirst: false })
    expect(server.calls.length).toBe(chunks + 2)
    expect(Buffer.from(again.samples.buffer).equals(Buffer.from(samples.buffer))).toBe(true)
  })

  test('fails if the store does', async () => {
    const put = storage.put
    storage = {
      ...storage,
      put: async (...given) => (given[0].includes('/12-') ? Promise.reject(new Error('full')) : put(...given)),
    }
    await expect(speakLong(SEVERAL)).rejects.toThrow('full')
  })
})

describe('the sections of a text', () => {
  const cut = (text: string) => [...sectionsOf(text, undefined, 'English')]

  test.each([
    ['paragraphs', SEVERAL],
    ['one paragraph', SENTENCE.repeat(700)],
    ['one sentence', 'word '.repeat(9000)],
    ['one word', '\u{1f600}'.repeat(20_000)],
    ['blank lines', `a${'\n'.repeat(30_000)}b`],
  ])('cover %s without a gap, and none is long', (_, text) => {
    const sections = cut(text)
    expect(sections.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
    for (const { start, end } of sections) {
      expect(end - start).toBeLessThanOrEqual(24_000)
      expect(end).toBeGreaterThan(start)
      expect(text.slice(start, end)).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
    }
  })

  test('end with a paragraph where there is one', () => {
    for (const { end } of cut(SEVERAL).slice(0, -1)) expect(SEVERAL.slice(0, end)).toMatch(/\n\n$/)
  })

  test('keep many short passages together', () => {
    const text = readScript(PARAGRAPH.repeat(3), 'none')
      .segments.flatMap(({ spans }) => spans.map(({ spoken }) => spoken))
      .join('')
    const passages = Array.from({ length: text.length / 10 }, (_, index) => ({
      ...{ start: index * 10, end: index * 10 + 10, pause: 'none' as const, silenceMs: 0, change: {} },
    }))
    expect([...sectionsOf(text, passages, 'English')].length).toBe(1)
  })
})
