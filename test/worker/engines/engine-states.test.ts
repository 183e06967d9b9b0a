import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VOICE_SCOPE } from '../../../src/access/scopes.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const [FIRST, SECOND] = ['http://first:1', 'http://second:2']
const SERVER = 'address host state slots slotsInUse voicesMissing realTimeFactor failure error failingSince advice'
const ENGINES = `{ engines { endpoint { slug } kind pool state servers { ${SERVER} history { spoken failed meanMs realTimeFactor } } } }`
const SHERPA = { voices: [{ slug: 'calm', name: 'Calm', kind: 'preset', engine_voice: '0' }] }

interface Engine {
  readonly endpoint: { readonly slug: string }
  readonly state: string
  readonly servers: readonly Readonly<Record<string, unknown>>[]
}

let service: TestRuntime
let [operator, caller] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime()
  operator = (await service.createKey(await service.createAccount(), ['operator', VOICE_SCOPE])).apiKey
  caller = (await service.createCaller()).key
  const servers = [FIRST, SECOND].map((base_url) => ({ base_url, max_in_flight: 4 }))
  await applyEndpoint(service.runtime, 'two', { kind: 'openai-speech', model: 'm', pool: 'two', servers })
  await applyEndpoint(service.runtime, 'own', { pool: 'own', base_url: 'worker', max_in_flight: 3 })
  await applyEndpoint(
    service.runtime,
    'model',
    { kind: 'sherpa-onnx', pool: 'model', family: 'vits', model_dir: 'm' },
    SHERPA,
  )
})
afterAll(() => service.close())

const query = (text: string, values: readonly unknown[] = []) => service.runtime.db.pool.query(text, [...values])
const engine = async (slug: string): Promise<Engine> =>
  (await read<{ engines: Engine[] }>(service.url, operator, ENGINES)).engines.find(
    ({ endpoint }) => endpoint.slug === slug,
  )!

interface Living {
  readonly away?: object
  readonly engines?: object
  readonly server?: object
}

const living = (id: string, pool: string, { away = {}, engines = {}, server }: Living = {}) =>
  query(
    `insert into worker (id, host, version, pools, slots, in_flight, gpus, away, engines, server, heartbeat_at)
     values ($1, $1 || '-host', '1', array[$2], 1, 0, '[]', $3, $4, $5, now() + interval '1 hour')
     on conflict (id) do update set away = $3, engines = $4, server = $5`,
    [id, pool, JSON.stringify(away), JSON.stringify(engines), server === undefined ? null : JSON.stringify(server)],
  )
const noted = (slug: string, server: string, columns: Readonly<Record<string, unknown>>) =>
  query(
    `insert into engine_server (endpoint_slug, server, due_at, ${Object.keys(columns)}) values ($1, $2, now(), ${Object.keys(columns).map((_, at) => `$${at + 3}`)})
     on conflict (endpoint_slug, server) do update set ${Object.keys(columns).map((name) => `${name} = excluded.${name}`)}`,
    [slug, server, ...Object.values(columns)],
  )

