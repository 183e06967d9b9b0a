import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineError, SpeechRequest } from '../../../src/engines/engine.ts'
import { SHERPA_FAMILIES, type SherpaFamily } from '../../../src/engines/sherpa/sherpa-families.ts'
import { openLocalEngines } from '../../setup/speech/local-engines.ts'
import {
  TINY_RATE,
  TOKEN_SECONDS,
  tinyTokens,
  tinyVits,
  VITS_METADATA,
  writeModel,
} from '../../setup/speech/tiny-models.ts'

/** The published file names of each family. */
const PUBLISHED: Readonly<Record<SherpaFamily, readonly string[]>> = {
  vits: ['en_US-amy-medium.onnx', 'tokens.txt', 'espeak-ng-data/'],
  matcha: ['model-steps-3.onnx', 'vocos-22khz-univ.onnx', 'tokens.txt', 'espeak-ng-data/'],
  kokoro: [
    ...['model.int8.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
    ...['lexicon-us-en.txt', 'lexicon-gb-en.txt', 'lexicon-zh.txt', 'date-zh.fst', 'number-zh.fst'],
  ],
  kitten: ['model.fp16.onnx', 'voices.bin', 'tokens.txt', 'espeak-ng-data/'],
  pocket: [
    ...['lm_flow.int8.onnx', 'lm_main.int8.onnx', 'encoder.onnx', 'decoder.int8.onnx', 'text_conditioner.onnx'],
    ...['vocab.json', 'token_scores.json'],
  ],
  zipvoice: [
    ...['encoder.int8.onnx', 'decoder.int8.onnx', 'vocos_24khz.onnx', 'tokens.txt', 'lexicon.txt', 'espeak-ng-data/'],
  ],
  supertonic: [
    ...['duration_predictor.int8.onnx', 'text_encoder.int8.onnx', 'vector_estimator.int8.onnx', 'vocoder.int8.onnx'],
    ...['tts.json', 'unicode_indexer.bin', 'voice.bin'],
  ],
}
const ESPEAK_FILES = ['phontab', 'phonindex', 'phondata', 'intonations']

describe('sherpa-onnx', () => {
  let models: string
  beforeAll(async () => {
    models = await mkdtemp(join(tmpdir(), 'sonant-models-'))
    await writeModel(join(models, 'good'), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })
  })
  const engines = openLocalEngines(() => models)
  afterAll(async () => {
    await engines.close()
    await rm(models, { recursive: true })
  })

  const block = (changes: object = {}) => ({
    kind: 'sherpa-onnx',
    family: 'vits',
    model_dir: 'good',
    threads: 1,
    ...changes,
  })
  const request = (text: string, changes: Partial<SpeechRequest> = {}): SpeechRequest => ({
    text,
    voice: { slug: 'v', kind: 'preset', engineVoice: '0', referenceAudio: null, referenceText: null },
    extra: {},
    signal: AbortSignal.timeout(90_000),
    // Nothing is tried again.
    deadline: performance.now(),
    ...changes,
  })
  const speak = (engine: object, text: string, changes: Partial<SpeechRequest> = {}) =>
    engines.use(engine, async (opened) => (await opened.speak(request(text, changes))).audio)
  const failure = (engine: object, text = 'abc', changes: Partial<SpeechRequest> = {}) =>
    speak(engine, text, changes).then(
      () => 'it spoke',
      ({ code, message }: EngineError) => `${code}: ${message}`,
    )
  const voiceOf = (engineVoice: string) => ({ voice: { ...request('').voice, engineVoice } })
  /** By the zero crossings of a tone. */
  const hzOf = (samples: Int16Array): number => {
    let crossings = 0
    for (let at = 1; at < samples.length; at++) if (samples[at - 1]! < 0 && samples[at]! >= 0) crossings++
    return (crossings * TINY_RATE) / samples.length
  }

  test('speaks with the model of a directory, by its speakers and at the pace that is asked for', async () => {
    expect(await engines.use(block(), (engine) => engine.voices(AbortSignal.timeout(90_000)))).toEqual(['0', '1', '2'])
    const plain = await speak(block(), 'hello world')
    expect(plain.sampleRate).toBe(TINY_RATE)
    expect(plain.samples.length / TINY_RATE).toBeCloseTo(11 * TOKEN_SECONDS, 2)
    const quick = await speak(block(), 'hello world', { speed: 2 })
    expect(quick.samples.length / plain.samples.length).toBeCloseTo(0.5, 1)
    const [low, high] = [await speak(block(), 'aaaa'), await speak(block(), 'aaaa', voiceOf('2'))]
    expect(hzOf(high.samples) / hzOf(low.samples)).toBeCloseTo(3, 1)
    expect(await failure(block(), 'abc', voiceOf('3'))).toBe(
      'INTERNAL_ERROR: The model has 3 speakers, from 0: engine_voice 3 is none.',
    )
  })

  test('says as many texts at once as it has slots, and all of them', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => 'a'.repeat(n + 5))
    const spoken = await Promise.all(texts.map((text) => speak(block({ slots: 2 }), text)))
    expect(spoken.map(({ samples }) => Math.round(samples.length / TINY_RATE / TOKEN_SECONDS))).toEqual(
      texts.map(({ length }) => length),
    )
  })

  test.each(['', '1234', '漢字'])('has nothing to say of %j, and speaks on', async (text) => {
    expect(await failure(block(), text)).toMatch(/^RENDER_FAILED: .*no audio/)
    expect((await speak(block(), 'abc')).samples.length).toBeGreaterThan(0)
  })

  test.each([
    [
      'a directory that is not there',
      { model_dir: 'none' },
      {},
      /^PROVIDER_UNAVAILABLE: model_dir .*none cannot be read.*ENOENT/,
    ],
    ['no files', {}, {}, /no file for model .*; there is no file for tokens/],
    [
      'two models',
      {},
      { 'a.onnx': '', 'b.onnx': '', 'tokens.txt': '' },
      /files\.model must name one of a\.onnx, b\.onnx/,
    ],
    [
      'a file that is named and not there',
      { files: { model: 'x.onnx' } },
      { 'tokens.txt': '' },
      /files\.model names .*x\.onnx, which is not there/,
    ],
    [
      'what is no model',
      {},
      { 'a.onnx': 'no model', 'tokens.txt': tinyTokens() },
      /^INTERNAL_ERROR: The model cannot be loaded \(.*protobuf/i,
    ],
    [
      'a model that is cut',
      {},
      { 'a.onnx': tinyVits().subarray(0, 500), 'tokens.txt': tinyTokens() },
      /cannot be loaded/,
    ],
    [
      'a model without its rate, which ends the process',
      {},
      { 'a.onnx': tinyVits({ ...VITS_METADATA, sample_rate: '' }), 'tokens.txt': tinyTokens() },
      /cannot be loaded \(exit code \d+: .*sample_rate/,
    ],
    [
      'malformed tokens, which end the process',
      {},
      { 'a.onnx': tinyVits(), 'tokens.txt': 'a b c\n' },
      /cannot be loaded \((exit code|SIG)/,
    ],
  ])('reports %s in one sentence, and lives', async (name, changes, files, expected) => {
    const directory = join(models, `bad ${name}`)
    await mkdir(directory, { recursive: true })
    await writeModel(directory, files as Record<string, string>)
    expect(await failure(block({ model_dir: directory, ...changes }))).toMatch(expected)
    expect((await speak(block(), 'abc')).samples.length).toBeGreaterThan(0)
  })

  test('kills the process of a text that is aborted, and speaks the next one in a new one', async () => {
    const ended = new AbortController()
    const cut = speak(block(), 'a'.repeat(20_000), { signal: ended.signal })
    const reason = new Error('the job was cancelled')
    setImmediate(() => ended.abort(reason))
    await expect(cut).rejects.toBe(reason)
    expect((await speak(block(), 'abc')).samples.length).toBeGreaterThan(0)
  })

  test('kills the process of a text that the library never answers, when its time is over', async () => {
    // A graph that takes other inputs than its metadata say.
    const files = { 'a.onnx': tinyVits(VITS_METADATA, 'int64'), 'tokens.txt': tinyTokens() }
    const directory = await writeModel(join(models, 'unfit'), files)
    const signal = AbortSignal.timeout(1500)
    expect(await failure(block({ model_dir: directory }), 'abc', { signal })).not.toBe('it spoke')
    expect((await speak(block(), 'abc')).samples.length).toBeGreaterThan(0)
  })

  test.each(SHERPA_FAMILIES)(
    '%s: the files that are published are found, and the library takes all of them',
    async (family) => {
      const directory = join(models, family)
      const files = PUBLISHED[family].flatMap((name) =>
        name.endsWith('/') ? ESPEAK_FILES.map((file) => `${name}${file}`) : [name],
      )
      await writeModel(directory, Object.fromEntries(files.map((name) => [name, 'no model'])))
      const recording = { slug: 'v', kind: 'reference', engineVoice: null, referenceText: 'Hm.' } as const
      const referenceAudio = new Uint8Array(
        await import('../../setup/speech/stand-in-engine.ts').then(({ toneFor }) => toneFor('Hm.')),
      )
      const said = await failure(block({ family, model_dir: family }), 'abc', {
        voice: { ...recording, referenceAudio },
      })
      // The library's message about a missing or unnamed file.
      expect(said).toMatch(/^INTERNAL_ERROR: The model cannot be loaded \(.*(Protobuf|JSON)/)
    },
  )
})
