import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openMetricsServer } from '../../../src/server/metrics/metrics-server.ts'
import { METRICS, PREFIX } from '../../../src/telemetry/metrics.ts'
import { openMetrics } from '../../../src/telemetry/prometheus.ts'
import { call } from '../../setup/http.ts'
import { allFinished, applyEndpoint, readJob } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Scraped, scrape } from '../../setup/service/scraped.ts'

const TEXT = 'Every word of it stays unheard of.'
const promtool = spawnSync('promtool', ['--version']).status === 0
if (!promtool) console.info('promtool is not installed: its own check of the metrics is skipped')

let service: TestRuntime
let caller: { account: string; key: string; keyId: string }
let jobId: string
let limited = 0
let scraped: Scraped

const samples: Scraped['samples'] = (...args) => scraped.samples(...args)
const value: Scraped['value'] = (...args) => scraped.value(...args)

beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '9' } })
  await applyEndpoint(service.runtime, 'measured')
  caller = await service.createCaller(1_000n)
  const submit = (slug: string, inputs: object, headers = {}) =>
    call(`${service.url}/api/v1/voice/${slug}`, { method: 'POST', key: caller.key, body: { inputs }, headers })
  const once = { 'idempotency-key': 'once' }
  const inputs = { text: TEXT, voice: 'calm' }
  jobId = (await submit('measured', inputs, once)).json<{ job_id: string }>().job_id
  await submit('measured', inputs, once)
  await submit('measured', { text: TEXT, voice: 'nobody' })
  await submit('nowhere-at-all', inputs)
  await allFinished(service.runtime, [jobId])
  const { apiKey } = await service.createKey(caller.account)
  const { outputs } = await readJob(service.url, apiKey, jobId)
  await call(`${service.url}/api/v1/jobs`, { key: apiKey })
  await call(outputs?.audio ?? '')
  const ask = (query: string) => call(`${service.url}/graphql`, { method: 'POST', key: caller.key, body: { query } })
  await ask('{ jobs(first: 10) { edges { node { id } } } }')
  await ask('{ neverHeardOfThis }')
  await call(`${service.url}/nowhere/${jobId}`, { key: caller.key })
  for (let more = 0; more < 9; more++) {
    const { status } = await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key: caller.key })
    if (status === 429) limited++
  }
  scraped = await scrape(service.metricsUrl)
})
afterAll(() => service.close())

