import { afterAll, beforeAll, expect, test } from 'vitest'
import { readModelIndex } from '../../src/models/model-index.ts'
import { archiveOf, type ModelMirror, startModelMirror } from '../setup/servers/model-mirror.ts'
import { ask, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { tinyTokens, tinyVits } from '../setup/speech/tiny-models.ts'

const MODELS = '{ models { name licence speed sizeBytes downloadedBytes needsRecording isInstalled } }'
const PULL = mutation(
  'pullModel(name: $name)',
  '... on PulledModel { endpoint { slug } isNew warnings }',
  '($name: String!)',
)
/** Its publisher names no checksum, so the test's own archive may take its place. */
const NAME = 'piper-pt-faber'

interface Model {
  readonly name: string
  readonly downloadedBytes: number
  readonly isInstalled: boolean
}

let service: TestRuntime
let mirror: ModelMirror
let operator: string
beforeAll(async () => {
  mirror = await startModelMirror()
  service = await startTestRuntime({ env: { SONANT_MODELS_URL: mirror.url } })
  operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
})
afterAll(async () => {
  await service?.close()
  await mirror?.close()
})

const modelNamed = async (name: string): Promise<Model | undefined> =>
  (await read<{ models: Model[] }>(service.url, operator, MODELS)).models.find((model) => model.name === name)
const pull = async (name: string) =>
  (await read<{ pullModel: object }>(service.url, operator, PULL, { name })).pullModel

test('operators see the models that can be had, and nobody else does', async () => {
  expect(await modelNamed('zipvoice')).toEqual({
    ...{ name: 'zipvoice', licence: 'Apache-2.0', speed: null, sizeBytes: 163_320_194 },
    ...{ downloadedBytes: 0, needsRecording: true, isInstalled: false },
  })
  const { key } = await service.createCaller()
  for (const query of [MODELS, mutation('pullModel(name: "kokoro")', '... on PulledModel { isNew }')])
    expect(JSON.stringify(await ask(service.url, key, query))).toContain('FORBIDDEN')
})

test('an operator pulls a model, sees how far it is, and what is wrong', async () => {
  const files = { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens(), 'README.md': 'read me\n'.repeat(50) }
  const { path } = readModelIndex().find(({ name }) => name === NAME)!.files[0]
  const archive = await archiveOf(path.replace(/^.*\/|\.tar\.bz2$/g, ''), files)
  mirror.files.set(`/${path}`, archive)
  mirror.manners.push('cut', 'forbidden')
  // A caller cannot plan for it, so it is an error of the answer.
  const { errors } = await ask(service.url, operator, PULL, { name: NAME })
  const extensions = expect.objectContaining({ code: 'UNAVAILABLE' })
  expect(errors).toMatchObject([{ message: expect.stringContaining('answered 403'), extensions }])
  const half = await modelNamed(NAME)
  expect(half?.isInstalled).toBe(false)
  expect(half?.downloadedBytes).toBeGreaterThan(0)
  expect(await pull(NAME)).toMatchObject({ endpoint: { slug: NAME }, isNew: true })
  expect(await modelNamed(NAME)).toMatchObject({ downloadedBytes: 0, isInstalled: true })
  expect(await pull(NAME)).toMatchObject({ endpoint: { slug: NAME }, isNew: false })
  expect(await pull('kokorro')).toMatchObject({ message: expect.stringContaining('did you mean "kokoro"?') })
  expect(await pull('pocket')).toMatchObject({ message: expect.stringContaining('no commercial use') })
})
