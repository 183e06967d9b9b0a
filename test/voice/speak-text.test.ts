import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SENTENCES, speechRequest } from '../../bench/sentences.ts'
import { concatenated } from '../../src/audio/encoding.ts'
import { durationMs, type Wav } from '../../src/audio/wav.ts'
import type { SpeechRequest } from '../../src/engines/engine.ts'
import { openEngines } from '../../src/engines/engines.ts'
import { LANGUAGES } from '../../src/engines/espeak/detect-language.ts'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { integratedLufs, measureLoudness } from '../../src/engines/loudness.ts'
import { openLog } from '../../src/values/log.ts'
import { estimateSpeech } from '../../src/voice/estimate-speech.ts'
import { speakText } from '../../src/voice/speak-text.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { until } from '../setup/wait.ts'

const log = openLog('silent')
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(40)
const engines = openEngines({ threads: 1, log, lookUp: () => undefined })
const espeak = openEspeak({ threads: availableParallelism(), log })
let server: SpeechServer

beforeEach(async () => {
  server = await startSpeechServer()
})
afterEach(() => server.close())
afterAll(() => Promise.all([engines.close(), espeak.close()]))

const voice = { slug: 'a', kind: 'preset', engineVoice: 'Vivian', referenceAudio: null, referenceText: null } as const
const speak = (
  text: string,
  request: Partial<SpeechRequest> = {},
  onProgress?: NonNullable<Parameters<typeof speakText>[2]>['onProgress'],
) =>
  engines.use(
    {
      kind: 'openai-speech',
      profile: 'vllm-omni',
      base_url: server.url,
      model: 'tts',
      max_in_flight: 4,
      retry_seconds: 5,
    },
    (engine) =>
      speakText(
        engine,
        { text, voice, extra: {}, seed: 41, signal: new AbortController().signal, ...request },
        onProgress === undefined ? {} : { onProgress },
      ),
  )
const seeds = () => server.calls.map(({ body }) => body.seed)
const renderFailed = (message: RegExp) =>
  expect.objectContaining({ code: 'RENDER_FAILED', message: expect.stringMatching(message) })

describe('a long text', () => {
  test('is spoken in parallel chunks with one seed and one language, as one WAV', async () => {
    const full = Promise.withResolvers<void>()
    server.answer((_, index) => ({ delayMs: 20, edgeSeconds: 0.5, ...(index < 4 && { until: full.promise }) }))
    const speaking = speak(LONG)
    await expect.poll(() => server.inFlight()).toBe(4)
    full.resolve()
    const { audio, durationMs: duration, chunks } = await speaking
    expect(server.calls).toHaveLength(chunks)
    expect(chunks).toBeGreaterThan(7)
    expect(server.mostInFlight()).toBe(4)
    expect(new Set(seeds())).toEqual(new Set([41]))
    expect(new Set(server.calls.map(({ body }) => body.language))).toEqual(new Set(['English']))
    const inputs = server.calls.map(({ body }) => String(body.input))
    expect(inputs.every((input) => LONG.includes(input) && input.length <= 400)).toBe(true)
    expect(inputs.reduce((sum, input) => sum + input.length + 1, 0)).toBe(LONG.length)
    expect(durationMs(audio)).toBe(duration)
    // The half seconds of silence around each chunk are gone, pauses are in.
    const spoken = inputs.reduce((sum, input) => sum + input.length * 60 + 120, 0)
    expect(Math.abs(duration - spoken - (chunks - 1) * 300)).toBeLessThan(chunks * 5)
  })

  test('counts its chunks as they are rendered', async () => {
    const steps: string[] = []
    const { chunks } = await speak(LONG, {}, ({ done, total }) => steps.push(`${done}/${total}`))
    expect(steps).toEqual(Array.from({ length: chunks + 1 }, (_, done) => `${done}/${chunks}`))
  })

  test('fails with its first failing chunk, and the requests of the others are closed', async () => {
    server.answer((_, index) => (index === 3 ? { status: 400, json: { detail: 'no' } } : { hang: true }))
    await expect(speak(LONG)).rejects.toEqual(renderFailed(/400/))
    await expect.poll(() => server.inFlight()).toBe(0)
    expect(server.calls).toHaveLength(4)
  })

  test('stops when it is aborted', async () => {
    server.answer(() => ({ hang: true }))
    const controller = new AbortController()
    const outcome = speak(LONG, { signal: controller.signal }).catch((error: unknown) => error)
    await expect.poll(() => server.inFlight()).toBe(4)
    controller.abort(new Error('cancelled'))
    expect(await outcome).toEqual(new Error('cancelled'))
    await expect.poll(() => server.inFlight()).toBe(0)
    expect(server.calls).toHaveLength(4)
  })

  test('waits out a server that is busy for a moment', async () => {
    server.answer((_, index) => (index < 3 ? { status: 429, headers: { 'retry-after': '0.1' }, json: {} } : {}))
    const { chunks } = await speak(LONG)
    expect(server.calls).toHaveLength(chunks + 3)
  })

  test('of 400 characters reaches the server as it is, in one request; one more makes several', async () => {
    const most = LONG.slice(0, 400)
    expect((await speak(most)).chunks).toBe(1)
    expect(server.calls.map(({ body }) => body.input)).toEqual([most])
    const { chunks } = await speak(LONG.slice(0, 401))
    expect(chunks).toBe(2)
    expect(server.calls).toHaveLength(3)
  })

  test('has a row of dashes as a pause', async () => {
    const paragraph = LONG.slice(0, 390)
    await speak(`${paragraph}\n\n${'- '.repeat(190)}\n\n${paragraph}`)
    expect(server.calls.every(({ body }) => /[a-z]/.test(String(body.input)))).toBe(true)
  })
})

