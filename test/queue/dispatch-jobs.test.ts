import { availableParallelism } from 'node:os'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SpeechRequest } from '../../src/engines/engine.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { audit } from '../setup/audit/audit.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
const BACKLOG = 40
const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
const LONG_INPUTS = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } },
}

describe('dispatchJobs', () => {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  const start = async (): Promise<TestRuntime> => {
    const service = await startTestRuntime()
    closers.push(service.close)
    return service
  }
  /** A worker as another process would be: with connections, queue and catalog of its own. */
  const addWorker = async (service: TestRuntime, during: (request: SpeechRequest) => Promise<void> | void) => {
    const runtime: Runtime = await openRuntime(service.runtime.settings, openLog('error'), { supervise: true })
    closers.push(() => runtime.close())
    const worker = await startWorker(runtime, { engines: standInEngines(during) })
    closers.push(() => worker.stop())
    return worker
  }

  test('a burst of submissions right after a pool was named for the first time is accepted whole', async () => {
    const service = await start()
    const caller = await service.createCaller()
    await applyEndpoint(service.runtime, 'burst', { pool: 'burst' })
    const texts = Array.from({ length: 60 }, (_, index) => `Burst ${index}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, caller.key, 'burst', text)))
    expect(new Set(ids).size).toBe(60)
  })

  test("one account's backlog does not hold up another account's one job", async () => {
    const service = await start()
    await applyEndpoint(service.runtime, 'fair', { pool: 'fair', max_in_flight: 1 })
    const [many, one] = [await service.createCaller(), await service.createCaller()]
    const texts = Array.from({ length: BACKLOG }, (_, index) => `Backlog ${index}.`)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, many.key, 'fair', text)))
    ids.push(await submitText(service.url, one.key, 'fair', 'The only one.'))
    const order: string[] = []
    await addWorker(service, ({ text }) => void order.push(text))
    await allFinished(service.runtime, ids)
    expect(order).toHaveLength(BACKLOG + 1)
    expect(order.indexOf('The only one.')).toBeLessThanOrEqual(2)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test.each([
    { name: 'live jobs of the built-in engine', engine: {}, count: availableParallelism() + 2, wish: 'live: true' },
    {
      name: 'interactive jobs at a server',
      engine: { max_in_flight: 2 },
      count: 2,
      wish: 'options: { priority: INTERACTIVE }',
    },
  ])('$name that have a first part hold up no other account', async ({ engine, count, wish }) => {
    const service = await start()
    const slug = 'shared'
    await applyEndpoint(service.runtime, slug, { pool: slug, ...engine }, { inputs: LONG_INPUTS })
    const [many, one] = [await service.createCaller(1_000_000n), await service.createCaller(1_000_000n)]
    const submit = async ({ key }: { readonly key: string }, text: string): Promise<string> => {
      const call = mutation(
        `submitVoiceJob(slug: $slug, inputs: $inputs, ${wish})`,
        '... on VoiceJobSubmission { jobId }',
        '($slug: String!, $inputs: JSON!)',
      )
      const variables = { slug, inputs: { text, voice: 'calm' } }
      return (await read<{ submitVoiceJob: { jobId: string } }>(service.url, key, call, variables)).submitVoiceJob.jobId
    }
    const end = Promise.withResolvers<void>()
    const begun: string[] = []
    await addWorker(service, ({ text }) => {
      const [name] = /Opening|Other/.exec(text) ?? []
      if (name === undefined) return end.promise
      return void begun.push(name)
    })
    const ids = await Promise.all(Array.from({ length: count }, () => submit(many, `Opening. ${SENTENCE.repeat(30)}`)))
    ids.push(await submit(one, `Other. ${SENTENCE.repeat(30)}`))
    await until(() => begun.length === count + 1, TIMEOUT_MS, 'the first part of each job')
    end.resolve()
    await allFinished(service.runtime, ids)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('jobs of one account start in the order in which they were accepted', async () => {
    const service = await start()
    await applyEndpoint(service.runtime, 'line', { pool: 'line', max_in_flight: 1 })
    const caller = await service.createCaller()
    const ids: string[] = []
    for (let index = 0; index < 12; index++)
      ids.push(await submitText(service.url, caller.key, 'line', `Number ${index}.`))
    const order: string[] = []
    await addWorker(service, ({ text }) => void order.push(text))
    await allFinished(service.runtime, ids)
    expect(order).toEqual(Array.from({ length: 12 }, (_, index) => `Number ${index}.`))
  })

  test('max_in_flight holds over two workers, and all of it is used', async () => {
    const service = await start()
    await applyEndpoint(service.runtime, 'capped', { pool: 'capped', max_in_flight: 3 })
    const caller = await service.createCaller()
    const texts = Array.from({ length: 60 }, (_, index) => `Capped ${index}.`)
    let [now, most, left] = [0, 0, texts.length]
    const waiting: (() => void)[] = []
    // Each job ends when the server is full, or nothing is left to come.
    const during = async () => {
      most = Math.max(most, ++now)
      const full = new Promise<void>((resolve) => waiting.push(resolve))
      if (now >= 3 || now === left) waiting.shift()?.()
      await full
      now--
      left--
      if (now === left) waiting.shift()?.()
    }
    await addWorker(service, during)
    await addWorker(service, during)
    const ids = await Promise.all(texts.map((text) => submitText(service.url, caller.key, 'capped', text)))
    await allFinished(service.runtime, ids)
    expect(most).toBe(3)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('a server that is full does not hold up another server of the same pool', async () => {
    const service = await start()
    const gate = Promise.withResolvers<void>()
    await applyEndpoint(service.runtime, 'stuck', { pool: 'two', base_url: 'http://127.0.0.1:1', max_in_flight: 1 })
    await applyEndpoint(service.runtime, 'swift', { pool: 'two', base_url: 'http://127.0.0.1:2', max_in_flight: 1 })
    const caller = await service.createCaller()
    const stuck = await Promise.all(
      Array.from({ length: 5 }, (_, index) => submitText(service.url, caller.key, 'stuck', `Stuck ${index}.`)),
    )
    const swift = await submitText(service.url, caller.key, 'swift', 'Swift.')
    await addWorker(service, ({ text }) => (text.startsWith('Stuck') ? gate.promise : undefined))
    await allFinished(service.runtime, [swift])
    gate.resolve()
    await allFinished(service.runtime, stuck)
  })

  test('a pool that an endpoint names for the first time is served without a restart', async () => {
    const service = await start()
    const caller = await service.createCaller()
    await addWorker(service, () => undefined)
    await applyEndpoint(service.runtime, 'late', { pool: 'late' })
    const id = await submitText(service.url, caller.key, 'late', 'Is anybody there?')
    await allFinished(service.runtime, [id])
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('a queue row delivered twice renders and charges its job once more at most, and completes it once', async () => {
    const service = await start()
    await applyEndpoint(service.runtime, 'twice', { pool: 'twice' })
    const caller = await service.createCaller()
    const gate = Promise.withResolvers<void>()
    let renderings = 0
    const during = () => {
      renderings++
      return renderings === 1 ? gate.promise : undefined
    }
    await addWorker(service, during)
    const id = await submitText(service.url, caller.key, 'twice', 'Once is enough.')
    await until(() => renderings === 1, TIMEOUT_MS, 'the first delivery')
    // The queue does this once it has lost sight of a worker.
    await service.runtime.db.pool.query(`update pgboss.job set state = 'retry' where data->>'jobId' = $1`, [id])
    await allFinished(service.runtime, [id])
    expect(renderings).toBe(2)
    gate.resolve()
    const settled = async () =>
      (await service.runtime.db.pool.query(`select from pgboss.job where state = 'active'`)).rowCount === 0
    await until(settled, TIMEOUT_MS, 'both deliveries to be settled')
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('what a claim took whose answer was lost is taken again at once, though nothing waits any more', async () => {
    const service = await start()
    await applyEndpoint(service.runtime, 'lost', { pool: 'lost' })
    const caller = await service.createCaller()
    const runtime: Runtime = await openRuntime(service.runtime.settings, openLog('silent'), { supervise: true })
    closers.push(() => runtime.close())
    const { pool } = runtime.db
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<{ rowCount: number }>
    let lost = 0
    const loseOne = async (...given: unknown[]) => {
      const answer = await query(...given)
      const isClaim = JSON.stringify(given[0]).includes('"claim_queued') && answer.rowCount > 0
      if (isClaim && lost++ === 0) throw new Error('The answer is lost.')
      return answer
    }
    vi.spyOn(pool, 'query').mockImplementation(loseOne as unknown as typeof pool.query)
    const worker = await startWorker(runtime, { engines: standInEngines(() => undefined) })
    closers.push(() => worker.stop())
    const id = await submitText(service.url, caller.key, 'lost', 'Where was I?')
    // The queue itself finds it after ten seconds without a heartbeat.
    await allFinished(service.runtime, [id], 8000)
    expect(lost).toBe(2)
    expect(await audit(service.runtime, [id])).toEqual([])
  })
})
