import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { audit } from '../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { type FaultProxy, startFaultProxy } from '../setup/servers/fault-proxy.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const LIMIT = 4
const TEXTS = Array.from({ length: LIMIT }, (_, index) => `Cut off, ${index}.`)

describe('a worker that is cut off from the database', { timeout: 120_000 }, () => {
  let service: TestRuntime
  let speech: SpeechServer
  let proxy: FaultProxy
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterEach(async () => {
    proxy.heal()
    for (const close of closers.splice(0).reverse()) await close()
    await proxy.close()
    await speech.close()
  })
  afterAll(() => service.close())

  const addWorker = async (pool: string, databaseUrl: string): Promise<Runtime> => {
    const settings = { ...service.runtime.settings, databaseUrl, shutdownSeconds: 1 }
    const runtime = await openRuntime(settings, openLog('silent'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime, { pools: [pool] })
    closers.push(() => worker.stop())
    return runtime
  }
  /** All of a server's limit is used by jobs of a worker that has another one next to it, and then no database. */
  const cutOff = async (pool: string, how: 'now' | 'silence') => {
    const { databaseUrl } = service.runtime.settings
    speech = await startSpeechServer()
    speech.answer((_call, nth) => (nth < LIMIT ? { hang: true } : { delayMs: 200 }))
    proxy = await startFaultProxy(databaseUrl ?? '')
    await applyEndpoint(service.runtime, pool, { pool, base_url: speech.url, max_in_flight: LIMIT })
    const { key } = await service.createCaller()
    const victim = await addWorker(pool, proxy.url)
    const ids = await Promise.all(TEXTS.map((text) => submitText(service.url, key, pool, text)))
    await until(() => speech.inFlight() === LIMIT, TIMEOUT_MS, 'all jobs to be at the server')
    await addWorker(pool, databaseUrl ?? '')
    proxy.rule = () => how
    return { victim, ids }
  }
  /** A silent connection keeps the transaction that it was in until PostgreSQL ends it, a quarter of a minute later. */
  const nothingLeft = (ids: readonly string[]) =>
    vi.waitFor(async () => expect(await audit(service.runtime, ids)).toEqual([]), {
      timeout: TIMEOUT_MS,
      interval: 500,
    })

  test('has closed its requests before another worker sends any: the limit of the server holds', async () => {
    const { victim, ids } = await cutOff('cut', 'now')
    await until(() => speech.calls.length > LIMIT, TIMEOUT_MS, 'the other worker to have a job')
    expect(speech.abandoned()).toBe(LIMIT)
    expect(speech.abandonedAt.at(-1)).toBeLessThan(speech.calls[LIMIT]!.at)
    await allFinished(service.runtime, ids)
    expect(speech.mostInFlight()).toBe(LIMIT)
    proxy.heal()
    const isBack = async () => {
      const row = await service.runtime.db.prisma.worker.findUnique({ where: { id: victim.workerId } })
      return row !== null && row.inFlight === 0 && Date.now() - row.heartbeatAt.getTime() < 2000
    }
    await until(isBack, TIMEOUT_MS, 'it to be back, with nothing to do')
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('in silence, without any connection that ends, has closed them as well', async () => {
    const { ids } = await cutOff('silent', 'silence')
    await until(() => speech.calls.length > LIMIT, TIMEOUT_MS, 'the other worker to have a job')
    expect(speech.abandoned()).toBe(LIMIT)
    await allFinished(service.runtime, ids)
    expect(speech.mostInFlight()).toBe(LIMIT)
    await nothingLeft(ids)
  })

  test('whenever it shares out the servers, keeps the limit and holds no lock: each second answer is lost', async () => {
    const { databaseUrl } = service.runtime.settings
    speech = await startSpeechServer()
    speech.answer(() => ({ delayMs: 100 }))
    proxy = await startFaultProxy(databaseUrl ?? '')
    await applyEndpoint(service.runtime, 'shared', { pool: 'shared', base_url: speech.url, max_in_flight: LIMIT })
    const { key } = await service.createCaller()
    let shared = 0
    proxy.rule = (bytes) => (bytes.includes('share_servers') && ++shared % 2 === 0 ? 'reply' : null)
    await addWorker('shared', proxy.url)
    await addWorker('shared', databaseUrl ?? '')
    const texts = Array.from({ length: 8 * LIMIT }, (_, index) => `Answer lost, ${index}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, key, 'shared', text)))
    await until(() => proxy.cuts.reply > 1, TIMEOUT_MS, 'answers to be lost')
    await allFinished(service.runtime, ids)
    expect(speech.mostInFlight()).toBe(LIMIT)
    const locks = `select from pg_locks where locktype = 'advisory' and objsubid = 1
      and (classid::bigint << 32) + objid::bigint = any(array[hashtextextended('sonant permits', 0), hashtextextended($1, 0)])`
    const areFree = async () =>
      (await service.runtime.db.pool.query(locks, [`sonant permits ${speech.url}`])).rowCount === 0
    await until(areFree, TIMEOUT_MS, 'no lock')
    await nothingLeft(ids)
  })
})
