import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VOICE_SCOPE } from '../../../src/access/scopes.ts'
import { openEngines } from '../../../src/engines/engines.ts'
import { openLog } from '../../../src/values/log.ts'
import { call, freePorts } from '../../setup/http.ts'
import { endpoint, finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { type Listening, listening } from '../../setup/servers/listening.ts'
import { startSpeechServer } from '../../setup/servers/speech-server.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { tinyTokens, tinyVits, writeModel } from '../../setup/speech/tiny-models.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 40_000
const SHERPA_VOICES = { voices: [{ slug: 'calm', name: 'Calm', kind: 'preset', engine_voice: '1' }] }
const SECRET = 'sk-never-shown'

interface Seen {
  readonly slug: string
  readonly isServed: boolean
  readonly notServedBecause: string | null
}

let service: TestRuntime
let [key, operator, deadUrl] = ['', '', '']
const open: Listening[] = []
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { SPEECH_KEY: SECRET } })
  key = (await service.createCaller()).key
  operator = (await service.createKey(await service.createAccount(), ['operator', VOICE_SCOPE])).apiKey
  deadUrl = `http://127.0.0.1:${(await freePorts(1))[0]}`
})
afterAll(async () => {
  await service.close()
  await Promise.all(open.map((server) => server.close()))
})

async function serve(answer: RequestListener): Promise<string> {
  const server = await listening(createServer(answer), 0)
  open.push(server)
  return server.url
}
const answering =
  (status: number): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end('{"error":{"message":"no"}}')

const speech = (slug: string, base_url: string, more: object = {}) =>
  endpoint(slug, { engine: { kind: 'openai-speech', base_url, model: 'm', retry_seconds: 0, ...more } })
const sherpa = (slug: string, model_dir: string, files: object = {}) =>
  endpoint(slug, { engine: { kind: 'sherpa-onnx', family: 'vits', model_dir, files, threads: 1 }, ...SHERPA_VOICES })

const APPLY = `mutation ($source: String!, $dryRun: Boolean) { applyEndpoints(source: $source, dryRun: $dryRun) {
  __typename ... on ApplyEndpointsSuccess { slugs warnings } ... on RequestError { message details { message } } } }`
/** The console's editor gets this. */
async function apply(file: object, dryRun = false): Promise<readonly string[]> {
  const variables = { source: JSON.stringify(file), dryRun }
  const { data } = await ask<{ applyEndpoints: { warnings: string[] } }>(service.url, operator, APPLY, variables)
  expect(data?.applyEndpoints).toMatchObject({ __typename: 'ApplyEndpointsSuccess' })
  return data!.applyEndpoints.warnings
}
const seen = async (asker = operator): Promise<readonly Seen[]> =>
  (await ask<{ myEndpoints: Seen[] }>(service.url, asker, '{ myEndpoints { slug isServed notServedBecause } }')).data!
    .myEndpoints
const stateOf = async (slug: string) => (await seen()).find((one) => one.slug === slug)!
/** Its pool has a worker by then. */
const whyAway = (slug: string) => {
  const why = async () => (await stateOf(slug)).notServedBecause?.replace(/^no living worker.*/, '')
  return until(why, TIMEOUT_MS, `${slug} to be away`)
}

