import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { DEAD_AFTER_MS } from '../../../src/worker/workers.ts'
import { applyBenchEndpoint, drainRate, insertBacklog } from '../../backlog.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import type { Measure, Row } from '../../measure.ts'

const JOBS = 50
const { seconds: REACH_SECONDS } = GOALS.recovery
const DEADLINE_MS = 60_000
/** Longer than everything here takes: no job ends by itself before it is claimed again. */
const RENDERING_MS = 20_000

/**
 * From `kill -9` of one of two workers, which render 50 jobs, to the moment when the other one has claimed all that the dead one had.
 * The floor is the silence after which a worker counts as dead.
 */
export const recovery: Row = {
  name: 'recovery',
  what: 'kill -9 of one of two workers with 50 running jobs: all claimed again',
  reach: `<= ${REACH_SECONDS} s`,
  run: async (environment) => {
    const rounds = environment.quick ? 1 : 3
    const seconds: number[] = []
    let lost = 0
    for (let round = 0; round < rounds; round++) {
      const outcome = await kill(environment)
      seconds.push(outcome.seconds)
      lost += outcome.lost
    }
    const value = Math.max(...seconds)
    const floor = DEAD_AFTER_MS / 1000
    const reached = value <= REACH_SECONDS
    const what = `slowest of ${rounds}`
    const measure: Measure = { what, unit: 's', floor, value, ratio: value / floor, reach: recovery.reach, reached }
    return { name: 'recovery', measures: [measure], notes: [`the dead had ${lost} jobs of ${rounds * JOBS}`] }
  },
}

async function kill(environment: Environment): Promise<{ seconds: number; lost: number }> {
  const database = await environment.database()
  await applyBenchEndpoint(environment, JOBS)
  const server = await environment.floor('speech-server', { DELAY_MS: String(RENDERING_MS) })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const start = () => environment.worker('speech-worker', { SPEECH_URL: server.url, SHUTDOWN_SECONDS: '1' })
  const one = async (text: string, values: unknown[] = []) =>
    (await client.query<{ n: number }>(text, values)).rows[0]!.n
  try {
    const victim = await start()
    const { rows } = await client.query<{ id: string }>('select id from worker order by id desc limit 1')
    const heir = await start()
    // Each has its half of the places.
    const equal = `select count(*)::integer as n from worker
      where heartbeat_at > now() - interval '3 seconds' and (permits->>'http://bench.invalid')::integer = $1`
    await until(async () => (await one(equal, [JOBS / 2])) === 2)
    const ids = await insertBacklog(client, database.accountId, JOBS)
    const claimed = `select count(*)::integer as n from job where id = any($1) and attempt >= 1 and status = 'processing'`
    await until(async () => (await one(claimed, [ids])) === JOBS)
    const held = await client.query<{ id: string }>(
      `select data->>'jobId' as id from pgboss.job where state = 'active' and data->>'worker' = $1`,
      [rows[0]!.id],
    )
    const lost = held.rows.map(({ id }) => id)
    process.kill(victim.pid, 'SIGKILL')
    const killed = performance.now()
    const again = 'select count(*)::integer as n from job where id = any($1) and attempt >= 2'
    await until(async () => (await one(again, [lost])) === lost.length)
    const seconds = (performance.now() - killed) / 1000
    await drainRate(client, ids)
    await heir.stop()
    return { seconds, lost: lost.length }
  } finally {
    await client.end()
    await server.stop()
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the workers did not come to where the row needs them')
    await wait(20)
  }
}
