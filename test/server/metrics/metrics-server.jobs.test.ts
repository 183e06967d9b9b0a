import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Scraped, scrape, scrapedWhen } from '../../setup/service/scraped.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const SECONDS = 2
const IN_FLIGHT = 2
const POOL = { pool: 'measured' }
const CREDITS = 100_000n

let service: TestRuntime
let speech: SpeechServer
let server: { server: string }
let caller: { account: string; key: string }
let before: Scraped
beforeAll(async () => {
  ;[service, speech] = await Promise.all([
    startTestRuntime({ worker: true, env: { METRICS_PORT: '0', LOG_LEVEL: 'silent' } }),
    startSpeechServer(),
  ])
  server = { server: new URL(speech.url).host }
  const engine = { ...POOL, base_url: speech.url, max_in_flight: IN_FLIGHT, retry_seconds: 0 }
  await applyEndpoint(service.runtime, 'measured', engine)
  await applyEndpoint(service.runtime, 'hasty', engine, { time_limit_seconds: 3 })
  await applyEndpoint(service.runtime, 'patient', engine)
  caller = await service.createCaller(CREDITS)
  before = await scrape(service.metricsUrl)
})
afterAll(async () => {
  await service.close()
  await speech.close()
})

const submit = (text: string, slug = 'measured') => submitText(service.url, caller.key, slug, text)
const shown = (fits: (now: Scraped) => boolean, what: string) => scrapedWhen(service.metricsUrl, fits, what)

describe('while a server holds its answers back', () => {
  const texts = ['One.', 'Number two.', 'And number three.']

  test('gauges show what runs and what waits, and nothing of it once all have ended', async () => {
    const gate = Promise.withResolvers<void>()
    speech.answer(() => ({ until: gate.promise, seconds: SECONDS }))
    const ids = await Promise.all(texts.map((text) => submit(text, 'patient')))
    await until(() => speech.inFlight() === IN_FLIGHT, TIMEOUT_MS, 'requests at the server')
    const held = await shown(
      // The worker, the jobs and the queue are not read at one moment.
      ({ value }) =>
        value('queue_jobs', { ...POOL, state: 'running' }) === IN_FLIGHT &&
        value('jobs', { type: 'voice', status: 'processing' }) === IN_FLIGHT &&
        value('jobs', { type: 'voice', status: 'queued' }) === texts.length - IN_FLIGHT,
      'the depth of the queue',
    )
    expect(held.value('queue_jobs', { ...POOL, state: 'waiting' })).toBe(texts.length - IN_FLIGHT)
    expect(held.value('queue_jobs', { ...POOL, state: 'delayed' })).toBe(0)
    expect(held.value('queue_oldest_age_seconds', POOL)).toBeGreaterThan(0)
    expect(held.value('worker_slots', POOL)).toBe(IN_FLIGHT)
    expect(held.value('worker_slots_in_use', POOL)).toBe(IN_FLIGHT)
    for (const name of ['engine_requests_in_flight', 'engine_permits', 'engine_limit'])
      expect([name, held.value(name, server)]).toEqual([name, IN_FLIGHT])
    expect(held.samples('engine_down', server).map(({ value }) => value)).toEqual([0])
    gate.resolve()
    await allFinished(service.runtime, ids)
    const over = await shown(
      ({ value }) => value('queue_jobs', POOL) === 0 && value('worker_slots_in_use') === 0,
      'an empty queue',
    )
    expect(over.value('queue_oldest_age_seconds', POOL)).toBe(0)
    expect(over.value('engine_requests_in_flight')).toBe(0)
    expect(over.value('worker_slots', POOL)).toBe(IN_FLIGHT)
  })

  test('counters and histograms go up by exactly what was done', async () => {
    const now = await scrape(service.metricsUrl)
    const of = { ...POOL, endpoint_key: 'voice.patient' }
    const characters = texts.join('').length
    expect(now.value('jobs_claimed_total', POOL)).toBe(texts.length)
    expect(now.value('jobs_finished_total', { ...of, outcome: 'completed', error_code: '' })).toBe(texts.length)
    expect(now.value('job_wait_seconds_count', POOL)).toBe(texts.length)
    expect(now.value('job_run_seconds_count', POOL)).toBe(texts.length)
    expect(now.value('job_run_seconds_sum', POOL)).toBeGreaterThan(0)
    expect(now.value('characters_total', of)).toBe(characters)
    expect(now.value('audio_seconds_total', of)).toBeCloseTo(texts.length * SECONDS, 0)
    expect(now.value('render_seconds_total', of)).toBeGreaterThan(0)
    expect(now.value('credits_total', { kind: 'charge' })).toBe(characters)
    expect(now.value('credits_total', { kind: 'refund' })).toBe(0)
    expect(now.value('credits_total', { kind: 'grant' }) - before.value('credits_total', { kind: 'grant' })).toBe(0)
    expect(before.value('credits_total', { kind: 'grant' })).toBe(Number(CREDITS))
    const engine = { kind: 'openai-speech', ...server }
    expect(now.value('engine_request_duration_seconds_count', { ...engine, outcome: 'ok' })).toBe(texts.length)
  })
})