describe('engines', () => {
  test('are for operators', async () => {
    expect(codeOf(await ask(service.url, caller, ENGINES))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, ENGINES))).toBe('UNAUTHORIZED')
  })

  test('are unknown before a worker lives, and until one has found out', async () => {
    const before = await engine('two')
    expect(before).toMatchObject({ kind: 'openai-speech', pool: 'two', state: 'UNKNOWN' })
    expect(before.servers[0]).toMatchObject({ failure: 'NO_WORKER', advice: expect.stringContaining('sonant work') })
    await living('w1', 'two')
    expect((await engine('two')).servers).toMatchObject([{ state: 'UNKNOWN', failure: null, slots: 4 }, {}])
  })

  test('are degraded while one of their servers speaks, and say what to do about the other', async () => {
    await noted('two', FIRST, { spoke_at: new Date(), took_ms: 500, audio_ms: 2000 })
    expect(await engine('two')).toMatchObject({ state: 'READY' })
    const failed = { failure: 'broken', error: 'The server answered 500: out of memory.', failing_since: new Date() }
    await noted('two', SECOND, failed)
    const { state, servers } = await engine('two')
    expect(state).toBe('DEGRADED')
    expect(servers).toMatchObject([
      { address: FIRST, state: 'READY', realTimeFactor: 0.25, failure: null, advice: null, failingSince: null },
      { address: SECOND, state: 'FAILING', failure: 'BROKEN', error: failed.error, failingSince: expect.any(String) },
    ])
  })

  test('are unreachable only if every living worker of the pool says so', async () => {
    await living('w1', 'two', { away: { [FIRST]: 'connection refused', [SECOND]: 'connection refused' } })
    await living('w2', 'two', { engines: { [FIRST]: { slots: null, in_use: 2, model: null } } })
    expect((await engine('two')).servers[0]).toMatchObject({ state: 'DEGRADED', failure: 'UNREACHABLE', slotsInUse: 2 })
    await living('w2', 'two', { away: { [FIRST]: 'no answer' } })
    expect((await engine('two')).servers[0]).toMatchObject({ state: 'UNREACHABLE', failure: 'UNREACHABLE' })
  })

  test('fail if every worker is there and yet a server answers no text', async () => {
    for (const id of ['w1', 'w2']) await living(id, 'two')
    await noted('two', FIRST, { failure: 'unreachable', error: 'The server cannot be reached (UND_ERR_SOCKET).' })
    expect((await engine('two')).servers[0]).toMatchObject({ state: 'FAILING', failure: 'UNREACHABLE' })
    await noted('two', FIRST, { failure: null, error: null })
  })

  test('are degraded while one server speaks in part and no worker reaches the other', async () => {
    for (const id of ['w1', 'w2']) await living(id, 'two', { away: { [SECOND]: 'connection refused' } })
    await noted('two', FIRST, { voices_missing: ['Vivian'] })
    const { state, servers } = await engine('two')
    expect([state, servers.map((server) => server.state)]).toEqual(['DEGRADED', ['DEGRADED', 'UNREACHABLE']])
  })

  test('lack voices, and speak the others', async () => {
    await living('w2', 'two')
    await noted('two', FIRST, { voices_missing: ['Vivian'] })
    expect((await engine('two')).servers[0]).toMatchObject({
      ...{ state: 'DEGRADED', failure: 'VOICES_MISSING', error: 'The engine lacks Vivian.', voicesMissing: ['Vivian'] },
    })
  })

  test('are one server for each worker that owns one', async () => {
    expect((await engine('own')).servers).toMatchObject([{ failure: 'NO_WORKER' }])
    await living('o0', 'own')
    expect(await engine('own')).toMatchObject({ state: 'UNREACHABLE', servers: [{ failure: 'NO_SERVER' }] })
    await living('o1', 'own', { server: { state: 'starting', since: '', restarts: 0, error: null } })
    expect((await engine('own')).state).toBe('LOADING')
    await living('o1', 'own', { server: { state: 'ready', since: '', restarts: 0, error: null } })
    await living('o2', 'own', { server: { state: 'failed', since: '', restarts: 0, error: 'out of memory' } })
    await noted('own', 'o1', { spoke_at: new Date(), took_ms: 1, audio_ms: 1 })
    const { state, servers } = await engine('own')
    expect([state, servers.map(({ host }) => host)]).toEqual(['DEGRADED', ['o1-host', 'o2-host']])
    expect(servers).toMatchObject([
      { address: 'worker', state: 'READY', slots: 3 },
      { state: 'FAILING', error: 'out of memory' },
    ])
  })

  test('load their model when it is first asked for', async () => {
    const key = JSON.stringify(['vits', 'm', [], 2, 1])
    const load = (model: string) => ({ engines: { [key]: { slots: 2, in_use: 1, model } } })
    await living('m1', 'model', load('cold'))
    expect(await engine('model')).toMatchObject({
      state: 'COLD',
      servers: [{ address: null, slots: 2, slotsInUse: 1 }],
    })
    await living('m2', 'model', load('loading'))
    expect(await engine('model')).toMatchObject({ state: 'LOADING', servers: [{ slots: 4, slotsInUse: 2 }] })
    await living('m2', 'model', load('warm'))
    expect(await engine('model')).toMatchObject({ state: 'READY' })
  })

  test('are degraded while only some workers have the model, whatever those note that lack it', async () => {
    const key = JSON.stringify(['vits', 'm', [], 2, 1])
    await living('m1', 'model', { away: { [key]: 'model_dir m cannot be read' } })
    for (const failure of ['model', null]) {
      await noted('model', '', { failure })
      expect((await engine('model')).servers).toMatchObject([
        { state: 'DEGRADED', failure: 'MODEL', error: 'model_dir m cannot be read' },
      ])
    }
    await noted('model', '', { failure: 'broken' })
    expect(await engine('model')).toMatchObject({ state: 'FAILING', servers: [{ failure: 'BROKEN' }] })
  })

  test('have the minutes of an hour', async () => {
    const minute = (minutes: number, spoken: number) =>
      query(
        `insert into engine_minute values ('two', $1, now() - $2 * interval '1 minute', $3, 1, $3 * 100, $3 * 400)`,
        [FIRST, minutes, spoken],
      )
    await minute(70, 9)
    await minute(1, 0)
    await minute(30, 5)
    const [first, second] = (await engine('two')).servers
    expect([first?.history, second?.history]).toEqual([
      [
        { spoken: 5, failed: 1, meanMs: 100, realTimeFactor: 0.25 },
        { spoken: 0, failed: 1, meanMs: null, realTimeFactor: null },
      ],
      [],
    ])
  })
})
