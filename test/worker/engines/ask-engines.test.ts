import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { VOICE_SCOPE } from '../../../src/access/scopes.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { tinyTokens, tinyVits, writeModel } from '../../setup/speech/tiny-models.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 40_000
const SENTENCE = 'This is a test.'
/** Everything is due at each tick. */
const HASTE = { first: 0, every: 200, everyKeyed: 200, again: 200 }
const ENGINES = `{ engines { endpoint { slug } state servers {
  address state voicesOffered voicesMissing spokeAt speechMs realTimeFactor failure error failingSince advice slotsInUse history { spoken failed } } } }`

interface Server {
  readonly address: string | null
  readonly state: string
  readonly failure: string | null
  readonly error: string | null
  readonly failingSince: string | null
  readonly spokeAt: string | null
  readonly slotsInUse: number
  readonly history: readonly { readonly spoken: number; readonly failed: number }[]
}

interface Engine {
  readonly endpoint: { readonly slug: string }
  readonly state: string
  readonly servers: readonly Server[]
}

let service: TestRuntime
let [operator, key] = ['', '']
const workers: Worker[] = []
const servers: SpeechServer[] = []
beforeAll(async () => {
  service = await startTestRuntime({ env: { ASK_ENGINES: 'on', SPEECH_KEY: 'secret' } })
  operator = (await service.createKey(await service.createAccount(), ['operator', VOICE_SCOPE])).apiKey
  key = (await service.createCaller()).key
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
afterAll(() => service.close())

const work = async (pool: string, askTimes: object = HASTE): Promise<void> => {
  workers.push(await startWorker(service.runtime, { pools: [pool], askTimes }))
}
const server = async (port = 0): Promise<SpeechServer> => {
  const started = await startSpeechServer(port)
  servers.push(started)
  return started
}
const apply = (slug: string, urls: readonly string[], more: object = {}) =>
  applyEndpoint(service.runtime, slug, {
    ...{ kind: 'openai-speech', model: 'm', pool: slug, retry_seconds: 0 },
    servers: urls.map((base_url) => ({ base_url, max_in_flight: 1, ...more })),
  })
const engine = async (slug: string): Promise<Engine> =>
  (await read<{ engines: Engine[] }>(service.url, operator, ENGINES)).engines.find(
    ({ endpoint }) => endpoint.slug === slug,
  )!
const stateOf = async (slug: string) => (await engine(slug)).servers[0]!
const become = (slug: string, state: string) =>
  until(async () => (await engine(slug)).state === state, TIMEOUT_MS, `${slug} to be ${state}`)
/** In seconds from now. */
const dueOf = async (slug: string): Promise<number> => {
  const due = 'select extract(epoch from due_at - now())::float8 as due from engine_server where endpoint_slug = $1'
  return (await service.runtime.db.pool.query<{ due: number }>(due, [slug])).rows[0]!.due
}
const texts = ({ calls }: SpeechServer) => calls.map(({ body }) => body.input)

describe('an idle engine', () => {
  test('speaks a sentence, tells its voices and is ready', async () => {
    const speech = await server()
    speech.offer({ voices: ['en-us+f3', 'other'] })
    await apply('idle', [speech.url])
    await work('idle')
    await become('idle', 'READY')
    expect(await stateOf('idle')).toMatchObject({
      ...{ address: speech.url, voicesOffered: 2, voicesMissing: [], failure: null, error: null, advice: null },
      ...{ speechMs: expect.any(Number), realTimeFactor: expect.any(Number), spokeAt: expect.any(String) },
    })
    expect(new Set(texts(speech))).toEqual(new Set([SENTENCE]))
    expect(speech.mostInFlight()).toBe(1)
  })

  test('fails, lacks a voice, goes away and comes back', async () => {
    const speech = await server()
    await apply('moody', [speech.url])
    await work('moody')
    await become('moody', 'READY')
    speech.answer(() => ({ status: 500, json: { detail: 'out of memory' } }))
    await become('moody', 'FAILING')
    const failing = await stateOf('moody')
    expect(failing).toMatchObject({ failure: 'BROKEN', error: expect.stringContaining('500: out of memory') })
    expect(failing).toMatchObject({ failingSince: expect.any(String), advice: expect.stringContaining('log') })
    expect(failing.history.reduce((sum, { failed }) => sum + failed, 0)).toBeGreaterThan(0)
    speech.answer(() => ({}))
    speech.offer({ voices: ['other'] })
    await become('moody', 'DEGRADED')
    expect(await stateOf('moody')).toMatchObject({ failure: 'VOICES_MISSING', error: 'The engine lacks en-us+f3.' })
    await speech.close()
    await become('moody', 'UNREACHABLE')
    expect(await stateOf('moody')).toMatchObject({ failure: 'UNREACHABLE', error: expect.stringContaining('refused') })
    await server(speech.port)
    await become('moody', 'DEGRADED')
    servers.at(-1)!.offer({ voices: ['en-us+f3'] })
    await become('moody', 'READY')
    expect(await stateOf('moody')).toMatchObject({ failure: null, error: null, failingSince: null })
  })

  test('is late if a sentence takes longer than the limit', async () => {
    const speech = await server()
    speech.answer(() => ({ hang: true }))
    await apply('late', [speech.url])
    await work('late', { ...HASTE, limit: 300 })
    await become('late', 'FAILING')
    expect(await stateOf('late')).toMatchObject({ failure: 'LATE', error: expect.stringContaining('for a sentence') })
  })

  test('fails if it hangs up on every text, or in the middle of its answers', async () => {
    const speech = await server()
    speech.answer(() => ({ reset: true }))
    await apply('rude', [speech.url])
    await work('rude')
    await become('rude', 'FAILING')
    expect(await stateOf('rude')).toMatchObject({ failure: 'UNREACHABLE' })
    speech.answer(() => ({ cut: true }))
    await until(async () => (await stateOf('rude')).failure === 'BROKEN', TIMEOUT_MS, 'it to be broken')
  })

  test('that fails is asked after ever longer pauses', async () => {
    const speech = await server()
    speech.answer(() => ({ status: 500 }))
    await apply('down', [speech.url])
    await work('down', { ...HASTE, every: 600_000 })
    await become('down', 'FAILING')
    await service.runtime.db.pool.query(
      `update engine_server set failing_since = now() - interval '2 minutes' where endpoint_slug = 'down'`,
    )
    await until(async () => (await dueOf('down')) > 90, TIMEOUT_MS, 'it to be asked later')
    expect(await dueOf('down')).toBeLessThan(300)
  })

  test('that fails and has a key, which may be paid, is asked no more often than one that speaks', async () => {
    const speech = await server()
    speech.answer(() => ({ status: 500 }))
    await apply('paid', [speech.url], { api_key_env: 'SPEECH_KEY' })
    await work('paid', { ...HASTE, everyKeyed: 600_000 })
    await become('paid', 'FAILING')
    expect(await dueOf('paid')).toBeGreaterThan(500)
    expect(texts(speech)).toEqual([SENTENCE])
  })

  test('is asked at each of its servers, and is degraded while one of them fails', async () => {
    const [first, second] = [await server(), await server()]
    second.answer(() => ({ status: 401, json: { detail: 'no key' } }))
    await apply('pair', [first.url, second.url])
    await work('pair')
    await become('pair', 'DEGRADED')
    await until(async () => (await engine('pair')).servers[1]?.failure === 'REFUSED', TIMEOUT_MS, 'it to be refused')
    expect((await engine('pair')).servers).toMatchObject([
      { address: first.url, state: 'READY' },
      { address: second.url, state: 'FAILING' },
    ])
  })

  test('is asked by one of the workers, and not again before its time', async () => {
    const speech = await server()
    await apply('shared', [speech.url])
    const seldom = { ...HASTE, every: 60_000 }
    await Promise.all([work('shared', seldom), work('shared', seldom), work('shared', seldom)])
    await become('shared', 'READY')
    await work('shared', seldom)
    // All of them have looked since.
    await new Promise((resolve) => setTimeout(resolve, 3000))
    expect(texts(speech)).toEqual([SENTENCE])
  })

  test('is asked at once after its endpoint was applied again', async () => {
    const speech = await server()
    await apply('changed', [speech.url])
    await work('changed', { ...HASTE, every: 60_000 })
    await become('changed', 'READY')
    await apply('changed', [speech.url])
    await until(() => texts(speech).length === 2, TIMEOUT_MS, 'it to speak again')
  })
})

describe('an engine in use', () => {
  test('is asked for no sentence: its jobs tell', async () => {
    const speech = await server()
    await apply('busy', [speech.url])
    await work('busy', { ...HASTE, first: 2000, every: 60_000 })
    const done = await finishedJob(service.url, key, await submitText(service.url, key, 'busy', 'A job speaks.'))
    expect(done.status).toBe('completed')
    await become('busy', 'READY')
    const held = Promise.withResolvers<void>()
    speech.answer(() => ({ until: held.promise }))
    const job = await submitText(service.url, key, 'busy', 'A long one.')
    await until(async () => (await stateOf('busy')).slotsInUse === 1, TIMEOUT_MS, 'its slot to be in use')
    await new Promise((resolve) => setTimeout(resolve, 3000))
    held.resolve()
    expect((await finishedJob(service.url, key, job)).status).toBe('completed')
    expect(texts(speech)).toEqual(['A job speaks.', 'A long one.'])
  })

  test('fails as its jobs do, and is well again with the next one; a text that it rejects says nothing of it', async () => {
    const speech = await server()
    await apply('told', [speech.url])
    await work('told', { ...HASTE, first: 60_000, again: 60_000 })
    const speak = async (text: string) =>
      finishedJob(service.url, key, await submitText(service.url, key, 'told', text))
    await speak('Well.')
    await become('told', 'READY')
    speech.answer(() => ({ status: 400, json: { detail: 'too odd' } }))
    expect((await speak('Odd.')).status).toBe('failed')
    speech.answer(() => ({ status: 500, json: { detail: 'SECRET words' } }))
    expect((await speak('The SECRET words.')).status).toBe('failed')
    await become('told', 'FAILING')
    expect(await stateOf('told')).toMatchObject({ failure: 'BROKEN', error: expect.not.stringContaining('SECRET') })
    speech.answer(() => ({}))
    await speak('Well again.')
    await become('told', 'READY')
  })
})

describe('a model in the workers', () => {
  const sherpa = (slug: string) =>
    applyEndpoint(
      service.runtime,
      slug,
      { kind: 'sherpa-onnx', family: 'vits', model_dir: slug, threads: 1, pool: slug },
      { voices: ['1', '9'].map((at) => ({ slug: `v${at}`, name: at, kind: 'preset', engine_voice: at })) },
    )
  const install = (slug: string) =>
    writeModel(join(service.dataDir, 'models', slug), { 'model.onnx': tinyVits(), 'tokens.txt': tinyTokens() })

  test('that was lacking is well again with a worker that has it', async () => {
    await sherpa('mended')
    await work('mended')
    await become('mended', 'FAILING')
    // The worker says that it lacks the model before the row does.
    await until(async () => (await stateOf('mended')).failingSince !== null, TIMEOUT_MS, 'the row to say since when')
    expect((await stateOf('mended')).failure).toBe('MODEL')
    await workers.pop()!.stop()
    await install('mended')
    await work('mended')
    await become('mended', 'COLD')
    expect(await stateOf('mended')).toMatchObject({ failure: null, failingSince: null })
  })

  test('says nothing of itself with a voice that it lacks', async () => {
    await sherpa('lacking')
    await install('lacking')
    await work('lacking')
    const job = await submitText(service.url, key, 'lacking', 'Hello.', 'v9')
    expect((await finishedJob(service.url, key, job)).error_code).toBe('INTERNAL_ERROR')
    // The worker has written by then what its jobs show.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(await engine('lacking')).toMatchObject({ state: 'READY', servers: [{ failure: null }] })
  })
})

describe('what is kept', () => {
  test('is an hour of each engine, and goes with its time', async () => {
    const { pool } = service.runtime.db
    await apply('listed', ['http://127.0.0.1:9'])
    await pool.query(`
      insert into engine_minute select 'old', '', now() - n * interval '1 minute', 1, 0, 1, 1 from generate_series(1, 500) n;
      insert into engine_server (endpoint_slug, server, due_at) values ('old', 'gone', now() - interval '3 hours'), ('old', 'there', now());
      insert into engine_server (endpoint_slug, server, due_at, used_at) values ('old', 'used', now() - interval '3 hours', now());
      insert into engine_server (endpoint_slug, server, due_at, failure) values ('listed', 'http://127.0.0.1:9', now() - interval '3 hours', 'late')`)
    await work('kept')
    await until(
      async () => (await pool.query(`select from engine_minute where endpoint_slug = 'old'`)).rows.length <= 60,
      TIMEOUT_MS,
      'the minutes to be deleted',
    )
    const kept = async () =>
      (
        await pool.query<{ server: string }>(
          `select server from engine_server where endpoint_slug in ('old', 'listed')`,
        )
      ).rows
    await until(
      async () => (await kept()).every(({ server }) => server !== 'gone'),
      TIMEOUT_MS,
      'the row to be deleted',
    )
    expect((await kept()).map(({ server }) => server).sort()).toEqual(['http://127.0.0.1:9', 'there', 'used'])
  })
})
