import { randomUUIDv7 } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { fromUUID } from 'typeid-js'
import type { Environment } from './environment.ts'

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
  const engineAt = (base_url: string, max_in_flight: number) => ({
    kind: 'openai-speech',
    model: 'bench',
    pool: 'bench',
    base_url,
    max_in_flight,
  })
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
  const endpoints = [
    { slug: 'bench', name: 'Bench', ...fixed, ...limits, engine: engineAt(SERVER, maxInFlight) },
    { slug: 'full', name: 'Full', ...fixed, ...limits, engine: engineAt(FULL_SERVER, 1) },
  ]
  const file = join(await environment.directory(), 'bench.json')
  await writeFile(file, JSON.stringify({ endpoints }))
  await environment.sonant('endpoints', 'apply', file)
}

/** Jobs and their queue rows as a submission writes them, of one account, oldest first. Returns their ids. */
export async function insertBacklog(client: Client, accountId: string, count: number): Promise<string[]> {
  const uuids = Array.from({ length: count }, () => randomUUIDv7())
  const ids = uuids.map((uuid) => fromUUID(uuid, 'job'))
  await client.query(
    `insert into job (id, account_id, type, endpoint_key, inputs, cost, created_at)
     select id, $2, 'voice', 'voice.bench', '{"text":"A second of sound.","voice":"calm"}', 18, now() from unnest($1::text[]) as id`,
    [ids, accountId],
  )
  await client.query(
    `insert into pgboss.job (id, name, data, group_id, group_tier, retry_limit, retry_delay, heartbeat_seconds, expire_seconds, policy, created_on)
     select w.uuid, q.name, jsonb_build_object('jobId', w.id), $3, '${SERVER}', q.retry_limit, q.retry_delay,
       q.heartbeat_seconds, q.expire_seconds, q.policy, now() + w.place * interval '1 microsecond'
     from pgboss.queue q, unnest($1::uuid[], $2::text[]) with ordinality as w(uuid, id, place) where q.name = 'voice.bench'`,
    [uuids, ids, accountId],
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

/** Workers of this service that drain backlogs, with a speech server that answers at once, or after `delayMs`. */
export interface Drain {
  readonly client: Client
  /** The address of the speech server. */
  readonly server: string
  /** Jobs per second of a new worker. */
  run(count: number): Promise<number>
  close(): Promise<void>
}

/** @param slots how many jobs the server takes at once */
export async function openDrain(environment: Environment, slots: number, delayMs = 0): Promise<Drain> {
  const { url, accountId } = await environment.database()
  await applyBenchEndpoint(environment, slots)
  const server = await environment.floor('speech-server', { DELAY_MS: String(delayMs) })
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    client,
    server: server.url,
    run: async (count) => {
      const ids = await insertBacklog(client, accountId, count)
      await client.query('analyze pgboss.job_common')
      const worker = await environment.worker('speech-worker', { SPEECH_URL: server.url })
      const rate = await drainRate(client, ids)
      await worker.stop()
      return rate
    },
    close: async () => {
      await client.end()
      await server.stop()
    },
  }
}

/** Waits until all are completed; jobs per second from the first claim to the last completion, by the database's clock. */
export async function drainRate(client: Client, ids: readonly string[], lookEveryMs = 250): Promise<number> {
  const deadline = performance.now() + DRAIN_DEADLINE_MS
  // Counting them at every look took a fifth of what PostgreSQL did meanwhile.
  const isLastDone = async () =>
    (await client.query(`select from job where id = $1 and status = 'completed'`, [ids.at(-1)])).rowCount === 1
  while (!(await isLastDone()) && performance.now() < deadline) await wait(lookEveryMs)
  for (;;) {
    const { rows } = await client.query<{ done: number; seconds: number }>(
      `select count(*) filter (where status = 'completed')::integer as done,
         extract(epoch from max(completed_at) - min(started_at))::float8 as seconds from job where id = any($1)`,
      [ids],
    )
    const [row] = rows
    if (row!.done === ids.length) return ids.length / row!.seconds
    if (performance.now() > deadline) throw new Error(`${ids.length - row!.done} jobs were not completed`)
    await wait(lookEveryMs)
  }
}
