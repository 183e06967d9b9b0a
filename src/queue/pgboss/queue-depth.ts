import type { Pool } from 'pg'
import { voiceKind } from '../job-kind.ts'

export const QUEUE_SCHEMA = 'pgboss'

export interface QueueDepth {
  readonly queue: string
  /** Null: all pools share the queue. */
  readonly pool: string | null
  readonly waiting: number
  readonly delayed: number
  readonly running: number
  readonly oldestSeconds: number | null
  readonly oldestSince: Date | null
}

interface Row {
  name: string
  waiting: number
  delayed: number
  running: number
  oldest_seconds: number | null
  oldest: Date | null
}

const DEPTH = `
  with waiting as (
    select name, count(*) filter (where start_after <= now()) as waiting, count(*) filter (where start_after > now()) as delayed,
      min(created_on) filter (where start_after <= now()) as oldest
    from pgboss.job_common where state < 'active' and not blocked group by name
  ), running as (
    select name, count(*) as running from pgboss.job_common where state = 'active' group by name
  )
  select q.name, coalesce(w.waiting, 0)::float8 as waiting, coalesce(w.delayed, 0)::float8 as delayed,
    coalesce(r.running, 0)::float8 as running, extract(epoch from now() - w.oldest)::float8 as oldest_seconds,
    w.oldest
  from pgboss.queue q left join waiting w using (name) left join running r using (name)
  where starts_with(q.name, $1) or q.name = any($2)`

export async function queueDepths(db: Pick<Pool, 'query'>, shared: readonly string[]): Promise<QueueDepth[]> {
  const voice = voiceKind('').queue
  const { rows } = await db.query<Row>({ name: 'queue_depths', text: DEPTH, values: [voice, shared] })
  return rows.map(({ name, oldest_seconds: oldestSeconds, oldest: oldestSince, ...counts }) => ({
    ...counts,
    queue: name,
    pool: name.startsWith(voice) ? name.slice(voice.length) : null,
    oldestSeconds,
    oldestSince,
  }))
}
