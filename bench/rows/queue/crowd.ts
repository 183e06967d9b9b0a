import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { request } from 'undici'
import { applyBenchEndpoint, crowdFullServer, drainRate } from '../../backlog.ts'
import { GOALS } from '../../goals.ts'
import { type Measure, quantile, type Row } from '../../measure.ts'

const PERIOD_MS = 50
const SLOTS = 32
const { p50: MOST } = GOALS.crowd

/**
 * How long a job waits for an idle worker while another account has 100,000 jobs in the same queue. Those wait for a server that is
 * full, else the worker would not be idle and the row would measure how busy it is. From `created_at` to `started_at`, both by clocks
 * of one machine. The floor is the same with an empty queue.
 */
export const crowd: Row = {
  name: 'crowd',
  what: 'pickup p50 with 100,000 queued jobs of another account',
  reach: `<= ${MOST} x empty queue`,
  run: async (environment) => {
    const database = await environment.database()
    const count = environment.quick ? 40 : 200
    const backlog = environment.quick ? 20_000 : 100_000
    await applyBenchEndpoint(environment, SLOTS)
    const server = await environment.floor('speech-server', { DELAY_MS: '0' })
    const api = await environment.serve('serve')
    const worker = await environment.worker('speech-worker', { SPEECH_URL: server.url })
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      const other = await environment.account(`crowd ${Date.now()}`)
      await waits(client, api.url, other.apiKey, 20)
      const floor = quantile(await waits(client, api.url, other.apiKey, count), 0.5)
      await crowdFullServer(client, database.accountId, backlog)
      // The flood itself is over: what is left of it on the disk is not what is measured.
      await client.query('checkpoint')
      const value = quantile(await waits(client, api.url, other.apiKey, count), 0.5)
      const { rows } = await client.query(`select count(*)::integer as jobs from pgboss.job where state < 'active'`)
      const ratio = value / floor
      const measure: Measure = {
        what: `p50, ${backlog} waiting`,
        unit: 'ms',
        floor,
        value,
        ratio,
        reach: `<= ${MOST} x floor`,
        reached: ratio <= MOST,
      }
      return { name: 'crowd', measures: [measure], notes: [`${rows[0].jobs} of them still waited at the end`] }
    } finally {
      await worker.stop()
      await client.query(`delete from pgboss.job where name = 'voice.bench'`)
      await client.query(`delete from worker where id = 'wrk_full'`)
      await client.end()
      await Promise.all([api.stop(), server.stop()])
    }
  },
}

/** Submits `count` jobs, one every PERIOD_MS, and says how many milliseconds each waited. */
async function waits(client: Client, url: string, apiKey: string, count: number): Promise<number[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const next = wait(PERIOD_MS)
    const { body } = await request(`${url}/api/v1/voice/bench`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: { text: 'A second of sound.', voice: 'calm' } }),
    })
    ids.push(((await body.json()) as { job_id: string }).job_id)
    await next
  }
  await drainRate(client, ids)
  const { rows } = await client.query<{ ms: number }>(
    'select extract(epoch from started_at - created_at)::float8 * 1000 as ms from job where id = any($1)',
    [ids],
  )
  return rows.map(({ ms }) => ms)
}
