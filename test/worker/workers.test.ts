import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startWorker } from '../../src/worker/start-worker.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const QUERY = '{ workers { id host version pools slots inFlight gpus { name memoryMib } startedAt heartbeatAt } }'

type Answer = { data: { workers: Record<string, unknown>[] } | null; errors?: { extensions: { code: string } }[] }

describe('workers', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())

  const ask = async (key?: string) =>
    (
      await call(`${service.url}/graphql`, {
        method: 'POST',
        body: { query: QUERY },
        ...(key !== undefined && { key }),
      })
    ).json<Answer>()

  test('a worker is on the list with its pools, slots and jobs while it runs, and off it once it is stopped', async () => {
    const operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
    const caller = await service.createCaller()
    await applyEndpoint(service.runtime, 'shown', { pool: 'shown', max_in_flight: 5 })
    const gate = Promise.withResolvers<void>()
    const worker = await startWorker(service.runtime, {
      pools: ['shown'],
      engines: standInEngines(() => gate.promise),
    })
    onTestFinished(() => worker.stop())
    const id = await submitText(service.url, caller.key, 'shown', 'Being spoken.')
    // One that stood still for seconds has no slot until its next heartbeat.
    const isBusy = ({ inFlight, slots }: Record<string, unknown>) => inFlight === 1 && slots !== 0
    const busy = async () => (await ask(operator)).data?.workers.find(isBusy)
    const shown = await until(busy, TIMEOUT_MS, 'the heartbeat to tell of the job')
    expect(shown).toMatchObject({ host: hostname(), version: '0.1.0', pools: ['shown'], slots: 5 })
    expect(shown?.id).toMatch(/^wrk_/)
    const first = Date.parse(String(shown?.heartbeatAt))
    const later = async () => Date.parse(String((await busy())?.heartbeatAt)) > first
    await until(later, TIMEOUT_MS, 'another heartbeat')
    gate.resolve()
    await allFinished(service.runtime, [id])
    await worker.stop()
    expect((await ask(operator)).data?.workers).toEqual([])
  })

  test('pools show what waits, what runs and what takes it, live, and a dead worker is silent', async () => {
    const operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
    const caller = await service.createCaller()
    const server = 'http://127.0.0.1:9/v1'
    await applyEndpoint(service.runtime, 'pooled', {
      kind: 'openai-speech',
      base_url: server,
      model: 'm',
      pool: 'gpu',
      max_in_flight: 3,
    })
    await submitText(service.url, caller.key, 'pooled', 'Waits.')
    interface Shown {
      readonly name: string
      readonly waiting: number
      readonly workers: number
    }
    const client = openSocketClient(service.url, operator)
    const FIELDS = 'name waiting oldestWaitingSince processing slots workers server maxInFlight'
    const live = client.subscribe<{ poolsUpdated: Shown[] }>(
      `subscription { poolsUpdated(everyMs: 100) { ${FIELDS} } }`,
    )
    const silent = client.subscribe<{ workersUpdated: { id: string; silent: boolean; permits: object[] }[] }>(
      'subscription { workersUpdated(everyMs: 100) { id silent permits { server requests } } }',
    )
    const gpu = ({ poolsUpdated }: { poolsUpdated: Shown[] }) => poolsUpdated.find(({ name }) => name === 'gpu')
    await live.waitFor((shown) => gpu(shown)?.waiting === 1 && gpu(shown)?.workers === 0)
    const insert = (id: string, age: number) =>
      service.runtime.db.pool.query(
        `insert into worker (id, host, version, pools, slots, in_flight, gpus, permits, heartbeat_at)
         values ($1, 'h', '1', '{gpu}', 3, 0, '[]', '{"http://127.0.0.1:9": 3}', now() + $2 * interval '1 second')`,
        [id, age],
      )
    await insert('wrk_alive', 600)
    await insert('wrk_dead', -10)
    await live.waitFor((shown) => gpu(shown)?.workers === 1)
    const { pools } = await read<{ pools: Shown[] }>(service.url, operator, `{ pools { ${FIELDS} } }`)
    expect(pools.find(({ name }) => name === 'gpu')).toEqual({
      ...{
        name: 'gpu',
        waiting: 1,
        oldestWaitingSince: expect.stringMatching(/Z$/),
        processing: 0,
        slots: 3,
        workers: 1,
      },
      ...{ server: expect.stringContaining('127.0.0.1:9'), maxInFlight: 3 },
    })
    const { workersUpdated } = await silent.waitFor((heard) => heard.workersUpdated.length === 2)
    expect(workersUpdated).toEqual([
      { id: 'wrk_alive', silent: false, permits: [{ server: 'http://127.0.0.1:9', requests: 3 }] },
      { id: 'wrk_dead', silent: true, permits: [{ server: 'http://127.0.0.1:9', requests: 3 }] },
    ])
    await service.runtime.db.pool.query('delete from worker')
    await client.dispose()
    const other = openSocketClient(service.url, caller.key)
    const refused = other.subscribe('subscription { poolsUpdated { name } }')
    await refused.ended()
    expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    await other.dispose()
  })

  test('only a key with the scope operator sees the workers', async () => {
    const caller = await service.createCaller()
    expect((await ask(caller.key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    expect((await ask()).errors?.[0]?.extensions.code).toBe('UNAUTHORIZED')
  })
})