describe('audio that cannot be of the text', () => {
  const TEXT = 'A sentence of about sixty characters should take four seconds.'

  test.each([
    ['too short', { seconds: 0.5 }, /too short/],
    ['a moment', { seconds: 0.05 }, /too short/],
    ['too long', { seconds: 20 }, /too long/],
    ['silent', { peak: 10 }, /silent/],
    ['truncated', { headers: { 'x-finish-reason': 'length' } }, /before the text ended/],
  ])('%s is tried with two other seeds, then RENDER_FAILED', async (_, reply, reason) => {
    server.answer(() => reply)
    await expect(speak(TEXT)).rejects.toEqual(renderFailed(reason))
    expect(seeds()).toEqual([41, 42, 43])
  })

  test.each([
    ['No...', 0.25],
    ['嗯……', 0.2],
    ['“啊！！！”', 0.2],
    ['Happy birthday!!!!!!', 0.7],
    ['1000000000000', 0.5],
    ['Rating: ★★★★★', 0.5],
    ['Great!!! 🎉🎉🎉🎉🎉', 0.3],
    ['Great!!! 🎉🎉🎉🎉🎉', 6],
    [`Chapter 1 ${'.'.repeat(60)} 7`, 1],
  ])('%s may be spoken in %d s', async (text, seconds) => {
    server.answer(() => ({ seconds }))
    expect((await speak(text)).durationMs).toBe(seconds * 1000)
    expect(seeds()).toEqual([41])
  })

  test('is forgotten when another seed does better', async () => {
    server.answer((_, index) => (index === 0 ? { seconds: 60 } : {}))
    expect((await speak(TEXT)).chunks).toBe(1)
    expect(seeds()).toEqual([41, 42])
  })

  test.each([
    ['a speed', { speed: 0.25 }, 14],
    ['a style', { styleInstruction: 'extremely slowly' }, 14],
  ])('%s changes what it should take', async (_, manner, seconds) => {
    server.answer(() => ({ seconds }))
    await expect(speak(TEXT)).rejects.toEqual(renderFailed(/too long/))
    expect((await speak(TEXT, manner)).durationMs).toBe(seconds * 1000)
  })
})

