import { randomUUIDv7 } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { fromUUID } from 'typeid-js'
import { type DrainCost, measureCost, postmasterOf } from './drain-cost.ts'
import type { Environment } from './environment.ts'
import type { Variables } from './process.ts'

const DRAIN_DEADLINE_MS = 300_000
const INPUTS = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: { text: { type: 'string', minLength: 1, maxLength: 500 }, voice: { type: 'string' } },
}

const SERVER = 'http://bench.invalid'
const FULL_SERVER = 'http://full.invalid'

/** Makes the endpoint `bench`, whose jobs wait for workers of the pool `bench`, and `full` in the same pool, whose server takes one. */
export async function applyBenchEndpoint(environment: Environment, maxInFlight: number): Promise<void> {
  const endpoints = [
    benchEndpoint('bench', 'bench', SERVER, maxInFlight),
    benchEndpoint('full', 'bench', FULL_SERVER, 1),
  ]
  const file = join(await environment.directory(), 'bench.json')
  await writeFile(file, JSON.stringify({ endpoints }))
  await environment.sonant('endpoints', 'apply', file)
}

export function benchEndpoint(slug: string, pool: string, server: string, maxInFlight: number): object {
  const voices = [{ slug: 'calm', name: 'Calm', description: 'A voice.', kind: 'preset', engine_voice: 'en-us' }]
  const limits = { time_limit_seconds: 60, credits_per_character: 1, response_fields: ['created_at', 'completed_at'] }
  const fixed = {
    description: null,
    published: true,
    required_scope: null,
    voice_input: 'voice',
    inputs: INPUTS,
    voices,
  }
  const engine = { kind: 'openai-speech', model: 'bench', pool, base_url: server, max_in_flight: maxInFlight }
  return { slug, name: slug, ...fixed, ...limits, engine }
}

/** Jobs and their queue rows as a submission writes them, of each account in turn, oldest first. Returns their ids. */
export async function insertBacklog(
  client: Client,
  accounts: string | readonly string[],
  count: number,
): Promise<string[]> {
  const owners = Array.from({ length: count }, (_, n) => [accounts].flat()[n % [accounts].flat().length])
  const uuids = Array.from({ length: count }, () => randomUUIDv7())
  const ids = uuids.map((uuid) => fromUUID(uuid, 'job'))
  await client.query(
    `insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at)
     select id, account_id, 'voice', 'voice.bench', '{"text":"A second of sound.","voice":"calm"}', 18, now()
     from unnest($1::text[], $2::text[]) as made (id, account_id)`,
    [ids, owners],
  )
  await client.query(
    `insert into pgboss.job (id, name, data, group_id, group_tier, retry_limit, retry_delay, heartbeat_seconds, expire_seconds, policy, created_on)
     select w.uuid, q.name, jsonb_build_object('jobId', w.id), w.account_id, '${SERVER}', q.retry_limit, q.retry_delay,
       q.heartbeat_seconds, q.expire_seconds, q.policy, now() + w.place * interval '1 microsecond'
     from pgboss.queue q, unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as w(uuid, id, account_id, place) where q.name = 'voice.bench'`,
    [uuids, ids, owners],
  )
  return ids
}

/** Queue rows of one account that wait for a server which is full: another worker has its one permit. No worker can take them. */
export async function crowdFullServer(client: Client, accountId: string, count: number): Promise<void> {
  const permits = JSON.stringify({ [FULL_SERVER]: 1 })
  const isHeld = `select from worker where id <> 'wrk_full' and coalesce((permits->>$1)::integer, 0) > 0`
  await client.query(
    `insert into worker (id, host, version, pools, slots, in_flight, gpus, permits, heartbeat_at)
     values ('wrk_full', 'bench', '0', '{}', 1, 1, '[]', $1, now() + interval '1 hour')`,
    [permits],
  )
  while ((await client.query(isHeld, [FULL_SERVER])).rowCount !== 0) await wait(100)
  await client.query(
    `insert into pgboss.job (name, data, state, group_id, group_tier, retry_limit, policy)
     select q.name, '{"jobId":"job_none"}', 'created', $1, $2, q.retry_limit, q.policy
     from pgboss.queue q, generate_series(1, $3) as place where q.name = 'voice.bench'`,
    [accountId, FULL_SERVER, count],
  )
}

