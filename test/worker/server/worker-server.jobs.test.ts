import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { VoiceEndpoint } from '../../../src/context/catalog-snapshot.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { checkOwnedServer } from '../../../src/voice/trials/try-engine.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { call } from '../../setup/http.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow, submitPrompt } from '../../setup/jobs/workflows.ts'
import { makeServerProgram, type ServerProgram } from '../../setup/servers/server-program.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const TIMES = { pollMs: 20, probeMs: 100, answerMs: 5_000, silenceMs: 20_000, backoffMs: 20, longestBackoffMs: 50 }
const QUERY = '{ workers { pools slots server { state restarts error since } gpus { memoryUsedMib loadPercent } } }'

describe('jobs of a worker’s own server', { timeout: 120_000 }, () => {
  let service: TestRuntime
  let program: ServerProgram
  let caller: Awaited<ReturnType<TestRuntime['createCaller']>>
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    service = await startTestRuntime()
    await applyEndpoint(service.runtime, 'own', { pool: 'gpu', base_url: 'worker', max_in_flight: 1, retry_seconds: 0 })
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    program = await makeServerProgram()
    caller = await service.createCaller()
  })
  afterEach(async () => {
    program.set('slow', false)
    for (const close of closers.splice(0).reverse()) await close()
    await program.remove()
  })

  const addWorker = async (own: ServerProgram | null = program): Promise<Worker> => {
    const runtime = await openRuntime(service.runtime.settings, openLog('silent'), { supervise: true })
    closers.push(() => runtime.close())
    const server = own && { spec: own.spec, environment: { PATH: process.env.PATH }, times: TIMES }
    const worker = await startWorker(runtime, { pools: ['gpu'], ...(server && { server }) })
    closers.push(() => worker.stop())
    return worker
  }
  const submit = (text: string) => submitText(service.url, caller.key, 'own', text)
  const read = (id: string) => readJob(service.url, caller.key, id)
  const shown = async () => {
    const { apiKey } = await service.createKey(caller.account, ['operator'])
    const answer = await call(`${service.url}/graphql`, { method: 'POST', key: apiKey, body: { query: QUERY } })
    return answer.json<{ data: { workers: { slots: number; server: object | null }[] } }>().data.workers
  }

  const check = () => {
    const { catalog } = service.runtime
    return checkOwnedServer(service.runtime, catalog.current.endpoints.get('own') as VoiceEndpoint)
  }

  test('wait until it is ready, whatever workers there are without one', async () => {
    program.set('hold')
    await addWorker(null)
    await addWorker()
    const id = await submit('Waits for the server.')
    await program.started(1)
    const isStarting = async () => (await shown()).some(({ server }) => server !== null && 'state' in server)
    await until(isStarting, TIMEOUT_MS, 'the heartbeat to tell of the server')
    expect((await shown()).filter(({ server }) => server !== null)).toEqual([
      expect.objectContaining({ slots: 0, server: expect.objectContaining({ state: 'STARTING', restarts: 0 }) }),
    ])
    const { rows } = await service.runtime.db.pool.query('select attempt, status from job where id = $1', [id])
    expect(rows).toEqual([{ attempt: 0, status: 'queued' }])
    expect(await check()).toMatch(/^No server of the pool gpu is ready\. .+: starting$/)
    program.set('hold', false)
    await allFinished(service.runtime, [id])
    expect(await read(id)).toMatchObject({ status: 'completed' })
    const isReady = async () => (await shown()).some(({ slots, server }) => slots === 1 && server && 'state' in server)
    await until(isReady, TIMEOUT_MS, 'the heartbeat to tell that it is ready')
    expect(await check()).toBeNull()
  })

  test('are delivered again when it crashes: the one that makes it crash fails with its last lines, all others complete', async () => {
    await addWorker()
    const poison = await submit('CRASH this.')
    const ids = [poison, await submit('One.'), await submit('Two.')]
    await allFinished(service.runtime, ids)
    expect(await read(poison)).toMatchObject({ status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' })
    expect(await Promise.all(ids.slice(1).map(read))).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    const { rows } = await service.runtime.db.pool.query('select attempt, cause from job where id = $1', [poison])
    expect(rows).toEqual([{ attempt: 5, cause: expect.stringMatching(/exit code 3.*OutOfMemoryError/s) }])
    const { credits } = await service.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: caller.account } })
    expect(Number(credits)).toBe(1_000_000 - 'One.Two.'.length)
  })

  test('have max_in_flight at each worker’s own', async () => {
    const second = await makeServerProgram()
    closers.push(() => second.remove())
    for (const one of [program, second]) one.set('slow')
    await addWorker()
    await addWorker(second)
    const ids = await Promise.all(['One.', 'Two.', 'Three.', 'Four.'].map(submit))
    const asked = () => [program, second].map((one) => one.asked().length)
    await until(() => asked().every((count) => count === 1), TIMEOUT_MS, 'both servers to have a request')
    for (const one of [program, second]) one.set('slow', false)
    await allFinished(service.runtime, ids)
    const before = [program, second].flatMap((one) => one.asked().map((line) => line.split(' ')[1]))
    expect(before).toEqual(['1', '1', '1', '1'])
  })

  test('of workflows run there as well', async () => {
    await applyWorkflow(service.runtime, 'drawn', { base_url: 'worker', retry_seconds: 0 })
    const { apiKey } = await service.createKey(caller.account, ['generate:workflow'])
    const id = await submitPrompt(service.url, apiKey, 'drawn', 'A boat.')
    await addWorker(null)
    await addWorker()
    await allFinished(service.runtime, [id])
    const { rows } = await service.runtime.db.pool.query('select status from job where id = $1', [id])
    expect(rows).toEqual([{ status: 'completed' }])
    expect(program.asked()).toHaveLength(1)
  })
})
