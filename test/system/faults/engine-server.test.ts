import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEndpoints } from '../../../src/catalog/apply-endpoints.ts'
import { audit, finalStates } from '../../setup/audit/audit.ts'
import { call, freePorts } from '../../setup/http.ts'
import { allFinished } from '../../setup/jobs/voice-jobs.ts'
import type { Process } from '../../setup/processes/processes.ts'
import { openWorkerFixture, type WorkerFixture } from '../../setup/scenarios/worker-fixture.ts'
import { crashingFor } from '../../setup/servers/listening.ts'
import { startProviderServer } from '../../setup/servers/provider-server.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { ask } from '../../setup/service/graphql.ts'
import { until } from '../../setup/wait.ts'

const POOL = 'gpu'
const TIMEOUT_MS = 60_000
/** A cancelled job's request is closed by then. */
const ABORT_MS = 300
const DOWN_MS = 3_000
const RETRY_SECONDS = 4
const LIMIT = 6
const SENTENCES = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(5)

describe('a speech server that fails, with two workers', { timeout: 240_000 }, () => {
  let fixture: WorkerFixture
  let speech: SpeechServer
  const workers: Process[] = []
  beforeAll(async () => {
    fixture = await openWorkerFixture()
    workers.push(...(await Promise.all([fixture.startWorker(POOL), fixture.startWorker(POOL)])))
  })
  beforeEach(async () => {
    speech = await startSpeechServer()
  })
  afterEach(() => speech.close())
  afterAll(() => fixture?.close())

  const jobs = async (ids: readonly string[]) => {
    const { rows } = await fixture.runtime.db.pool.query<{
      status: string
      error_code: string | null
      seconds: number
    }>(
      `select status, error_code, extract(epoch from completed_at - started_at)::float8 as seconds from job
       where id = any($1) order by id`,
      [ids],
    )
    return rows
  }
  const balance = async () =>
    (await fixture.runtime.db.prisma.account.findUniqueOrThrow({ where: { id: fixture.account } })).credits

  test('killed in the middle of a backlog, it is asked a few times only while it is down, and loses no job', async () => {
    await fixture.applyEndpoint('backlog', { pool: POOL, base_url: speech.url, max_in_flight: 32, retry_seconds: 40 })
    speech.answer(() => ({ delayMs: 100 }))
    const ids = await fixture.submit(
      'backlog',
      Array.from({ length: 120 }, (_, index) => `One of many, ${index}.`),
    )
    await until(() => speech.calls.length > 40, TIMEOUT_MS, 'the backlog to be under way')
    const { port } = speech
    await speech.close()
    const knocks = await crashingFor(DOWN_MS, port)
    process.stderr.write(`asked ${knocks} times in ${DOWN_MS / 1000} s by 2 workers with 32 jobs\n`)
    // Each of the 32 jobs that were there would have asked four times or more.
    expect(knocks).toBeLessThan(64)
    expect(knocks).toBeGreaterThan(0)

    speech = await startSpeechServer(port)
    speech.answer(() => ({ delayMs: 20 }))
    await allFinished(fixture.runtime, ids)
    expect(new Set((await jobs(ids)).map(({ status }) => status))).toEqual(new Set(['completed']))
    expect(speech.mostInFlight()).toBeLessThanOrEqual(32)
    expect(await fixture.auditAll(ids)).toEqual([])
  })

  test('never has more than max_in_flight requests while its workers are killed and come back', async () => {
    await fixture.applyEndpoint('capped', { pool: POOL, base_url: speech.url, max_in_flight: LIMIT })
    speech.answer(() => ({ delayMs: 80 }))
    // Every third text is two requests.
    const texts = Array.from({ length: 72 }, (_, index) => `Number ${index}. ${index % 3 === 0 ? SENTENCES : ''}`)
    const ids = await fixture.submit('capped', texts)
    for (let round = 1; round <= 3; round++) {
      await until(() => speech.calls.length >= round * 12, TIMEOUT_MS, 'some progress')
      const victim = workers.shift()!
      await victim.stop('SIGKILL')
      workers.push(await fixture.startWorker(POOL))
    }
    await allFinished(fixture.runtime, ids)
    expect(new Set((await jobs(ids)).map(({ status }) => status))).toEqual(new Set(['completed']))
    expect(speech.mostInFlight()).toBeLessThanOrEqual(LIMIT)
    expect(speech.mostInFlight()).toBeGreaterThanOrEqual(LIMIT / 2)
    expect(await fixture.auditAll(ids)).toEqual([])
    // Those that came live until the end.
    await fixture.measureAtRest()
  })

  test('gone for good, it fails jobs as PROVIDER_UNAVAILABLE with a refund, and not before retry_seconds are over', async () => {
    const [port] = await freePorts(1)
    const gone = { pool: POOL, base_url: `http://127.0.0.1:${port}`, max_in_flight: 8, retry_seconds: RETRY_SECONDS }
    await fixture.applyEndpoint('gone', gone)
    const before = await balance()
    const ids = await fixture.submit('gone', ['Is anybody there?', 'Hello?', 'Nobody.', 'Still nobody.', 'So be it.'])
    await allFinished(fixture.runtime, ids)
    for (const job of await jobs(ids)) {
      expect(job).toMatchObject({ status: 'failed', error_code: 'PROVIDER_UNAVAILABLE' })
      expect(job.seconds).toBeGreaterThanOrEqual(RETRY_SECONDS)
    }
    expect(await balance()).toBe(before)
    expect(await fixture.auditAll(ids)).toEqual([])
  })

  test('answering after the time limit, it is no longer heard: JOB_TIMEOUT, a refund, and nothing is written', async () => {
    await fixture.applyEndpoint(
      'late',
      // No less than a later test fills: its server may get this one's port, and of two limits the lower one holds.
      { pool: POOL, base_url: speech.url, max_in_flight: 16 },
      // On a busy machine a request may take a second to reach the server.
      { time_limit_seconds: 4 },
    )
    const answered = Promise.withResolvers<void>()
    speech.answer(() => ({ delayMs: 8_000, onAnswer: answered.resolve }))
    const before = await balance()
    const [id] = await fixture.submit('late', ['Better late than never.'])
    await allFinished(fixture.runtime, [id!])
    expect(await jobs([id!])).toMatchObject([{ status: 'failed', error_code: 'JOB_TIMEOUT' }])
    await until(() => speech.abandoned() === 1, TIMEOUT_MS, 'the request to be closed')
    const states = await finalStates(fixture.runtime)
    await answered.promise
    expect(await fixture.auditAll([id!])).toEqual([])
    expect(await finalStates(fixture.runtime)).toEqual(states)
    expect(await fixture.runtime.storage.stat(`${id}/1/audio.wav`)).toBeNull()
    expect(await balance()).toBe(before)
  })

  test('cancelled through another process, jobs have their requests closed within 300 ms, their refund and their webhook', async () => {
    await fixture.applyEndpoint('held', { pool: POOL, base_url: speech.url, max_in_flight: 16 })
    speech.answer(() => ({ hang: true }))
    const before = await balance()
    const ids = await fixture.submit(
      'held',
      Array.from({ length: 5 }, (_, index) => `Cancelled, ${index}.`),
    )
    await until(() => speech.inFlight() === ids.length, TIMEOUT_MS, 'all to be at the server')
    // On a busy machine an attempt may have been released before.
    const released = speech.abandoned()
    const waits: number[] = []
    for (const [index, id] of ids.entries()) {
      const asked = performance.now()
      await ask(fixture.service.url, fixture.key, `mutation { cancelJob(jobId: "${id}") { __typename } }`)
      await until(() => speech.abandoned() > released + index, TIMEOUT_MS, 'the request to be closed')
      waits.push(speech.abandonedAt[released + index]! - asked)
    }
    process.stderr.write(`closed after ${waits.map((wait) => wait.toFixed(0)).join(', ')} ms\n`)
    // A busy machine may hold up any of them. What is noticed at intervals only is late from the second on: each is cancelled once the one
    // before was closed.
    expect(waits.toSorted((a, b) => a - b)[1]).toBeLessThan(ABORT_MS)
    expect(new Set((await jobs(ids)).map(({ error_code }) => error_code))).toEqual(new Set(['JOB_CANCELLED']))
    expect(await fixture.auditAll(ids)).toEqual([])
    expect(await balance()).toBe(before)
    for (const id of ids) {
      expect(fixture.received(id).map(({ body }) => JSON.parse(body.toString()).error_code)).toEqual(['JOB_CANCELLED'])
    }
  })

  test('so have generations, and their predictions are cancelled', async () => {
    const provider = await startProviderServer()
    provider.script('/predictions', { hang: true })
    const engine = { kind: 'cog', base_url: provider.url, max_in_flight: 5 }
    const inputs = { type: 'object', additionalProperties: false, properties: {} }
    const workflow = { slug: 'portrait', name: 'Portrait', inputs, engine, credits_per_job: 10 }
    const readAudio = () => Promise.reject(new Error('no audio here'))
    const source = JSON.stringify({ workflows: [workflow] })
    await applyEndpoints(fixture.runtime.as({ kind: 'system' }), { source, readAudio })
    const key = (await fixture.service.createKey(fixture.account, ['generate:workflow'])).apiKey
    const body = { inputs: {}, webhook_url: `${fixture.receiver.url}/webhooks` }
    const submit = () => call(`${fixture.service.url}/api/v1/generate/portrait`, { method: 'POST', key, body })
    const replies = await Promise.all(Array.from({ length: 5 }, submit))
    const ids = replies.map((reply) => reply.json<{ job_id: string }>().job_id)
    const sent = (id: string) =>
      provider.received.filter(({ path }) => path.startsWith(`/predictions/${id}-`) && path.endsWith('/cancel')).length
    // One that its worker has released is there again.
    const asking = () => provider.of('/predictions').filter(({ aborted }) => !aborted()).length
    await until(() => asking() === 5, TIMEOUT_MS, 'all to be at the server')
    const cancelled = new Map(ids.map((id) => [id, sent(id)]))
    const waits: number[] = []
    for (const id of ids) {
      const asked = performance.now()
      await ask(fixture.service.url, key, `mutation { cancelJob(jobId: "${id}") { __typename } }`)
      await until(() => sent(id) > cancelled.get(id)!, TIMEOUT_MS, 'the prediction to be cancelled')
      waits.push(performance.now() - asked)
    }
    process.stderr.write(`cancelled after ${waits.map((wait) => wait.toFixed(0)).join(', ')} ms\n`)
    expect(waits.toSorted((a, b) => a - b)[1]).toBeLessThan(ABORT_MS)
    for (const id of ids) await until(() => fixture.received(id).length === 1, TIMEOUT_MS, 'the webhook')
    const codes = ids.map((id) => JSON.parse(fixture.received(id)[0]!.body.toString()).error_code)
    expect(new Set(codes)).toEqual(new Set(['JOB_CANCELLED']))
    expect(await audit(fixture.runtime, ids)).toEqual([])
    await provider.close()
  })

  test('after all that, the workers have the connections and the memory that they had', async () => {
    expect(await fixture.auditAtRest()).toEqual([])
  })
})
