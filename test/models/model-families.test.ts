import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readWav } from '../../src/audio/plain-wav.ts'
import { type Wav, writeWav } from '../../src/audio/wav.ts'
import { integratedLufs, measureLoudness } from '../../src/engines/loudness.ts'
import { type KnownModel, readModelIndex } from '../../src/models/model-index.ts'
import { pullModel } from '../../src/models/pull-model.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { archiveOf, type ModelMirror, startModelMirror } from '../setup/servers/model-mirror.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { sweep } from '../setup/speech/sound.ts'
import { TINY_FAMILIES } from '../setup/speech/tiny-families.ts'

/** Names of models of the index, and the tiny model that takes the place of each. */
const FAMILIES = [
  ['kokoro', 'Kokoro of many languages'],
  ['kitten', 'Kitten'],
  ['supertonic', 'Supertonic'],
  ['pocket', 'Pocket'],
  ['zipvoice', 'ZipVoice'],
  ['matcha', 'Matcha for English'],
  ['piper-de-thorsten', 'Piper'],
] as const
const WORDS = '{ jobs(first: 1) { edges { node { ... on VoiceJob { words { text start end } } } } } }'
const TIMEOUT_MS = 60_000
/** These tiny models take so long for a letter that a longer text would not be believed. */
const SLOW: readonly string[] = ['matcha', 'piper-de-thorsten']

interface Words {
  readonly jobs: {
    readonly edges: readonly {
      node: { words: readonly { text: string; start: number; end: number }[] }
    }[]
  }
}

let service: TestRuntime
let mirror: ModelMirror
let caller: { account: string; key: string }
beforeAll(async () => {
  ;[service, mirror] = await Promise.all([startTestRuntime({ worker: true }), startModelMirror()])
  caller = await service.createCaller()
})
afterAll(async () => {
  await mirror?.close()
  await service?.close()
})

/** The model as its release has it: an archive, in which files of other releases are missing, and those. */
async function offer(name: string, tiny: string): Promise<KnownModel> {
  const model = readModelIndex().find((known) => known.name === name)!
  const [archive, ...others] = model.files
  const files = { ...TINY_FAMILIES[tiny]![1](), 'test_wavs/bria.wav': RECORDING }
  const beside = others.map(({ path }) => {
    const tinyName = Object.keys(files).find((file) => /^(vocos|hifigan)/.test(file))!
    const bytes = Buffer.from(files[tinyName as keyof typeof files] as Uint8Array)
    delete (files as Record<string, unknown>)[tinyName]
    mirror.files.set(`/${path}`, bytes)
    return { path, size_bytes: bytes.length }
  })
  const bytes = await archiveOf(basename(archive.path).replace('.tar.bz2', ''), files)
  mirror.files.set(`/${archive.path}`, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const voices = model.voices
    .slice(0, 2)
    .map((voice, speaker) => ({ ...voice, ...(voice.speaker !== undefined && { speaker }) }))
  return { ...model, voices, files: [{ path: archive.path, size_bytes: bytes.length, sha256 }, ...beside] }
}

const RECORDING = writeWav(sweep(2, 16_000).samples, 16_000)

test.each(FAMILIES)(
  'a pulled model of the kind of %s speaks as every engine does: numbers in words, as loud, with pauses and times of words',
  async (name, tiny) => {
    const [written, words] = SLOW.includes(name) ? ['5 g', 'five grams'] : ['no 5 km', 'no five kilometers']
    const model = await offer(name, tiny)
    const ctx = service.runtime.as({ kind: 'system' })
    const pulled = await pullModel(
      { ...ctx, settings: { ...ctx.settings, modelsUrl: mirror.url } },
      { name, acceptLicence: true, signal: AbortSignal.timeout(TIMEOUT_MS) },
      [model],
    )
    expect(pulled).toMatchObject({ isNew: true, endpoint: model.voices.length > 0 ? name : null })
    if (pulled.endpoint === null) await applyOwn(name, pulled.directory)
    const voice = model.voices[0]?.slug ?? 'own'
    const { samples, sampleRate } = await speak(name, voice, `${written} [pause:1s] yes`)
    expect(Math.abs(integratedLufs(measureLoudness(samples, sampleRate).blocks) + 19)).toBeLessThan(1.5)
    expect(silence(samples) / sampleRate).toBeGreaterThan(0.9)
    const { jobs } = await read<Words>(service.url, caller.key, WORDS)
    const timed = jobs.edges[0]!.node.words
    expect(timed.map(({ text }) => text).join(' ')).toBe(`${written} yes`)
    expect(timed.at(-1)!.start - timed.at(-2)!.end).toBeGreaterThan(0.8)
    // Digits that reach a model are silent, or its own eSpeak spells the unit.
    const inWords = await speak(name, voice, `${words} [pause:1s] yes`)
    expect(samples.length / sampleRate).toBeCloseTo(inWords.samples.length / inWords.sampleRate, 1)
  },
  TIMEOUT_MS,
)

/** As an operator does for a model that has no recording of its own. */
async function applyOwn(slug: string, directory: string): Promise<void> {
  const engine = { kind: 'sherpa-onnx', family: 'zipvoice', model_dir: directory }
  const said = { reference_audio: 'own.wav', reference_text: 'all of you' }
  const voices = [{ slug: 'own', name: 'Own', description: '', kind: 'reference', ...said, language: 'English' }]
  await applyEndpoint(service.runtime, slug, engine, { voices }, RECORDING)
}

async function speak(model: string, voice: string, input: string): Promise<Wav> {
  const body = { model, voice, input, response_format: 'wav', markup: 'pauses' }
  const answer = await call(`${service.url}/v1/audio/speech`, { method: 'POST', key: caller.key, body })
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
  return readWav(answer.bytes)!
}

/** The longest stretch without a sound, in samples. */
function silence(samples: Int16Array): number {
  let [longest, now] = [0, 0]
  for (const sample of samples) {
    now = Math.abs(sample) < 50 ? now + 1 : 0
    longest = Math.max(longest, now)
  }
  return longest
}
