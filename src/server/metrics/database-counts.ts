import type { Pool } from 'pg'
import { DEAD_AFTER_MS } from '../../worker/worker.ts'

interface DatabaseCounts {
  readonly jobs: readonly { readonly type: string; readonly status: string; readonly jobs: number }[]
  readonly workers: { readonly alive: number; readonly dead: number }
  readonly webhooks: { readonly pending: number; readonly oldestSeconds: number }
  readonly now: number
}

const JOBS = `select type::text, status::text, sum(jobs)::float8 as jobs from job_count group by 1, 2 having sum(jobs) > 0`
const WORKERS = `
  select count(*) filter (where alive)::float8 as alive, count(*) filter (where not alive)::float8 as dead
  from (select heartbeat_at > now() - $1 * interval '1 millisecond' as alive from worker) w`
const WEBHOOKS = `
  select count(*)::float8 as pending,
    coalesce(extract(epoch from now() - min(next_attempt_at) filter (where next_attempt_at <= now())), 0)::float8 as "oldestSeconds"
  from webhook_delivery where state = 'pending'`
const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'

export async function databaseCounts(db: Pick<Pool, 'query'>): Promise<DatabaseCounts> {
  const { rows: jobs } = await db.query<DatabaseCounts['jobs'][number]>({ name: 'count_jobs', text: JOBS })
  const workers = await db.query<DatabaseCounts['workers']>({
    name: 'count_workers',
    text: WORKERS,
    values: [DEAD_AFTER_MS],
  })
  const webhooks = await db.query<DatabaseCounts['webhooks']>({ name: 'count_pending', text: WEBHOOKS })
  const clock = await db.query<{ now: number }>(NOW)
  return {
    jobs,
    workers: workers.rows[0] ?? { alive: 0, dead: 0 },
    webhooks: webhooks.rows[0] ?? { pending: 0, oldestSeconds: 0 },
    now: clock.rows[0]?.now ?? Number.NaN,
  }
}