describe('loudness', () => {
  const loudnessOf = ({ samples, sampleRate }: Wav) => {
    const { blocks, truePeak } = measureLoudness(samples, sampleRate)
    return { lufs: integratedLufs(blocks), dbtp: 20 * Math.log10(truePeak) }
  }
  const parts: Wav[] = []
  const speakLive = (request: Partial<SpeechRequest> = {}) => {
    parts.length = 0
    return engines.use({ kind: 'openai-speech', base_url: server.url, model: 'tts', max_in_flight: 4 }, (engine) =>
      speakText(
        engine,
        { text: LONG.slice(0, 1200), voice, extra: {}, signal: new AbortController().signal, ...request },
        { onPart: ({ wav }) => parts.push(wav) },
      ),
    )
  }

  test('each chunk of a server is as loud as all voices, however loud it came, and the parts are the recording', async () => {
    server.answer((_, index) => ({ peak: [90, 30_000, 700, 9000][index % 4]! }))
    const { audio } = await speakLive()
    for (const heard of [audio, ...parts]) {
      expect(Math.abs(loudnessOf(heard).lufs + 19)).toBeLessThan(1)
      expect(loudnessOf(heard).dbtp).toBeLessThan(-1)
    }
    expect(concatenated(parts.map(({ samples }) => samples))).toEqual(audio.samples)
  })

  test('stays as it is where the endpoint says so, of the embedded engine as well', async () => {
    server.answer(() => ({ peak: 300 }))
    const { audio } = await speakLive({ loudness: 'as_is' })
    expect(audio.samples.reduce((most, one) => Math.max(most, one), 0)).toBe(300)
    const request = speechRequest(SENTENCES[0]!)
    const spoken = await espeak.speak(request)
    expect((await speakText(espeak, { ...request, loudness: 'as_is' })).audio).toEqual(spoken.audio)
    expect(loudnessOf((await speakText(espeak, request)).audio).lufs).toBeCloseTo(-19, 0)
  })
})

