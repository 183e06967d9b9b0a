import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { HEALTH_TIMES } from '../../../src/worker/server/server-health.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../../setup/jobs/workflows.ts'
import { ILLNESSES, makeServerProgram, type ServerProgram } from '../../setup/servers/server-program.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const POOL = 'gpu'
const ALONE = 'lonely'
const TEXTS = Array.from({ length: 16 }, (_, index) => `Text number ${index} of many.`)
const STATES = `select server->>'state' as state from worker
  where $1 = any(pools) and heartbeat_at > now() - interval '5 seconds' order by started_at`
const ENDINGS = 'select distinct ending from job_attempt where job_id = any($1) and ending is not null'
const COUNTED = 'select max(attempt - hand_backs) as most from job where id = any($1)'
const TIMES = {
  ...{ pollMs: 20, probeMs: 100, answerMs: 5_000, silenceMs: 20_000, backoffMs: 20, longestBackoffMs: 50 },
  ...{ ...HEALTH_TIMES, refusalMs: 300, pauseMs: 50, longestPauseMs: 200, restartMs: 600_000, soleRestartMs: 8_000 },
}

describe('a worker’s own server that is unwell while it says that it is ready', { timeout: 120_000 }, () => {
  let service: TestRuntime
  let caller: Awaited<ReturnType<TestRuntime['createCaller']>>
  let unwell: ServerProgram
  let lonely: ServerProgram
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
    const engine = { base_url: 'worker', max_in_flight: 2, retry_seconds: 0 }
    await applyEndpoint(service.runtime, 'own', { ...engine, pool: POOL })
    await applyEndpoint(service.runtime, 'alone', { ...engine, pool: ALONE })
    await applyWorkflow(service.runtime, 'drawn', { base_url: 'worker', max_in_flight: 2, retry_seconds: 0 })
    ;[unwell, lonely] = [await addWorker(POOL), await addWorker(ALONE, { restartMs: 8_000 })]
    for (let more = 0; more < 2; more++) await addWorker(POOL)
    await until(async () => (await statesOf(POOL)).join() === 'ready,ready,ready', TIMEOUT_MS, 'the servers')
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
    await service.close()
  })
  beforeEach(async () => {
    caller = await service.createCaller()
  })

  const addWorker = async (pool: string, times: Partial<typeof TIMES> = {}): Promise<ServerProgram> => {
    const program = await makeServerProgram()
    const runtime = await openRuntime(service.runtime.settings, openLog('silent'), { supervise: true })
    const server = { spec: program.spec, environment: { PATH: process.env.PATH }, times: { ...TIMES, ...times } }
    const worker = await startWorker(runtime, { pools: [pool], server })
    closers.push(async () => {
      await worker.stop()
      await runtime.close()
      await program.remove()
    })
    return program
  }
  const statesOf = async (pool: string) =>
    (await service.runtime.db.pool.query<{ state: string }>(STATES, [pool])).rows.map(({ state }) => state)
  const allReady = async (pool = POOL) => (await statesOf(pool)).every((state) => state === 'ready')
  const submitAll = (texts: readonly string[], slug = 'own') =>
    Promise.all(texts.map((text) => submitText(service.url, caller.key, slug, text)))
  const endsOf = async (ids: readonly string[]) => {
    await allFinished(service.runtime, ids)
    const jobs = await Promise.all(ids.map((id) => readJob(service.url, caller.key, id)))
    return jobs.map(({ status, error_code }) => error_code ?? status)
  }
  const endingsOf = async (ids: readonly string[]) =>
    (await service.runtime.db.pool.query<{ ending: string }>(ENDINGS, [ids])).rows.map(({ ending }) => ending)
  const balance = async () =>
    Number((await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: caller.account } })).credits)

  for (const illness of ILLNESSES)
    test(`${illness}: its jobs run elsewhere and count no attempt, and it comes back by itself`, async () => {
      unwell.set(illness)
      const ids = await submitAll(TEXTS)
      expect(new Set(await endsOf(ids))).toEqual(new Set(['completed']))
      expect(await balance()).toBe(1_000_000 - TEXTS.join('').length)
      expect(await endingsOf(ids)).toContain('server_unwell')
      expect((await service.runtime.db.pool.query(COUNTED, [ids])).rows).toEqual([{ most: 1 }])
      expect(await statesOf(POOL)).toEqual(['failed', 'ready', 'ready'])
      unwell.set(illness, false)
      await until(allReady, TIMEOUT_MS, 'a probe to be answered')
      const before = unwell.asked().length
      await endsOf(await submitAll(TEXTS))
      expect(unwell.asked().length - before).toBeGreaterThan(2)
    })

  test('gives back the jobs of workflows, too', async () => {
    unwell.set('unavailable')
    const { apiKey } = await service.createKey(caller.account, ['generate:workflow'])
    const ids = await Promise.all(TEXTS.map((text) => submitPrompt(service.url, apiKey, 'drawn', text)))
    await allFinished(service.runtime, ids)
    const statuses = await service.runtime.db.pool.query('select distinct status from job where id = any($1)', [ids])
    expect(statuses.rows).toEqual([{ status: 'completed' }])
    unwell.set('unavailable', false)
    await until(allReady, TIMEOUT_MS, 'the server to be well')
  })

  test('is not taken for unwell because of a text that no server can speak: that fails as ever', async () => {
    const ids = await submitAll(['BREAK one.', 'MUTE two.', 'BREAK three.', 'MUTE four.', 'Five.', 'Six.'])
    const [broken, mute] = ['PROVIDER_UNAVAILABLE', 'RENDER_FAILED']
    expect(await endsOf(ids)).toEqual([broken, mute, broken, mute, 'completed', 'completed'])
    expect(await endingsOf(ids)).not.toContain('server_unwell')
    expect(await statesOf(POOL)).toEqual(['ready', 'ready', 'ready'])
  })

  test('keeps its jobs if it is the only one: they fail after their patience; then it is started again', async () => {
    for (const behaviour of ['unavailable', 'cured'] as const) lonely.set(behaviour)
    const ids = await submitAll(['One.', 'Two.'], 'alone')
    const ends = await endsOf(ids)
    expect(new Set(ends)).toEqual(new Set(['PROVIDER_UNAVAILABLE']))
    expect(await balance()).toBe(1_000_000)
    expect(await endingsOf(ids)).not.toContain('server_unwell')
    await lonely.started(2)
    expect(await endsOf(await submitAll(['Four.'], 'alone'))).toEqual(['completed'])
    await until(() => allReady(ALONE), TIMEOUT_MS, 'it to be well')
  })
})
