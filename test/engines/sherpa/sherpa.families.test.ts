import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Wav, writeWav } from '../../../src/audio/wav.ts'
import type { SpeechRequest } from '../../../src/engines/engine.ts'
import { FAMILIES, SHERPA_FAMILIES } from '../../../src/engines/sherpa/sherpa-families.ts'
import { openLocalEngines } from '../../setup/speech/local-engines.ts'
import { sweep } from '../../setup/speech/sound.ts'
import { TINY_FAMILIES, VOCOS_HZ } from '../../setup/speech/tiny-families.ts'
import { tinyVits, writeModel } from '../../setup/speech/tiny-models.ts'

const RECORDING = writeWav(sweep(2, 16_000).samples, 16_000)
const [SHORT, LONG] = ['hello world', 'hello world and all of you']
const CHINESE = ['你好世界', '你好世界大家都好']

let models: string
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'sonant-families-'))
  await Promise.all(Object.entries(TINY_FAMILIES).map(([name, [, files]]) => writeModel(join(models, name), files())))
})
const engines = openLocalEngines(() => models)
afterAll(async () => {
  await engines.close()
  await rm(models, { recursive: true })
})

const clonesOf = (name: string) => FAMILIES[TINY_FAMILIES[name]![0]].clones
const blockOf = (name: string, more: object = {}) => ({
  ...{ kind: 'sherpa-onnx', family: TINY_FAMILIES[name]![0], model_dir: name, threads: 1, ...more },
})
const voiceOf = (name: string, engineVoice: string): SpeechRequest['voice'] =>
  clonesOf(name)
    ? { slug: 'v', kind: 'reference', engineVoice: null, referenceAudio: RECORDING, referenceText: 'all of you' }
    : { slug: 'v', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null }
const speak = (
  name: string,
  text: string,
  { engineVoice = '0', block = {}, ...changes }: Partial<SpeechRequest> & { engineVoice?: string; block?: object } = {},
): Promise<Wav> =>
  engines.use(blockOf(name, block), async (engine) => {
    const voice = voiceOf(name, engineVoice)
    const signal = AbortSignal.timeout(90_000)
    // Nothing is tried again.
    const deadline = performance.now()
    return (await engine.speak({ text, voice, extra: {}, signal, deadline, ...changes })).audio
  })
const seconds = ({ samples, sampleRate }: Wav) => samples.length / sampleRate
const hzOf = ({ samples, sampleRate }: Wav): number => {
  let crossings = 0
  for (let at = 1; at < samples.length; at++) if (samples[at - 1]! < 0 && samples[at]! >= 0) crossings++
  return (crossings * sampleRate) / samples.length
}

test('there is a tiny model of every family', () => {
  expect(new Set(Object.values(TINY_FAMILIES).map(([family]) => family))).toEqual(new Set(SHERPA_FAMILIES))
})

describe.each(Object.keys(TINY_FAMILIES))('a model of the kind of %s', (name) => {
  const [short, long] = name.endsWith('Chinese') ? (CHINESE as [string, string]) : [SHORT, LONG]

  test('is found by the names of its files, and speaks: what is longer takes longer', async () => {
    const [one, other] = [await speak(name, short), await speak(name, long)]
    expect(seconds(one)).toBeGreaterThan(0.5)
    expect(seconds(other) / seconds(one)).toBeGreaterThan(1.5)
    expect(one.samples.some((sample) => sample > 8000)).toBe(true)
  })

  test('speaks at any pace that is asked for, as high as before', async () => {
    const [plain, quick, slow] = [
      await speak(name, long),
      await speak(name, long, { speed: 2 }),
      await speak(name, long, { speed: 0.5 }),
    ]
    expect(seconds(quick) / seconds(plain)).toBeCloseTo(0.5, 1)
    expect(seconds(slow) / seconds(plain)).toBeCloseTo(2, 1)
    for (const other of [quick, slow]) expect(hzOf(other) / hzOf(plain)).toBeCloseTo(1, 1)
  })

  test('has numbered speakers, or speaks like a recording', async () => {
    const voices = await engines.use(blockOf(name), (engine) => engine.voices(AbortSignal.timeout(90_000)))
    if (clonesOf(name)) {
      expect(voices).toBeNull()
      const voice = { ...voiceOf(name, '0'), referenceAudio: null }
      await expect(speak(name, short, { voice })).rejects.toThrow('the voice has none')
      return
    }
    const speakers = name.startsWith('Matcha') ? 1 : name === 'VITS by letters' ? 3 : 2
    expect(voices).toEqual(['0', '1', '2'].slice(0, speakers))
    await expect(speak(name, short, { engineVoice: String(speakers) })).rejects.toThrow(`has ${speakers} speakers`)
    if (speakers === 1) return
    expect(hzOf(await speak(name, short, { engineVoice: '1' })) / hzOf(await speak(name, short))).toBeCloseTo(2, 1)
  })
})