/** Workers of this service that drain backlogs, with a speech server that answers at once, or after a while. */
export interface Drain {
  readonly client: Client
  /** The address of the speech server. */
  readonly server: string
  /** Jobs per second of a new worker. @param accounts whose jobs they are in turn; those of the environment's own account unless given */
  run(count: number, accounts?: readonly string[]): Promise<number>
  /** The cost of each run, in order. */
  readonly costs: readonly DrainCost[]
  /** Has every commit of sessions that begin later wait so long before it is flushed, along with those that come meanwhile: a slower disk. */
  delayCommits(ms: number): Promise<void>
  close(): Promise<void>
}

interface DrainOptions {
  /** How many jobs the server takes at once. */
  readonly slots: number
  /** When the server answers. */
  readonly delayMs?: number
  /** Environment variables of the workers. */
  readonly variables?: Variables
}

export async function openDrain(environment: Environment, options: DrainOptions): Promise<Drain> {
  const { slots, delayMs = 0, variables = {} } = options
  const { url, accountId } = await environment.database()
  await applyBenchEndpoint(environment, slots)
  const server = await environment.floor('speech-server', { DELAY_MS: String(delayMs) })
  const client = new Client({ connectionString: url })
  await client.connect()
  const postmaster = await postmasterOf(client)
  // Makes the queue: without it the first backlog would have no rows there, and a worker would queue its jobs again first.
  const work = () => environment.worker('speech-worker', { ...variables, SPEECH_URL: server.url })
  await (await work()).stop()
  const costs: DrainCost[] = []
  return {
    client,
    server: server.url,
    costs,
    run: async (count, accounts = [accountId]) => {
      const ids = await insertBacklog(client, accounts, count)
      await client.query('analyze pgboss.job_common')
      const worker = await work()
      const cost = await measureCost(client, postmaster, worker.pid)
      const rate = await drainRate(client, ids)
      costs.push(await cost(count))
      await worker.stop()
      return rate
    },
    delayCommits: (ms) => delayCommits(client, ms),
    close: async () => {
      await delayCommits(client, 0)
      await client.end()
      await server.stop()
    },
  }
}

/** Waits until all are completed; jobs per second from the first claim to the last completion, by the database's clock. */
export async function drainRate(client: Client, ids: readonly string[], pollMs = 250): Promise<number> {
  const deadline = performance.now() + DRAIN_DEADLINE_MS
  // Counting them at every poll took a fifth of what PostgreSQL did meanwhile.
  const isLastDone = async () =>
    (await client.query(`select from job where id = $1 and status = 'completed'`, [ids.at(-1)])).rowCount === 1
  while (!(await isLastDone()) && performance.now() < deadline) await wait(pollMs)
  for (;;) {
    const { rows } = await client.query<{ done: number; seconds: number }>(
      `select count(*) filter (where status = 'completed')::integer as done,
         extract(epoch from max(completed_at) - min(started_at))::float8 as seconds from job where id = any($1)`,
      [ids],
    )
    const [row] = rows
    if (row!.done === ids.length) return ids.length / row!.seconds
    if (performance.now() > deadline) throw new Error(`${ids.length - row!.done} jobs were not completed`)
    await wait(pollMs)
  }
}

/** Has every commit of sessions that begin later wait so long before it is flushed. */
export async function delayCommits(client: Client, ms: number): Promise<void> {
  const settings = ms === 0 ? [] : [`commit_delay = ${ms * 1000}`, 'commit_siblings = 0']
  const actions =
    settings.length === 0 ? ['reset commit_delay', 'reset commit_siblings'] : settings.map((one) => `set ${one}`)
  for (const action of actions)
    await client.query(`do $$ begin execute format('alter database %I ${action}', current_database()); end $$`)
}
