import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelJob } from '../../src/jobs/lifecycle/cancel-job.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../setup/jobs/workflows.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { type CogServer, startCogServer } from '../setup/servers/cog-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const LATENCY_MS = 150
const ELSEWHERE = 'http://127.0.0.1:9'
const ATTEMPTS = 'select sum(attempt)::integer as attempts from job where id = any($1)'

describe('max_in_flight of a workflow', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let cog: CogServer
  let key: string
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
    key = (await service.createKey(await service.createAccount(), ['generate:workflow'])).apiKey
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    cog = await startCogServer()
    closers.push(() => cog.close())
  })
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  /** One that shares nothing with the others but the database. */
  const addWorker = async () => {
    const runtime = await openRuntime(service.runtime.settings, openLog('error'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime)
    closers.push(() => worker.stop())
  }
  const apply = (slug: string, engine: object) => applyWorkflow(service.runtime, slug, { base_url: cog.url, ...engine })
  const submit = (slug: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => submitPrompt(service.url, key, slug, `Number ${n}`)))
  const shares = async (server = cog.url) => {
    const workers = await service.runtime.db.prisma.worker.findMany()
    return workers.map(({ permits }) => (permits as Record<string, number>)[server] ?? 0).sort()
  }
  /** A prediction ends when the test opens its gate. */
  const held = (count: number, polled: boolean) => {
    const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
    cog.answer((_call, index) => ({ polled, until: gates[index]?.promise ?? Promise.resolve() }))
    return gates
  }

  test.each([false, true])('holds over two workers (polled: %s)', async (polled) => {
    const slug = polled ? 'polled' : 'answered'
    await apply(slug, { max_in_flight: 4 })
    await addWorker()
    await addWorker()
    await until(async () => String(await shares()) === '2,2', TIMEOUT_MS, 'both to have their part')
    const gate = Promise.withResolvers<void>()
    cog.answer((_call, index) => (index < 4 ? { polled, until: gate.promise } : { polled, ms: LATENCY_MS }))
    const ids = await submit(slug, 40)
    await until(() => cog.running() === 4, TIMEOUT_MS, 'every place to be in use')
    gate.resolve()
    await allFinished(service.runtime, ids)
    // A prediction is made once in each attempt: the jobs of a worker that was given up where the machine stood still have two.
    const [{ attempts }] = (await service.runtime.db.pool.query(ATTEMPTS, [ids])).rows
    expect(new Set(cog.calls.map(({ input }) => JSON.stringify(input))).size).toBe(ids.length)
    expect(new Set(cog.calls.map(({ id }) => id)).size).toBeLessThanOrEqual(attempts)
    expect(cog.mostRunning()).toBe(4)
    // The fifth begins when the first ends; reported, not judged: the machine may have other things to do.
    const begun = cog.calls.slice(12).map(({ at }) => at)
    const laps = begun.slice(4).map((at, n) => at - begun[n]!)
    const share = LATENCY_MS / laps.toSorted((a, b) => a - b)[Math.floor(laps.length / 2)]!
    process.stderr.write(`places in use ${share.toFixed(2)} (polled: ${polled})\n`)
  })

  test('is reached: every place that gets free is used again while the others are still held', async () => {
    const gates = held(12, false)
    await apply('reached', { max_in_flight: 4 })
    await addWorker()
    await addWorker()
    const ids = await submit('reached', 12)
    for (let begun = 4; begun <= 12; begun++) {
      // More where the machine stood still, and one worker was given up by the other.
      await until(() => cog.calls.length >= begun, TIMEOUT_MS, 'the next one')
      gates[begun - 4]!.resolve()
    }
    for (const gate of gates) gate.resolve()
    await allFinished(service.runtime, ids)
    expect(cog.mostRunning()).toBe(4)
  })

  test('is used by every job that was let in before another worker joined', async () => {
    const gates = held(4, false)
    await apply('crowded', { max_in_flight: 4 })
    const ids = await submit('crowded', 4)
    const lock = await service.runtime.db.pool.connect()
    closers.push(async () => lock.release(true))
    // Let in, they cannot be claimed yet.
    await lock.query(BEGIN_HELD)
    await lock.query('select from job where id = any($1) for update', [ids.slice(2)])
    await addWorker()
    await until(() => cog.running() === 2, TIMEOUT_MS, 'the two that can be claimed')
    const heartbeats = async () => {
      const workers = await service.runtime.db.prisma.worker.findMany({ orderBy: { id: 'asc' } })
      return workers.map(({ heartbeatAt }) => heartbeatAt.getTime())
    }
    await addWorker()
    const joined = Math.max(...(await heartbeats()))
    // The first one's first heartbeat after that gives it half of the server, the second one's would take the other half.
    await until(async () => Math.min(...(await heartbeats())) > joined + 1000, TIMEOUT_MS, 'both to know of each other')
    expect(await shares()).toEqual([0, 4])
    await lock.query('rollback')
    await until(() => cog.running() === 4, TIMEOUT_MS, 'all four to be there')
    for (const gate of gates) gate.resolve()
    await allFinished(service.runtime, ids)
  })

  test('is the lowest of all workflows and endpoints that name the server, however they spell it', async () => {
    await apply('wide', { max_in_flight: 9 })
    await apply('narrow', { max_in_flight: 5, base_url: cog.url.replace('http:', 'HTTP:') })
    await applyEndpoint(service.runtime, 'spoken', { base_url: `${cog.url}/v1`, max_in_flight: 2 })
    await addWorker()
    cog.answer(() => ({ ms: 20 }))
    await allFinished(service.runtime, [...(await submit('wide', 8)), ...(await submit('narrow', 8))])
    expect(cog.mostRunning()).toBe(2)
  })

  test('holds as it is applied again: more begin at once, fewer as the others end', async () => {
    const gates = held(8, true)
    await apply('changed', { max_in_flight: 1 })
    await addWorker()
    await addWorker()
    const ids = await submit('changed', 8)
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the first')
    await apply('changed', { max_in_flight: 5 })
    await until(() => cog.running() === 5, TIMEOUT_MS, 'five at once')
    await apply('changed', { max_in_flight: 2 })
    // A process that knows of this has heard of that.
    await apply('later', { max_in_flight: 6, base_url: ELSEWHERE })
    await until(async () => String(await shares(ELSEWHERE)) === '3,3', TIMEOUT_MS, 'both to have heard of it')
    for (const gate of gates.slice(0, 4)) gate.resolve()
    // Four have ended, one is left of the five: one more may begin.
    await until(() => cog.calls.length >= 6, TIMEOUT_MS, 'the sixth')
    expect(cog.running()).toBeLessThanOrEqual(2)
    for (const gate of gates) gate.resolve()
    await allFinished(service.runtime, ids)
    expect(cog.mostRunning()).toBe(5)
  })

  test('counts a prediction that is polled until its cancellation was answered', async () => {
    const gates = held(2, true)
    const cancelling = Promise.withResolvers<void>()
    cog.cancelAfter(cancelling.promise)
    await apply('cancelled', { max_in_flight: 1 })
    await addWorker()
    const [first] = await submit('cancelled', 1)
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the first')
    const [second] = await submit('cancelled', 1)
    await cancelJob(service.runtime.as({ kind: 'system' }), { jobId: first! })
    await until(() => cog.cancelled.length === 1, TIMEOUT_MS, 'the cancellation')
    // The next one has been taken and waits: the first is still there.
    const taken = `select from pgboss.job where state = 'active' and data->>'jobId' = $1`
    const isTaken = async () => (await service.runtime.db.pool.query(taken, [second])).rowCount === 1
    await until(isTaken, TIMEOUT_MS, 'the second to be taken')
    expect(cog.calls).toHaveLength(1)
    cancelling.resolve()
    await until(() => cog.running() === 1 && cog.calls.length === 2, TIMEOUT_MS, 'the second')
    gates[1]!.resolve()
    await allFinished(service.runtime, [first!, second!])
    expect(cog.mostRunning()).toBe(1)
  })

  test('is that of the new server for jobs that waited when their workflow moved there', async () => {
    const moved = await startCogServer()
    closers.push(() => moved.close())
    held(1, false)
    await apply('moving', { max_in_flight: 1 })
    await addWorker()
    const [first] = await submit('moving', 1)
    await until(() => cog.running() === 1, TIMEOUT_MS, 'the first')
    const rest = await submit('moving', 3)
    moved.answer(() => ({ ms: 20 }))
    await apply('moving', { max_in_flight: 1, base_url: moved.url })
    await allFinished(service.runtime, rest)
    expect([cog.calls.length, moved.calls.length, moved.mostRunning()]).toEqual([1, 3, 1])
    await cancelJob(service.runtime.as({ kind: 'system' }), { jobId: first! })
  })
})
