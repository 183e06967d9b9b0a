import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { checkEngines } from '../../src/voice/trials/try-engine.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const LIMITS = [4, 2, 2]

describe('the servers of an engine', { timeout: 120_000 }, () => {
  let service: TestRuntime
  let servers: SpeechServer[]
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    servers = await Promise.all(LIMITS.map(() => startSpeechServer()))
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
    await Promise.all(servers.map((server) => server.close()))
  })

  const addWorker = async (pool: string) => {
    const runtime = await openRuntime(service.runtime.settings, openLog('silent'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime, { pools: [pool] })
    closers.push(() => worker.stop())
  }
  const apply = (pool: string, used = servers) =>
    applyEndpoint(service.runtime, pool, {
      ...{ kind: 'openai-speech', model: 'tts', pool, base_url: undefined, retry_seconds: 20 },
      servers: used.map(({ url }, n) => ({ base_url: url, max_in_flight: LIMITS[n] })),
    })
  const submit = async (pool: string, count: number) => {
    const { key } = await service.createCaller(100_000n)
    const texts = Array.from({ length: count }, (_, n) => `Text ${n}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, key, pool, text)))
    return { ids, key }
  }
  const permits = async () => {
    const { rows } = await service.runtime.db.pool.query<{ permits: Record<string, number> }>(
      'select permits from worker order by id',
    )
    return rows.map((row) => servers.map(({ url }) => row.permits[url] ?? 0))
  }

  test('fast, slow and broken, end 60 jobs of two workers without a failure, and none is asked beyond its limit', async () => {
    const [fast, slow, broken] = servers as [SpeechServer, SpeechServer, SpeechServer]
    fast.answer(() => ({ delayMs: 30 }))
    slow.answer(() => ({ delayMs: 500 }))
    broken.answer(() => ({ status: 503 }))
    await apply('three')
    await addWorker('three')
    await addWorker('three')
    const each = [LIMITS, LIMITS].map((limits) => limits.map((limit) => limit / 2))
    await until(async () => String(await permits()) === String(each), TIMEOUT_MS, 'a part of each for both')
    const { ids, key } = await submit('three', 60)
    await allFinished(service.runtime, ids)
    const jobs = await Promise.all(ids.map((id) => readJob(service.url, key, id)))
    expect(jobs.map(({ status }) => status)).toEqual(ids.map(() => 'completed'))
    expect(fast.calls.length).toBeGreaterThan(slow.calls.length)
    for (const [n, server] of servers.entries()) expect(server.mostInFlight()).toBeLessThanOrEqual(LIMITS[n] ?? 0)
  })

  test('take their jobs along when one is added, and are listed with the permits of each worker', async () => {
    for (const server of servers) server.answer(() => ({ delayMs: 50 }))
    await apply('grown', servers.slice(0, 1))
    const { ids } = await submit('grown', 8)
    await apply('grown')
    const { rows } = await service.runtime.db.pool.query(
      `select distinct group_tier from pgboss.job where data->>'jobId' = any($1)`,
      [ids],
    )
    const route = servers
      .map(({ url }) => url)
      .sort()
      .join(' ')
    expect(rows).toEqual([{ group_tier: route }])
    await addWorker('grown')
    await allFinished(service.runtime, ids)
    expect(servers.map(({ calls }) => calls.length > 0)).toEqual([true, true, true])
    expect(await permits()).toEqual([LIMITS])
  })

  test('are checked each alone', async () => {
    servers[1]?.answer(() => ({ status: 500, json: { message: 'no memory' } }))
    await apply('checked')
    const checks = await checkEngines(service.runtime.as({ kind: 'system' }))
    const own = checks.filter(({ endpoint }) => endpoint === 'checked')
    expect(own.map(({ server, error }) => [server, error === null])).toEqual(
      servers.map(({ url }, n) => [url, n !== 1]),
    )
  })
})
