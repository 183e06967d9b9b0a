import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRuntime } from '../../src/runtime/runtime.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const SENTENCE =
  'The quick brown fox jumps over the lazy dog while the sun goes down behind the hills of the far country. '
const INPUTS = {
  inputs: {
    type: 'object',
    additionalProperties: false,
    required: ['text', 'voice'],
    properties: { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } },
  },
}

describe('max_in_flight', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let server: SpeechServer
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    server = await startSpeechServer()
    server.answer(() => ({ delayMs: 40 }))
    closers.push(() => server.close())
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  const addWorker = async (pool: string) => {
    const runtime = await openRuntime(service.runtime.settings, openLog('error'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime, { pools: [pool] })
    closers.push(() => worker.stop())
  }
  const shares = async () => {
    const workers = await service.runtime.db.prisma.worker.findMany()
    return workers.map(({ permits }) => (permits as Record<string, number>)[server.url] ?? 0).sort()
  }
  const submit = async (slugs: readonly string[], texts: readonly string[]) => {
    const { key } = await service.createCaller(100_000_000n)
    return Promise.all(texts.map((text, n) => submitText(service.url, key, slugs[n % slugs.length]!, text)))
  }
  const longTexts = Array.from({ length: 12 }, (_, n) => `Text ${n}. ${SENTENCE.repeat(12)}`)

  test('is never exceeded by two workers with texts of many chunks, and both work', async () => {
    const engine = { pool: 'long', base_url: server.url, max_in_flight: 5, profile: 'vllm-omni' }
    await applyEndpoint(service.runtime, 'long', engine, INPUTS)
    await addWorker('long')
    await addWorker('long')
    await until(async () => (await shares()).filter((share) => share > 0).length === 2, TIMEOUT_MS, 'a part for each')
    const busy = service.runtime.db.pool
    const workers = new Set<string>()
    const ids = await submit(['long'], longTexts)
    const bothSeen = async () => {
      const { rows } = await busy.query(
        `select distinct data->>'worker' as id from pgboss.job where name = 'voice.long'`,
      )
      for (const { id } of rows) if (id !== null) workers.add(id)
      return workers.size === 2
    }
    await until(bothSeen, TIMEOUT_MS, 'both workers to have jobs')
    await allFinished(service.runtime, ids)
    expect(server.calls.length).toBeGreaterThan(ids.length * 2)
    expect(server.mostInFlight()).toBeLessThanOrEqual(5)
    expect(server.mostInFlight()).toBeGreaterThan(2)
  })

  test('is the lowest of all endpoints on a server', async () => {
    const engine = { pool: 'shared', base_url: server.url }
    await applyEndpoint(service.runtime, 'wide', { ...engine, max_in_flight: 9 }, INPUTS)
    await applyEndpoint(service.runtime, 'narrow', { ...engine, max_in_flight: 2 }, INPUTS)
    await addWorker('shared')
    await allFinished(service.runtime, await submit(['wide', 'narrow'], longTexts.slice(0, 6)))
    expect(server.mostInFlight()).toBe(2)
  })

  test('is kept while a worker joins one that has all of it: the newcomer gets places as requests end', async () => {
    const gate = Promise.withResolvers<void>()
    server.answer(({ body }) => (String(body.input).startsWith('Held') ? { until: gate.promise } : {}))
    await applyEndpoint(service.runtime, 'joined', { pool: 'joined', base_url: server.url, max_in_flight: 4 }, INPUTS)
    await addWorker('joined')
    const held = await submit(['joined'], ['Held 1.', 'Held 2.', 'Held 3.', 'Held 4.'])
    await until(() => server.calls.length === 4, TIMEOUT_MS, 'the server to be full')
    await addWorker('joined')
    const more = await submit(
      ['joined'],
      Array.from({ length: 12 }, (_, n) => `More ${n}.`),
    )
    await until(async () => (await shares()).length === 2, TIMEOUT_MS, 'the newcomer to be registered')
    expect(await shares()).toEqual([0, 4])
    expect(server.calls).toHaveLength(4)
    gate.resolve()
    await allFinished(service.runtime, [...held, ...more])
    await until(async () => String(await shares()) === '2,2', TIMEOUT_MS, 'both to have their part')
    expect(server.mostInFlight()).toBe(4)
  })

  test('is waited for without looking dead: no heartbeat is older than the one before', async () => {
    await applyEndpoint(service.runtime, 'late', { pool: 'late', base_url: server.url }, INPUTS)
    await addWorker('late')
    const { pool, prisma } = service.runtime.db
    const heartbeat = async () => (await prisma.worker.findFirstOrThrow()).heartbeatAt.getTime()
    const others = await pool.connect()
    const begun = await heartbeat()
    await others.query(`select pg_advisory_lock(hashtextextended('sonant permits', 0))`)
    await until(async () => (await heartbeat()) > begun + 3000, TIMEOUT_MS, 'the worker to have waited')
    const seen = [await heartbeat()]
    others.release(true)
    const isSeenAgain = async () => seen[seen.push(await heartbeat()) - 1]! > seen[0]! + 2500
    await until(isSeenAgain, TIMEOUT_MS, 'more heartbeats')
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  })

  test('of one request goes from pool to pool: neither waits for ever', async () => {
    const engine = { base_url: server.url, max_in_flight: 1 }
    await applyEndpoint(service.runtime, 'early', { ...engine, pool: 'early' }, INPUTS)
    await applyEndpoint(service.runtime, 'after', { ...engine, pool: 'after' }, INPUTS)
    await addWorker('early')
    await addWorker('after')
    const ids = await submit(['after', 'early'], ['One.', 'Two.', 'Three.', 'Four.'])
    await allFinished(service.runtime, ids)
    expect(server.mostInFlight()).toBe(1)
  })

  test('belongs to the job that is rendered: one that is being stored leaves its capacity to the next one', async () => {
    await applyEndpoint(service.runtime, 'stored', { pool: 'stored', base_url: server.url, max_in_flight: 1 }, INPUTS)
    const gate = Promise.withResolvers<void>()
    const runtime = await openRuntime(service.runtime.settings, openLog('error'), { supervise: true })
    closers.push(() => runtime.close())
    const put: Storage['put'] = async (...given) => gate.promise.then(() => runtime.storage.put(...given))
    const worker = await startWorker({ ...runtime, storage: { ...runtime.storage, put } }, { pools: ['stored'] })
    closers.push(() => worker.stop())
    const ids = await submit(['stored'], ['Stored later.', 'Spoken meanwhile.'])
    await until(() => server.calls.length === 2, TIMEOUT_MS, 'the second text to be spoken')
    gate.resolve()
    await allFinished(service.runtime, ids)
    expect(server.mostInFlight()).toBe(1)
  })

  test('is that of the new server for jobs that waited when their endpoint moved', async () => {
    const engine = { pool: 'moving', max_in_flight: 1 }
    await applyEndpoint(service.runtime, 'moving', { ...engine, base_url: 'http://127.0.0.1:9' }, INPUTS)
    const ids = await submit(['moving'], ['One.', 'Two.'])
    await applyEndpoint(service.runtime, 'moving', { ...engine, base_url: server.url }, INPUTS)
    const { rows } = await service.runtime.db.pool.query(
      `select group_tier from pgboss.job where data->>'jobId' = any($1)`,
      [ids],
    )
    expect(rows.map((row) => row.group_tier)).toEqual([server.url, server.url])
  })
})