describe('the embedded engine', () => {
  test('speaks a long text on all cores, the same every time', async () => {
    const text = LONG.slice(0, 1600)
    const request = { ...speechRequest(SENTENCES[0]!), text, language: 'auto' }
    const [first, second] = [await speakText(espeak, request), await speakText(espeak, request)]
    expect(first.chunks).toBeGreaterThan(3)
    // Millions of bytes: a diff helps no reader, and to look for one takes seconds.
    const bytes = [first, second].map(
      ({ audio: { samples } }) => new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
    )
    expect(Buffer.compare(bytes[0]!, bytes[1]!)).toBe(0)
    const expected = estimateSpeech(text, { language: 'English' })
    expect(first.durationMs / 1000 / expected).toBeGreaterThan(0.7)
    expect(first.durationMs / 1000 / expected).toBeLessThan(1.4)
  })

  test('has two threads at work on one text at the same time, on its beginning first', async () => {
    const watched = watchThreads()
    const both = openEngines({ threads: 2, log, lookUp: () => undefined })
    const say = (text: string) =>
      both.use({ kind: 'espeak' }, (engine) => speakText(engine, { ...speechRequest(SENTENCES[0]!), text }))
    try {
      // One of them waits, which starts the second thread.
      await Promise.all(['One.', 'Two.'].map(say))
      await until(() => watched.ready.size === 2, 30_000, 'two threads that have started')
      const before = watched.steps.length
      const sentences = Array.from(
        { length: 12 },
        (_, n) => `Train number ${n} leaves at half past nine, and waits for nobody.`,
      )
      const text = sentences.join(' ')
      const { chunks } = await say(text)
      const steps = watched.steps.slice(before)
      const begun = steps.flatMap((step) => step.text ?? [])
      expect(begun).toHaveLength(chunks)
      expect(begun.every((one) => text.includes(one))).toBe(true)
      expect(text.startsWith(begun[0]!)).toBe(true)
      expect(new Set(steps.map(({ thread }) => thread)).size).toBe(2)
      expect(mostAtWork(steps)).toBe(2)
    } finally {
      watched.stop()
      await both.close()
    }
  })

  test('lets the first part be heard while none of the others is rendered', async () => {
    const opening = 'The train leaves at half past nine today.'
    const heard: number[] = []
    const begun: string[] = []
    let begunBefore: string[] = []
    const halting: typeof espeak = {
      ...espeak,
      speak: async (one) => {
        if (one.text !== opening) await until(() => heard.length > 0, 30_000, 'the first part to be heard')
        begun.push(one.text)
        return espeak.speak(one)
      },
    }
    const onPart = ({ index }: { index: number }) => {
      if (index === 0) begunBefore = [...begun]
      heard.push(index)
    }
    const text = `${opening} ${LONG.slice(0, 800)}`
    const { chunks } = await speakText(halting, { ...speechRequest(SENTENCES[0]!), text }, { onPart })
    expect(chunks).toBeGreaterThan(2)
    expect(begunBefore).toEqual([opening])
    expect(heard).toEqual(Array.from({ length: chunks }, (_, index) => index))
  })

  test.each(LANGUAGES)('takes for %s between half and twice what is estimated', async (language) => {
    for (const sentence of SENTENCES.filter((one) => one.language === language).slice(0, 10)) {
      const { durationMs: duration } = await speakText(espeak, speechRequest(sentence))
      const ratio = duration / 1000 / estimateSpeech(sentence.text, { language })
      expect(ratio, sentence.text).toBeGreaterThan(0.5)
      expect(ratio, sentence.text).toBeLessThan(2)
    }
  })

  test('fails a text that gives no sound, with that cause', async () => {
    for (const text of ['...', '🎉', 'مرحبا']) {
      await expect(speakText(espeak, { ...speechRequest(SENTENCES[0]!), text })).rejects.toEqual(
        renderFailed(/no letter, digit or symbol/),
      )
    }
  })

  test('fails a text in Japanese with more kanji without a reading than all that it reads, short or long', async () => {
    const say = (text: string) => speakText(espeak, { ...speechRequest(SENTENCES[0]!), text, language: 'Japanese' })
    const unread = renderFailed(/is written in Chinese characters, which this voice does not read in Japanese/)
    await expect(say('驫麤驫麤は人')).rejects.toEqual(unread)
    const [most, some] = ['驫麤驫麤驫麤は人です。', '驫は人と人と人です。']
    await expect(say(`${most}\n\n`.repeat(60) + some.repeat(5))).rejects.toEqual(unread)
    await expect(say(`${'驫麤'.repeat(250)}。\n\n${'驫麤'.repeat(250)}。\n\n人です。`)).rejects.toEqual(unread)
    expect((await say(some)).durationMs).toBeGreaterThan(500)
    expect((await say(most + some.repeat(60))).chunks).toBeGreaterThan(1)
  })

  test.each([
    'はじめまして、翀です。よろしくおねがいします。',
    'こんにちは、わたしのなまえは陈伟です。',
    '「仝」はくりかえしのきごうです',
    'わたしのなまえは「鈺」です',
    'ここは「凰」というおみせです',
    'Hello my name is 陈伟',
    '驫麤 and a chunk of kana',
  ])('passes over kanji without a reading where kana and other letters are most of the text: %s', async (name) => {
    const text = name.replace(
      '驫麤 and a chunk of kana',
      `${'驫麤'.repeat(250)}。\n\n${'かなだけのぶんです。'.repeat(60)}`,
    )
    const request = { ...speechRequest(SENTENCES[0]!), text, language: 'Japanese' }
    expect((await speakText(espeak, request)).durationMs).toBeGreaterThan(500)
  })

  test('makes a pause of what gives no sound in the middle of a long text', async () => {
    const paragraph = 'The train leaves at half past nine. '.repeat(9)
    const request = { ...speechRequest(SENTENCES[0]!), language: 'English' }
    const { durationMs: alone } = await speakText(espeak, { ...request, text: paragraph })
    const text = `${paragraph}\n\n${'🎉👍 '.repeat(60)}\n\n${paragraph}`
    const { durationMs: both } = await speakText(espeak, { ...request, text })
    expect(Math.abs(both / (2 * alone) - 1)).toBeLessThan(0.15)
  })
})

/** A text that a thread was given; without one: its rendering has come back. */
interface Step {
  readonly thread: number
  readonly text?: string
}

/** Notes the work of the threads that start from now on, and their results, in order. */
function watchThreads() {
  const steps: Step[] = []
  const ready = new Set<number>()
  const post = Worker.prototype.postMessage
  // Before the pool, which gives it the next text.
  const watch = (worker: Worker) =>
    worker.prependListener('message', () => {
      if (ready.has(worker.threadId)) steps.push({ thread: worker.threadId })
      ready.add(worker.threadId)
    })
  const given = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message) {
    steps.push({ thread: this.threadId, text: (message as { text: string }).text })
    return post.call(this, message)
  })
  process.on('worker', watch)
  const stop = () => {
    process.off('worker', watch)
    given.mockRestore()
  }
  return { steps, ready, stop }
}

/** How many threads had a text in their hands at once. */
function mostAtWork(steps: readonly Step[]): number {
  const atWork = new Set<number>()
  const counts = steps.map(({ thread, text }) => {
    if (text === undefined) atWork.delete(thread)
    else atWork.add(thread)
    return atWork.size
  })
  return Math.max(...counts)
}
