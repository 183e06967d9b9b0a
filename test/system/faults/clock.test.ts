import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { openRuntime } from '../../../src/runtime/runtime.ts'
import { openLog } from '../../../src/values/log.ts'
import { readCsv } from '../../setup/checks/csv.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../../setup/jobs/workflows.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { makeSettable, setDatabaseClock } from '../../setup/postgres/settable-clock.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import { read } from '../../setup/service/graphql.ts'
import { COMPANION_SCOPES, type Producers, startProducers } from '../../setup/service/producers.ts'
import { WEBHOOK_ENV } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const HOUR_MS = 3_600_000
const DEADLINE_MS = 60_000
const JUMPS = 20
const SCOPES = [...COMPANION_SCOPES, 'generate:voice', 'job:read']
/** A request and the reading of a clock may take this long on a busy machine. */
const SLACK_MS = 60_000
const JUMP_PATH = '/jumps'

let [admin, database]: [Client, TestDatabase] = [] as never
let [certificates, receiver, service]: [Certificates, Receiver, Producers] = [] as never
let key: string
let owner: string

beforeAll(async () => {
  database = await createTestDatabase('opened')
  const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR: await makeTempDir() })
  // The queue makes its tables at the first start, and those get the clock, too.
  await (await openRuntime(settings, openLog('silent'), { supervise: false })).close()
  admin = new Client({ connectionString: database.url })
  await admin.connect()
  await makeSettable(admin)
  certificates = testCertificates()
  receiver = await startReceiver(certificates.good)
  const env = { ...WEBHOOK_ENV, DATABASE_URL: database.url }
  service = await startProducers(({ url }) => ({ ...env, COMPANION_BASE_URL: url }), { worker: true, webhooks: true })
  await applyEndpoint(service.runtime, 'calm')
  await applyWorkflow(service.runtime, 'portrait', { base_url: service.provider.url, max_in_flight: 4 })
  owner = await service.createAccount()
  key = (await service.createKey(owner, SCOPES)).apiKey
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.setSystemTime(performance.timeOrigin + performance.now()))
afterAll(async () => {
  vi.useRealTimers()
  await service.close()
  await receiver.close()
  await admin.end()
  await database.drop()
  await cleanUp()
})

/** Sets the clocks of the process and of the database off the real one, and waits until the service goes by the database's. */
async function setClocks(processMs: number, databaseMs: number): Promise<void> {
  await setDatabaseClock(admin, databaseMs)
  const real = performance.timeOrigin + performance.now()
  // A step of the own clock has the database's looked up.
  vi.setSystemTime(real + processMs + 10_000)
  const follows = () => Math.abs(service.runtime.now().getTime() - realNow() - databaseMs) < 1_000
  await until(follows, DEADLINE_MS, 'the service to go by the clock of the database')
}
const realNow = () => performance.timeOrigin + performance.now()

/** One job of each kind, once all of them have ended; the webhooks go to this path. */
async function runJobs(path: string): Promise<string[]> {
  const webhook_url = receiver.url + path
  const answers = await Promise.all([
    service.send<{ job_id: string }>('/companion/chat', key, { message: 'Hello' }),
    service.send<{ job_id: string }>('/voice/calm', key, { inputs: { text: 'Hello.', voice: 'calm' }, webhook_url }),
    service.send<{ job_id: string }>('/generate/portrait', key, { inputs: { prompt: 'A lighthouse' }, webhook_url }),
  ])
  return answers.map(({ body }) => body.job_id)
}
const ended = (ids: readonly string[]) =>
  until(
    async () =>
      (await service.query(`select from job where id = any($1) and completed_at is null`, [ids])).length === 0,
    DEADLINE_MS,
    'all jobs to end',
  )

interface Times {
  readonly job_id: string
  readonly created_at: string
  readonly completed_at: string
}
interface GraphqlTimes {
  readonly waitMs: number
  readonly runMs: number
  readonly durationMs: number
}
const get = (path: string) => fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
const between = ({ created_at, completed_at }: Times) => Date.parse(completed_at) - Date.parse(created_at)