test.each(['Pocket', 'Supertonic'])('%s speaks the same with one seed, and otherwise with another', async (name) => {
  const [one, same, other] = [
    await speak(name, SHORT, { seed: 7, block: { steps: 1 } }),
    await speak(name, SHORT, { seed: 7, block: { steps: 1 } }),
    await speak(name, SHORT, { seed: 8, block: { steps: 1 } }),
  ]
  expect(same).toEqual(one)
  expect(other.samples).not.toEqual(one.samples)
})

test('the steps of a block reach the model', async () => {
  const of = async (steps: number) => hzOf(await speak('Supertonic', SHORT, { block: { steps } }))
  expect((await of(12)) / (await of(6))).toBeCloseTo(2, 1)
  // Those of ZipVoice lead to the same sound, however many there are.
  const { samples, sampleRate } = await speak('ZipVoice', SHORT, { block: { steps: 8 } })
  expect(hzOf({ samples: samples.subarray(sampleRate / 4, sampleRate / 2), sampleRate, channels: 1 })).toBeCloseTo(
    VOCOS_HZ,
    -1,
  )
})

test('a model of several languages reads in the one that is asked for, or that the text is in', async () => {
  const of = (text: string, language?: string) =>
    speak('Kokoro of many languages', text, language === undefined ? {} : { language })
  const text = 'Guten Abend, ich bin der Zug nach Berlin.'
  const german = await of(text, 'German')
  expect(german.samples).not.toEqual((await of(text, 'English')).samples)
  expect(await of(text)).toEqual(german)
})

test('a text in Chinese is refused by Supertonic for that, and is no pause', async () => {
  await expect(speak('Supertonic', CHINESE[0]!)).rejects.toMatchObject({
    code: 'RENDER_FAILED',
    message: 'Supertonic models do not speak Chinese.',
  })
})

describe('a model that the library ends its process for', () => {
  test.each<[name: string, what: string, changes: Record<string, string | Uint8Array | null>, reason: RegExp]>([
    ['Matcha for Chinese', 'no lexicon', { 'lexicon.txt': null }, /exit code \d+: .*Please provide lexicon\.txt/],
    ['ZipVoice', 'no lexicon', { 'lexicon.txt': null }, /exit code \d+: .*Please provide lexicon\.txt/],
    ['Kokoro of many languages', 'no lexicon', { 'lexicon-us-en.txt': null }, /exit code \d+: .*lexicon/],
    [
      'Kitten',
      'voices of another size',
      { 'voices.bin': new Uint8Array(4) },
      /exit code \d+: \S+:Init:\d+ Corrupted .*voices\.bin/,
    ],
    [
      'Supertonic',
      'styles that are cut',
      { 'voice.bin': new Uint8Array(4) },
      /exit code \d+: \S+\.cc:\w+:\d+ Invalid voice style/,
    ],
    ['Supertonic', 'settings that lack what it needs', { 'tts.json': '{}' }, /exit code \d+: .*missing 'ae'/],
    ['Pocket', 'a vocabulary that is none', { 'vocab.json': 'junk' }, /parse error/],
    [
      'VITS by letters',
      'tokens with a mark of their order',
      { 'tokens.txt': '\ufeff_ 0\n' },
      /exit code \d+: .*tokens/,
    ],
  ])('is reported with its reason: %s with %s', async (name, what, changes, reason) => {
    const directory = join(models, `${name}, ${what}`)
    const files = Object.entries({ ...TINY_FAMILIES[name]![1](), ...changes }).flatMap(([file, content]) =>
      content === null ? [] : [[file, content] as const],
    )
    await writeModel(directory, Object.fromEntries(files))
    await expect(speak(name, SHORT, { block: { model_dir: directory } })).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(reason),
    })
    expect(seconds(await speak('VITS by letters', SHORT))).toBeGreaterThan(0.5)
  })

  test.each([
    ['kokoro', 'Kitten'],
    ['kitten', 'Kokoro for English'],
  ])('is one of another family, called %s', async (family, name) => {
    await expect(speak(name, SHORT, { block: { family } })).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(/^The model cannot be loaded \(exit code \d+: /),
    })
  })

  test('while it speaks fails that text alone', async () => {
    const directory = await writeModel(join(models, 'vocoder of no kind'), {
      ...TINY_FAMILIES['Matcha for English']![1](),
      'hifigan_v2.onnx': tinyVits(),
    })
    const text = speak('Matcha for English', SHORT, { block: { model_dir: directory } })
    await expect(text).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: expect.stringMatching(/ended \(SIG[A-Z]+: .*Unknown model type in vocoder/),
    })
    expect(seconds(await speak('Matcha for English', SHORT))).toBeGreaterThan(0.5)
  })
})
