import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { durationMs } from '../../src/audio/wav.ts'
import type { Speech, SpeechEngine, SpeechRequest } from '../../src/engines/engine.ts'
import { type Engines, openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { tinyTokens, tinyVits, writeModel } from '../setup/speech/tiny-models.ts'

/** Seconds of work for the engines that run here. */
const LONG_TEXT = 'a long day '.repeat(1500)

/** An engine of each kind: its block, a voice that it has, and what it refuses. */
const KINDS: [string, { block: () => object; engineVoice: string; refused: Partial<SpeechRequest> }][] = [
  ['espeak', { block: () => ({ kind: 'espeak' }), engineVoice: 'en-us+m3', refused: { text: '...' } }],
  ['flite', { block: () => ({ kind: 'espeak' }), engineVoice: 'en-us+m3/rms', refused: { text: '...' } }],
  [
    'sherpa-onnx',
    {
      block: () => ({ kind: 'sherpa-onnx', family: 'vits', model_dir: 'good', threads: 1 }),
      engineVoice: '0',
      refused: { text: '1234' },
    },
  ],
  [
    'openai-speech',
    {
      block: () => ({ kind: 'openai-speech', base_url: server.url, model: 'tts', retry_seconds: 0 }),
      engineVoice: 'Vivian',
      refused: { text: 'refused' },
    },
  ],
]

let server: SpeechServer
let models: string
let engines: Engines
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'sonant-models-'))
  await writeModel(join(models, 'good'), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
  server = await startSpeechServer()
  server.answer(({ body: { input } }) =>
    input === 'refused' ? { status: 400, json: {} } : input === LONG_TEXT ? { hang: true } : {},
  )
  engines = openEngines({ threads: 2, log: openLog('silent'), lookUp: () => undefined, modelsDir: models })
})
afterAll(async () => {
  await engines.close()
  await server.close()
  await rm(models, { recursive: true })
})

describe.each(KINDS)('every engine, so also %s,', (_kind, { block, engineVoice, refused }) => {
  const speak = (changes: Partial<SpeechRequest> = {}) =>
    use((engine) =>
      engine.speak({
        text: 'hello world',
        voice: { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null },
        extra: {},
        signal: AbortSignal.timeout(60_000),
        // Nothing is tried again.
        deadline: performance.now(),
        ...changes,
      }),
    )
  const use = <T>(work: (engine: SpeechEngine) => Promise<T>) => engines.use(block(), work)

  test('speaks several texts at once, each as one whole WAV, longer for the longer text', async () => {
    const texts = ['hello', 'hello world', 'hello world and all who live in it']
    const made = await Promise.all(texts.map((text) => speak({ text })))
    const lengths = made.map(({ audio }) => durationMs(audio))
    expect(lengths[0]).toBeGreaterThan(100)
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    expect(new Set(lengths).size).toBe(texts.length)
  })

  test('gives the same bytes again where it says that it is deterministic, and says how many texts it speaks at once', async () => {
    const [slots, deterministic] = await use(async (engine) => [engine.slots, engine.deterministic] as const)
    expect(slots).toBeGreaterThan(0)
    const [one, again] = await Promise.all([speak({ seed: 1 }), speak({ seed: 2 })])
    if (deterministic) expect(Buffer.compare(bytesOf(one), bytesOf(again))).toBe(0)
  })

  test('names its voices, or says that it cannot', async () => {
    const voices = await use((engine) => engine.voices(AbortSignal.timeout(60_000)))
    if (voices !== null) expect(voices).toContain(engineVoice)
  })

  test('fails with RENDER_FAILED where a text cannot be spoken, and speaks on', async () => {
    const error = await speak(refused).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'EngineError', code: 'RENDER_FAILED', message: expect.stringMatching(/\w/) })
    expect((await speak()).audio.samples.length).toBeGreaterThan(0)
  })

  test('does not begin a text whose signal is aborted, ends one that is aborted midway with the reason, and speaks on', async () => {
    const reason = new Error('the job was cancelled')
    const before = server.calls.length
    await expect(speak({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.calls.length).toBe(before)
    const stop = new AbortController()
    const cut = speak({ text: LONG_TEXT, signal: stop.signal })
    setImmediate(() => stop.abort(reason))
    await expect(cut).rejects.toBe(reason)
    expect((await speak()).audio.samples.length).toBeGreaterThan(0)
  })
})

const bytesOf = ({ audio: { samples } }: Speech): Buffer => Buffer.from(samples.buffer)
