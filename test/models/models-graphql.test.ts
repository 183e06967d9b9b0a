import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { readModelIndex } from '../../src/models/model-index.ts'
import { pullModel } from '../../src/models/pull-model.ts'
import { setOperator } from '../../src/users/update-user.ts'
import { archiveOf, type ModelMirror, startModelMirror } from '../setup/servers/model-mirror.ts'
import { ask, codeOf, mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { usersOf } from '../setup/service/users.ts'
import { tinyTokens, tinyVits } from '../setup/speech/tiny-models.ts'

const MODELS = '{ models { name licence speed sizeBytes downloadedBytes needsRecording isInstalled isPullable } }'
const PULL = mutation(
  'pullModel(name: $name)',
  '... on PulledModel { endpoint { slug } isNew warnings }',
  '($name: String!)',
)
/** Its publisher names no checksum, so the test's own archive may take its place. */
const NAME = 'piper-pt-faber'
const LETTERS = { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens(), 'README.md': 'read me\n'.repeat(50) }
const HOUR_MS = 3_600_000

interface Model {
  readonly name: string
  readonly downloadedBytes: number
  readonly isInstalled: boolean
  readonly isPullable: boolean
}

let service: TestRuntime
let mirror: ModelMirror
let operator: string
beforeAll(async () => {
  mirror = await startModelMirror()
  service = await startTestRuntime({ worker: true, env: { SONANT_MODELS_URL: mirror.url } })
  operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
})
beforeEach(() => {
  mirror.asked.length = 0
})
afterAll(async () => {
  await service?.close()
  await mirror?.close()
})

const modelNamed = async (name: string, url = service.url, key = operator): Promise<Model | undefined> =>
  (await read<{ models: Model[] }>(url, key, MODELS)).models.find((model) => model.name === name)
const pull = async (name: string) =>
  (await read<{ pullModel: object }>(service.url, operator, PULL, { name })).pullModel

test('operators see the models that can be had, and nobody else does', async () => {
  expect(await modelNamed('zipvoice')).toEqual({
    ...{ name: 'zipvoice', licence: 'Apache-2.0', speed: null, sizeBytes: 163_320_194 },
    ...{ downloadedBytes: 0, needsRecording: true, isInstalled: false, isPullable: true },
  })
  const { key } = await service.createCaller()
  for (const query of [MODELS, mutation('pullModel(name: "kokoro")', '... on PulledModel { isNew }')])
    expect(JSON.stringify(await ask(service.url, key, query))).toContain('FORBIDDEN')
})

test('an operator pulls a model, sees how far it is, and what is wrong', async () => {
  const { path } = readModelIndex().find(({ name }) => name === NAME)!.files[0]
  mirror.files.set(`/${path}`, await archiveOf(path.replace(/^.*\/|\.tar\.bz2$/g, ''), LETTERS))
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

test('a pull needs a recent password before the download, and none behind it', async () => {
  const users = usersOf(service)
  const { id, email, account } = await users.user()
  await setOperator(service.runtime.as({ kind: 'system' }), { user: id, operator: true })
  const { cookie } = await users.signIn(email)
  await service.runtime.db.pool.query("update session set password_at = now() - interval '1 hour'")
  expect(codeOf(await users.ask(PULL, { name: 'kokoro' }, cookie))).toBe('REAUTHENTICATION_REQUIRED')
  expect(mirror.asked).toEqual([])
  mirror.files.set('/letters.tar.bz2', await archiveOf('letters', LETTERS))
  let now = new Date()
  const caller = { accountId: account, userId: id, sessionId: 'ses_1', scopes: ['operator'], credits: 0n }
  const actor = { kind: 'session', ...caller, passwordAt: now } as const
  const later = () => {
    now = new Date(Date.now() + HOUR_MS)
  }
  const input = { from: `${mirror.url}/letters.tar.bz2`, signal: new AbortController().signal, onProgress: later }
  const ctx = { ...service.runtime.as(actor), now: () => now }
  expect(await pullModel(ctx, input)).toMatchObject({ endpoint: 'letters', isNew: true })
})

test('a process without a worker refuses, and names the command', async () => {
  const alone = await startTestRuntime({ env: { SONANT_MODELS_URL: mirror.url } })
  onTestFinished(() => alone.close())
  const { apiKey } = await alone.createKey(await alone.createAccount(), ['operator'])
  expect(await modelNamed('kokoro', alone.url, apiKey)).toMatchObject({ isPullable: false })
  const { pullModel: refused } = await read<{ pullModel: object }>(alone.url, apiKey, PULL, { name: 'kokoro' })
  expect(refused).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('models pull kokoro" on') })
  expect(mirror.asked).toEqual([])
})