/** How long a job took in all, by every way to ask: the list, a single read, GraphQL and the export. */
async function durationsOf(id: string): Promise<Record<'list' | 'single' | 'graphql' | 'csv', number>> {
  const { jobs } = (await (await get('/jobs?limit=100')).json()) as { jobs: Times[] }
  const single = (await (await get(`/jobs/${id}`)).json()) as Times
  const document = `query ($id: ID!) { job(jobId: $id) { waitMs runMs durationMs } }`
  const { job } = await read<{ job: GraphqlTimes }>(service.url, key, document, { id })
  expect([job.waitMs, job.runMs].filter((ms) => ms < 0)).toEqual([])
  const csv = await (await get(`/jobs/export?from=${at(-3 * HOUR_MS)}&to=${at(3 * HOUR_MS)}`)).text()
  const [head = [], ...rows] = readCsv(csv.slice(1))
  const cell = rows.find((row) => row[0] === id)?.[head.indexOf('duration_ms')]
  const found = jobs.find((one) => one.job_id === id) ?? single
  return { list: between(found), single: between(single), graphql: job.durationMs, csv: Number(cell) }
}
const at = (offMs: number) => new Date(realNow() + offMs).toISOString()

/** The receiver's message about a job, whose audio its address gives. */
async function callbackOf(id: string, path: string): Promise<Times> {
  const bodies = () => receiver.received(path).map(({ body }) => JSON.parse(body.toString()))
  const found = () => bodies().find((body) => body.job_id === id)
  const body = await until(found, DEADLINE_MS, 'the webhook')
  expect(body.status).toBe('completed')
  for (const url of Object.values(body.outputs as Record<string, string>)) expect((await fetch(url)).status).toBe(200)
  return body
}

describe('where the clocks of the service and of the database differ', () => {
  test.each([
    [HOUR_MS, 0],
    [-HOUR_MS, 0],
    [0, -HOUR_MS],
    [0, HOUR_MS],
    [HOUR_MS, -HOUR_MS],
  ])(
    'no job ends before it began, and takes as long as it took: %i ms and %i ms off',
    {
      timeout: 240_000,
    },
    async (processMs, databaseMs) => {
      await setClocks(processMs, databaseMs)
      const path = `/off/${processMs}/${databaseMs}`
      const began = performance.now()
      const ids = await runJobs(path)
      await ended(ids)
      const tookMs = performance.now() - began + SLACK_MS
      for (const id of ids) {
        const durations = await durationsOf(id)
        expect(new Set(Object.values(durations)).size).toBe(1)
        expect(durations.single).toBeGreaterThanOrEqual(0)
        expect(durations.single).toBeLessThan(tookMs)
      }
      for (const id of ids.slice(1)) {
        const body = await callbackOf(id, path)
        const single = (await (await get(`/jobs/${id}`)).json()) as Times
        expect([body.created_at, body.completed_at]).toEqual([single.created_at, single.completed_at])
      }
    },
  )

  test(`${JUMPS} jumps of both leave every job with times in their order`, { timeout: 180_000 }, async () => {
    const ids: string[] = []
    for (let jump = 0; jump < JUMPS; jump++) {
      const off = (jump % 2 === 0 ? 1 : -1) * (HOUR_MS - jump * 60_000)
      vi.setSystemTime(realNow() + off)
      await setDatabaseClock(admin, -off)
      ids.push(...(await runJobs(JUMP_PATH)))
    }
    // Jobs that the process with the latest clock queued are due by now.
    await setClocks(0, 2 * HOUR_MS)
    await ended(ids)
    const wrong = await service.query(
      `select id from job where id = any($1) and not (created_at <= started_at and started_at <= completed_at and status = 'completed')`,
      [ids],
    )
    expect([ids.length, wrong]).toEqual([3 * JUMPS, []])
    const late = await service.query(
      `select d.id from webhook_delivery d where d.job_id = any($1) and d.finished_at < d.created_at`,
      [ids],
    )
    expect(late).toEqual([])
    const listed = (await (await get('/jobs?limit=100')).json()) as { jobs: Times[] }
    const order = listed.jobs.map(({ created_at, job_id }) => `${created_at} ${job_id}`)
    expect(order).toEqual(order.toSorted().toReversed())
  })
})