test('a request whose audio cannot be of its text is bad audio, and the one that makes up for it is not', async () => {
  const of = { kind: 'openai-speech', ...server }
  const requests = async (outcome: string) =>
    (await scrape(service.metricsUrl)).value('engine_request_duration_seconds_count', { ...of, outcome })
  const good = await requests('ok')
  let asked = 0
  speech.answer(() => (asked++ === 0 ? { peak: 10 } : {}))
  const id = await submit('Heard the second time.')
  await allFinished(service.runtime, [id])
  expect((await readJob(service.url, caller.key, id)).status).toBe('completed')
  expect([await requests('bad_audio'), (await requests('ok')) - good]).toEqual([1, 1])
})

describe('a job that fails', () => {
  const ended = async (id: string, text: string, errorCode: string, outcome: string, slug = 'measured') => {
    await allFinished(service.runtime, [id])
    const failed = { ...POOL, endpoint_key: `voice.${slug}`, outcome: 'failed', error_code: errorCode }
    const engine = { kind: 'openai-speech', ...server, outcome }
    const refund = { kind: 'refund' }
    const then = before
    before = await shown(({ value }) => value('jobs_finished_total', failed) === 1, 'the end')
    expect(before.value('engine_request_duration_seconds_count', engine)).toBe(1)
    expect(before.value('credits_total', refund) - then.value('credits_total', refund)).toBe(text.length)
    expect(before.value('jobs_finished_total') - then.value('jobs_finished_total')).toBe(1)
  }
  beforeAll(async () => {
    before = await scrape(service.metricsUrl)
  })

  test.each([
    ['RENDER_FAILED', 'rejected', { status: 400, json: { detail: 'no' } }],
    ['PROVIDER_BUSY', 'busy', { status: 429, json: { detail: 'full' } }],
    ['PROVIDER_UNAVAILABLE', 'unavailable', { reset: true }],
    ['JOB_TIMEOUT', 'timeout', { hang: true }, 'hasty'],
  ])('with %s is counted once, with its refund and its %s request', async (code, outcome, reply, slug = 'measured') => {
    const text = `It ends as ${outcome}.`
    speech.answer(() => reply)
    await ended(await submit(text, slug), text, code, outcome, slug)
  })

  test('with JOB_CANCELLED is counted once, with its refund', async () => {
    speech.answer(() => ({ hang: true }))
    const text = 'Never mind.'
    const id = await submit(text)
    await until(() => speech.inFlight() === 1, TIMEOUT_MS, 'the request')
    const owner = { kind: 'account', accountId: caller.account, credits: 1n } as const
    await cancelJob(service.runtime.as(owner), { jobId: id })
    await until(() => speech.inFlight() === 0, TIMEOUT_MS, 'the request to be ended')
    await ended(id, text, 'JOB_CANCELLED', 'cancelled')
  })

  test('with CHARGE_FAILED is counted once, without a request or a refund', async () => {
    const poor = await service.createCaller(1n)
    const id = await submitText(service.url, poor.key, 'measured', 'Too dear.')
    await allFinished(service.runtime, [id])
    const failed = { endpoint_key: 'voice.measured', outcome: 'failed', error_code: 'CHARGE_FAILED' }
    const now = await shown(({ value }) => value('jobs_finished_total', failed) === 1, 'the end')
    expect(now.value('credits_total', { kind: 'refund' })).toBe(before.value('credits_total', { kind: 'refund' }))
    const requests = 'engine_request_duration_seconds_count'
    expect(now.value(requests, server)).toBe(before.value(requests, server))
  })

  test('again and again for a server that is away shows it as down, until it answers', async () => {
    speech.answer(() => ({ reset: true }))
    await allFinished(service.runtime, await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => submit(text))))
    const down = async () => (await scrape(service.metricsUrl)).samples('engine_down', server).map(({ value }) => value)
    expect(await down()).toEqual([1])
    speech.answer(() => ({}))
    const isBack = async () => {
      const id = await submit('Are you back?')
      await allFinished(service.runtime, [id])
      return (await readJob(service.url, caller.key, id)).status === 'completed'
    }
    await until(isBack, TIMEOUT_MS, 'the server to be asked again')
    expect(await down()).toEqual([0])
  })
})
