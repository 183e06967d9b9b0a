import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { request } from 'undici'
import type { Database, Environment, Service } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { atMost, type Measure, quantile, type Row } from '../measure.ts'
import { type Steps, stepsOf } from '../pickup-steps.ts'

const { oneProcess: ONE, twoProcesses: TWO, p95Ms: P95_MS } = GOALS.pickup

/**
 * How long an idle worker takes to hold a job, at 20 jobs a second in open loop. The clock starts just before the POST is sent, so that
 * HTTP, key check, validation and both inserts are part of ours; it stops at the `started_at` that the claim wrote by the
 * database's clock. The floor is timed by the same two clocks: from before `begin` of a bare insert and NOTIFY in one transaction to
 * the `started_at` of a second process that listens and claims with one update. Both columns round to milliseconds alike. Measured
 * with API and worker in one process and, for the way through NOTIFY, in two. What the way consists of is timed after that, inside of the same
 * processes.
 */
export const pickup: Row = {
  name: 'pickup',
  what: 'submit to claimed, idle, 20 jobs/s',
  reach: `p50 <= ${ONE} x floor, ${TWO} x in two processes, p95 <= ${P95_MS} ms`,
  run: async (environment) => {
    const database = await environment.database()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('create table if not exists floor_job (like job including all)')
      const claimer = await environment.floor('claimer', { DATABASE_URL: database.url })
      const together = await variant(environment, database, client, ['start'])
      const apart = await variant(environment, database, client, ['serve', 'work'])
      await claimer.stop()
      const steps = [
        await stepsIn(environment, database, client, 'one process', ['start']),
        await stepsIn(environment, database, client, 'two processes', ['serve', 'work']),
      ]
      const measures = [...together, ...apart, ...steps.flatMap((some) => some.measures)]
      return { name: 'pickup', measures, notes: [...STEPS_NOTES, ...steps.map(({ note }) => note)] }
    } finally {
      await client.end()
    }
  },
}

const PERIOD_MS = 50
const TIMING = fileURLToPath(new URL('../floors/pickup-times.ts', import.meta.url))
const STEPS_NOTES = [
  'a negative step: the worker has heard of the commit before the API has read its answer',
  'a step from one process to the other is the difference of two timeOrigins: what the clock was set by between their starts is in it',
]
const PICKUP_DEADLINE_MS = 60_000
type Submit = () => Promise<string>
type Roles = readonly ('start' | 'serve' | 'work')[]

/** The same jobs again, in services that note what they do when. */
async function stepsIn(
  environment: Environment,
  database: Database,
  client: Client,
  where: string,
  roles: Roles,
): Promise<Steps> {
  const directory = await environment.directory()
  const variables = { NODE_OPTIONS: `--import=${TIMING}`, TIMES_DIR: directory }
  const services: Service[] = []
  for (const role of roles) services.push(await environment.serve(role, variables))
  const count = environment.quick ? 100 : 220
  await latencies(client, 'job', () => post(services[0]!.url, database.apiKey), count)
  await Promise.all(services.map((service) => service.stop()))
  return stepsOf(where, directory, count)
}

async function variant(environment: Environment, database: Database, client: Client, roles: Roles): Promise<Measure[]> {
  const services: Service[] = []
  for (const role of roles) services.push(await environment.serve(role))
  const ours = () => post(services[0]!.url, database.apiKey)
  const bare = () => insertAndNotify(client, database.accountId)
  const count = environment.quick ? 40 : 80
  const samples: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
  await latencies(client, 'job', ours, 20)
  await latencies(client, 'floor_job', bare, 20)
  for (let round = 0; round < (environment.quick ? 2 : 4); round++) {
    samples.ours.push(...(await latencies(client, 'job', ours, count)))
    samples.floor.push(...(await latencies(client, 'floor_job', bare, count)))
  }
  await Promise.all(services.map((service) => service.stop()))
  const [where, most] = roles.length === 1 ? (['one process', ONE] as const) : (['two processes', TWO] as const)
  return measuresOf(where, most, samples.ours, samples.floor)
}

function measuresOf(where: string, most: number, ours: readonly number[], floors: readonly number[]): Measure[] {
  const [value, floor] = [quantile(ours, 0.5), quantile(floors, 0.5)]
  const ratio = value / floor
  const reach = `<= ${most} x floor`
  return [
    { what: `p50, ${where}`, unit: 'ms', value, floor, ratio, reach, reached: ratio <= most },
    atMost(`p95, ${where}`, 'ms', quantile(ours, 0.95), P95_MS, quantile(floors, 0.95)),
  ]
}

/** Submits `count` jobs, one every PERIOD_MS whatever became of the one before, and says how long each took to be claimed. */
export async function latencies(
  client: Client,
  table: 'job' | 'floor_job',
  submit: Submit,
  count: number,
): Promise<number[]> {
  const offset = await clockOffset(client)
  const begins = performance.now()
  const submitted = Array.from({ length: count }, async (_nothing, index) => {
    await wait(Math.max(0, begins + index * PERIOD_MS - performance.now()))
    const at = performance.now()
    return { at, id: await submit() }
  })
  const jobs = await Promise.all(submitted)
  const claimed = await claimTimes(
    client,
    table,
    jobs.map(({ id }) => id),
  )
  return jobs.map(({ id, at }) => claimed.get(id)! - (at + offset))
}

/** Milliseconds that lead from performance.now() to the database's clock: from the quickest of some round trips. */
async function clockOffset(client: Client): Promise<number> {
  let best = { trip: Number.POSITIVE_INFINITY, offset: 0 }
  for (let attempt = 0; attempt < 50; attempt++) {
    const sent = performance.now()
    const { rows } = await client.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    )
    const trip = performance.now() - sent
    if (trip < best.trip) best = { trip, offset: rows[0]!.ms - (sent + trip / 2) }
  }
  return best.offset
}

async function claimTimes(client: Client, table: string, ids: readonly string[]): Promise<Map<string, number>> {
  const deadline = performance.now() + PICKUP_DEADLINE_MS
  for (;;) {
    const { rows } = await client.query<{ id: string; ms: number }>(
      `select id, extract(epoch from started_at)::float8 * 1000 as ms from ${table} where id = any($1) and started_at is not null`,
      [ids],
    )
    if (rows.length === ids.length) return new Map(rows.map(({ id, ms }) => [id, ms]))
    if (performance.now() > deadline) throw new Error(`${ids.length - rows.length} jobs were not claimed`)
    await wait(100)
  }
}

/** One or two letters: the worker must be idle again when the next job comes. */
export async function post(url: string, apiKey: string): Promise<string> {
  const { statusCode, body } = await request(`${url}/api/v1/voice/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { text: 'Hi', voice: 'aria', language: 'English' } }),
  })
  const answer = (await body.json()) as { job_id: string }
  if (statusCode !== 202) throw new Error(`a submission was answered with ${statusCode}`)
  return answer.job_id
}

async function insertAndNotify(client: Client, accountId: string): Promise<string> {
  const id = randomUUIDv7()
  await client.query('begin')
  await client.query({
    name: 'insert_floor_job',
    text: `insert into floor_job (id, account_id, type, endpoint_key, inputs, cost, created_at)
           values ($1, $2, 'voice', 'voice.tts', $3, 2, now())`,
    values: [id, accountId, '{"text":"Hi"}'],
  })
  await client.query({ name: 'notify_floor_job', text: `select pg_notify('floor_job', $1)`, values: [id] })
  await client.query('commit')
  return id
}