describe('/metrics', () => {
  test('holds every metric of the table, with the labels of the table and no others', () => {
    const own = [...scraped.families.values()].filter(({ name }) => name.startsWith(PREFIX))
    expect(own.map(({ name }) => name.slice(PREFIX.length)).sort()).toEqual(Object.keys(METRICS).sort())
    const strange = own.flatMap(({ name, samples: all }) => {
      const known: readonly string[] = METRICS[name.slice(PREFIX.length) as keyof typeof METRICS].labels
      return all.flatMap((one) =>
        Object.keys(one.labels)
          .filter((label) => label !== 'le')
          .sort()
          .join() === [...known].sort().join()
          ? []
          : [one],
      )
    })
    expect(strange).toEqual([])
    expect([...scraped.families.keys()].filter((name) => !/^(sonant|nodejs|process)_/.test(name))).toEqual([])
  })

  test('counts a job where it is committed: submitted, claimed, completed, charged', () => {
    const job = { type: 'voice', endpoint_key: 'voice.measured' }
    expect(value('submissions_total', { ...job, outcome: 'accepted' })).toBe(1)
    expect(value('submissions_total', { ...job, outcome: 'replayed' })).toBe(1)
    expect(value('submissions_total', { ...job, outcome: 'INVALID_REQUEST' })).toBe(1)
    expect(value('jobs_claimed_total', { pool: 'espeak' })).toBe(1)
    expect(value('jobs_finished_total', { ...job, pool: 'espeak', outcome: 'completed', error_code: '' })).toBe(1)
    expect(value('job_wait_seconds_count', { type: 'voice', pool: 'espeak' })).toBe(1)
    expect(value('job_run_seconds_count', { type: 'voice', pool: 'espeak' })).toBe(1)
    expect(value('characters_total', { endpoint_key: 'voice.measured' })).toBe(TEXT.length)
    expect(value('audio_seconds_total')).toBeGreaterThan(1)
    expect(value('render_seconds_total')).toBeGreaterThan(0)
    expect(value('credits_total', { kind: 'charge' })).toBe(TEXT.length)
    const stages = samples('job_stage_seconds_count').map(({ labels, value: times }) => [labels.stage, times])
    expect(Object.fromEntries(stages)).toEqual({ claim: 1, turn: 1, render: 1, check: 1, store: 1, complete: 1 })
    expect(value('engine_request_duration_seconds_count', { kind: 'espeak', outcome: 'ok' })).toBe(1)
    expect(value('storage_operation_duration_seconds_count', { store: 'disk', operation: 'put' })).toBe(1)
    expect(value('storage_bytes_total', { direction: 'in' })).toBeGreaterThan(1000)
    expect(value('storage_bytes_total', { direction: 'out' })).toBe(value('storage_bytes_total', { direction: 'in' }))
  })

  test('times requests by the pattern of their route and operations by their root field', () => {
    const requests = (labels: Record<string, string>) => value('http_request_duration_seconds_count', labels)
    expect(requests({ method: 'POST', route: '/api/v1/voice/:slug', status: '202' })).toBe(2)
    expect(requests({ route: '/media/*', status: '200' })).toBe(1)
    expect(requests({ route: 'unrouted', status: '404' })).toBe(1)
    expect(value('graphql_operation_duration_seconds_count', { root_field: 'jobs', outcome: 'ok' })).toBe(1)
    expect(value('graphql_operation_duration_seconds_count', { root_field: 'other' })).toBe(1)
    expect([value('rate_limited_total'), limited > 0]).toEqual([limited, true])
  })

  test('shows the pools, the worker and what the database knows', () => {
    expect(value('db_pool_connections', { pool: 'work' })).toBeGreaterThan(0)
    expect(value('db_pool_acquire_seconds_count', { pool: 'work' })).toBeGreaterThan(10)
    expect(value('db_statement_duration_seconds_count', { statement: 'claim_queued_rows' })).toBeGreaterThan(0)
    const statements = samples('db_statement_duration_seconds_count').map(({ labels }) => labels.statement)
    // By whether a worker was idle.
    expect(statements.filter((name) => /^insert_(taken_)?once$/.test(name ?? ''))).not.toEqual([])
    expect(statements).toEqual(expect.arrayContaining(['jobs', 'job_page']))
    expect(statements.filter((name) => !/^[a-z_]+$/.test(name ?? ''))).toEqual([])
    expect(value('bus_connected')).toBe(1)
    expect(samples('retention_backlog_seconds').map(({ labels, value: seconds }) => [labels.what, seconds])).toEqual([
      ...[
        ...['webhook_delivery', 'webhook_body', 'webhook_secret', 'idempotency_record', 'session', 'sign_in_link'],
        ...['abandoned_attempt', 'heard_attempt', 'job', 'artifact', 'companion_chat'],
      ].map((what) => [what, 0]),
    ])
    expect(value('worker_slots', { pool: 'espeak' })).toBeGreaterThan(0)
    for (const pool of ['espeak', 'generation'])
      expect(value('worker_last_beat_age_seconds', { pool })).toBeLessThan(30)
    expect(samples('queue_jobs', { pool: 'espeak' }).map(({ labels }) => labels.state)).toEqual([
      ...['waiting', 'delayed', 'running'],
    ])
    expect(value('workers', { state: 'alive' })).toBe(1)
    expect(value('jobs', { type: 'voice', status: 'completed' })).toBe(1)
    expect(value('relation_bytes', { relation: 'job' })).toBeGreaterThan(0)
    expect(value('data_free_bytes')).toBeGreaterThan(0)
    expect(Math.abs(value('clock_offset_seconds'))).toBeLessThan(1)
    expect(value('build_info', { role: 'start' })).toBe(1)
  })

  test('no label holds an account, a key, a job, a text or an address', () => {
    const texts = [caller.account, caller.key, caller.keyId, jobId, TEXT, 'nowhere', 'neverHeardOfThis']
    expect(texts.filter((text) => scraped.text.includes(text))).toEqual([])
  })

  test('asks the database again after 5 s at the earliest, and answers without it', async () => {
    const { pool } = service.runtime.db
    const query = pool.query
    let asked = 0
    pool.query = ((...args: Parameters<typeof query>) => {
      if ((args[0] as { name?: string }).name === 'count_jobs') asked++
      return query.apply(pool, args)
    }) as typeof query
    await Promise.all([1, 2, 3].map(() => scrape(service.metricsUrl))).finally(() => {
      pool.query = query
    })
    // Where 5 s are over on the way it is one.
    expect(asked).toBeLessThan(2)
  })

  test.skipIf(!promtool)('promtool finds nothing to complain about', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: scraped.text })
    expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
  })
})

describe('the port of the metrics', () => {
  test.each([
    ['/health/live', 'GET', 200],
    ['/health/ready', 'GET', 200],
    ['/health/ready', 'HEAD', 200],
    ['/metrics?x=1', 'GET', 200],
    ['/metrics', 'POST', 405],
    ['/', 'GET', 404],
    ['/api/v1/public/voice', 'GET', 404],
  ])('%s by %s is %i', async (path, method, status) => {
    expect((await call(service.metricsUrl + path, { method })).status).toBe(status)
  })

  test('is not the public one', async () => {
    expect((await call(`${service.url}/metrics`)).status).toBe(404)
  })

  test('says in one sentence what to do where it is taken', async () => {
    const taken: Server = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const metrics = await openMetrics('work')
    const opening = openMetricsServer(service.runtime, { port, host: '127.0.0.1' }, metrics, service.readiness)
    await expect(opening).rejects.toThrow(
      `another process listens on 127.0.0.1 port ${port}: end it, or set METRICS_PORT to another one.`,
    )
    taken.close()
  })
})