describe('an engine that is not there', () => {
  test('is a warning where it is applied, then not served, last in the list, with the reason for operators alone', async () => {
    const hanging = await serve(() => undefined)
    const failing = await serve(answering(500))
    await writeModel(join(service.dataDir, 'models', 'bare'), { 'tokens.txt': tinyTokens() })
    const reasons: Record<string, RegExp> = {
      'a-refused': new RegExp(`connection refused at ${deadUrl}$`),
      'a-unnamed':
        /(there is no such name|the name could not be looked up|no answer within 2.5 s) at http:\/\/gpu\.invalid:8000$/,
      'a-hanging': new RegExp(`no answer within 2.5 s at ${hanging}$`),
      'a-failing': new RegExp(`500 was answered at ${failing}$`),
      'a-nowhere': /model_dir .*models\/nowhere cannot be read .*ENOENT/,
      'a-bare': /files\.model names .*\/bare\/model\.onnx, which is not there/,
    }
    const warnings = await apply({
      endpoints: [
        speech('a-refused', `${deadUrl}/v1`, { api_key_env: 'SPEECH_KEY' }),
        speech('a-unnamed', 'http://gpu.invalid:8000'),
        speech('a-hanging', hanging),
        speech('a-failing', failing),
        sherpa('a-nowhere', 'nowhere'),
        sherpa('a-bare', 'bare', { model: 'model.onnx' }),
      ],
    })
    const slugs = Object.keys(reasons)
    expect(warnings.map((warning) => /"(.*?)"/.exec(warning)?.[1])).toEqual(slugs)
    for (const [at, slug] of slugs.entries()) {
      const why = await whyAway(slug)
      expect([slug, why]).toEqual([slug, expect.stringMatching(reasons[slug]!)])
      expect(warnings[at]).toContain(why.replace(/\.$/, ''))
    }
    expect((await seen()).slice(-slugs.length).map(({ slug }) => slug)).toEqual(slugs.toSorted())
    const forCaller = await seen(key)
    expect(forCaller.filter(({ isServed }) => !isServed).map(({ slug }) => slug)).toEqual(slugs.toSorted())
    expect(forCaller.map(({ notServedBecause }) => notServedBecause)).toEqual(forCaller.map(() => null))
    expect(JSON.stringify([warnings, await seen()])).not.toContain(SECRET)
  }, 90_000)

  test('fails its jobs as PROVIDER_UNAVAILABLE, a missing model as well', async () => {
    await apply({ endpoints: [speech('b-dead', deadUrl), sherpa('b-empty', 'nowhere')] })
    for (const slug of ['b-dead', 'b-empty']) {
      const job = await finishedJob(service.url, key, await submitText(service.url, key, slug, 'Hello.'))
      expect([slug, job]).toMatchObject([slug, { status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' }])
    }
  })

  test('is served again once it is there: a server that was started, a model that was put there', async () => {
    const [port = 0] = await freePorts(1)
    await mkdir(join(service.dataDir, 'models', 'later'), { recursive: true })
    await apply({ endpoints: [speech('c-server', `http://127.0.0.1:${port}`), sherpa('c-model', 'later')] })
    await Promise.all([whyAway('c-server'), whyAway('c-model')])
    open.push(await startSpeechServer(port))
    await writeFile(join(service.dataDir, 'models', 'later', 'model.onnx'), tinyVits())
    await writeFile(join(service.dataDir, 'models', 'later', 'tokens.txt'), tinyTokens())
    for (const slug of ['c-server', 'c-model'])
      await until(async () => (await stateOf(slug)).isServed, TIMEOUT_MS, `${slug} to be back`)
    expect(await stateOf('c-server')).toMatchObject({ isServed: true, notServedBecause: null })
  })

  test('of a workflow is a warning as well, and so it is before anything is applied', async () => {
    const workflow = (slug: string, base_url: string) => ({
      ...{ slug, name: slug, credits_per_job: 1, engine: { kind: 'cog', base_url } },
      inputs: { type: 'object', additionalProperties: false, properties: { prompt: { type: 'string', maxLength: 9 } } },
    })
    const workflows = [workflow('d-dead', deadUrl), workflow('d-living', await serve(answering(404)))]
    for (const dryRun of [true, false])
      expect(await apply({ workflows }, dryRun)).toEqual([
        `The engine of "d-dead" is not there, as seen from here: connection refused at ${deadUrl}.`,
      ])
  })

  test('is a line on standard error of the command line, which ends with 0, and a field of its document', async () => {
    const { databaseUrl } = service.runtime.settings
    const env = { DATABASE_URL: databaseUrl!, DATA_DIR: service.dataDir }
    const file = join(service.dataDir, 'dead.json')
    await writeFile(file, JSON.stringify({ endpoints: [speech('e-dead', deadUrl)] }))
    const warning = `The engine of "e-dead" is not there, as seen from here: connection refused at ${deadUrl}.`
    const plain = await runHere(['endpoints', 'apply', file], env)
    expect(plain).toMatchObject({ code: 0, stdout: 'applied e-dead\n', stderr: `Warning: ${warning}\n` })
    const asJson = await runHere(['endpoints', 'apply', file, '--json'], env)
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([0, { applied: ['e-dead'], warnings: [warning] }])
    await whyAway('e-dead')
    const { stdout } = await runHere(['endpoints', 'list', '--json'], env)
    const listed = (JSON.parse(stdout) as { items: { slug: string }[] }).items.map(({ slug }) => slug)
    expect(listed.indexOf('e-dead')).toBeGreaterThan(listed.indexOf('tts'))
  })
})

describe('an engine that answers', () => {
  test('is there whatever it answers to a question that costs nothing, and is never asked to speak', async () => {
    const asked: string[] = []
    const noting =
      (status: number): RequestListener =>
      (request, response) => {
        asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
        answering(status)(request, response)
      }
    const endpoints = []
    for (const status of [200, 401, 403, 404, 405, 429, 501])
      endpoints.push(speech(`f-${status}`, await serve(noting(status)), { api_key_env: 'SPEECH_KEY' }))
    endpoints.push(speech('f-keyless', await serve(noting(200)), { api_key_env: 'NOT_SET_HERE' }))
    expect(await apply({ endpoints })).toEqual([])
    await until(() => asked.length >= 2 * endpoints.length, TIMEOUT_MS, 'the worker to have asked as well')
    const states = (await seen()).filter(({ slug }) => slug.startsWith('f-'))
    expect(states.map(({ isServed }) => isServed)).toEqual(endpoints.map(() => true))
    expect([...new Set(asked)].sort()).toEqual(['GET /v1/models ', `GET /v1/models Bearer ${SECRET}`])
  })

  test('but hangs over everything else while it speaks is not away', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let speaking = false
    const url = await serve((request, response) => {
      if (request.method === 'POST') {
        speaking = true
        void held.then(() => response.destroy())
      } else if (!speaking) response.writeHead(404).end()
    })
    const engines = openEngines({ threads: 1, log: openLog('error'), lookUp: () => undefined })
    const block = { kind: 'openai-speech', base_url: url, model: 'm', retry_seconds: 0 }
    try {
      expect(await engines.probe(block)).toBe(true)
      const request = { text: 'Hi.', extra: {}, signal: AbortSignal.timeout(TIMEOUT_MS) }
      const voice = {
        slug: 'calm',
        kind: 'preset' as const,
        engineVoice: 'x',
        referenceAudio: null,
        referenceText: null,
      }
      const spoken = engines.use(block, (engine) => engine.speak({ ...request, voice })).catch(() => null)
      await until(() => speaking, TIMEOUT_MS, 'it to speak')
      expect(await engines.probe(block)).toBe(false)
      release()
      await spoken
    } finally {
      await engines.close()
    }
  })
})

describe('what chooses an endpoint by itself', () => {
  test('takes none whose engine is away where another one speaks: /v1/audio/speech and say', async () => {
    await apply({ endpoints: [speech('tts', deadUrl)] })
    await whyAway('tts')
    await apply({ endpoints: [endpoint('a-able', { voices: [{ ...endpoint('x').voices[0], slug: 'lucid' }] })] })
    for (const named of [{}, { model: 'tts-1' }]) {
      const body = { input: 'Hello.', voice: 'lucid', response_format: 'wav', ...named }
      const reply = await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body })
      expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, ''])
    }
    const asked = { model: 'tts', input: 'Hello.', voice: 'calm' }
    expect((await call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body: asked })).status).toBe(503)
    const { databaseUrl } = service.runtime.settings
    const env = { DATABASE_URL: databaseUrl!, DATA_DIR: service.dataDir }
    const said = await runHere(['say', 'Hello.', '--voice', 'lucid', '-o', join(service.dataDir, 'said.wav')], env)
    expect([said.code, said.stderr]).toEqual([0, ''])
  })
})
