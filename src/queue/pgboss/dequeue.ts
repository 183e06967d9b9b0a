import type { JobKind } from '../job-kind.ts'

/** Fenced by the retry count, so a delivery that was given up stays. */
export const dequeue = ({ queue }: JobKind, ids: `$${number}`, retryCounts: `$${number}`): string => `
  delete from pgboss.job_common q using unnest(${ids}::uuid[], ${retryCounts}::int[]) as done (id, retry_count)
  where q.name = '${queue}' and q.id = done.id and q.retry_count = done.retry_count and q.state = 'active'`

/**
 * The arrays make PostgreSQL use the primary key.
 * @param condition on `done`, with `queue`, `delivery` and `retry_count`
 */
export const dequeueJoined = (condition: string): string => `
  delete from pgboss.job_common q using done
  where q.name = any(array(select queue from done)) and q.id = any(array(select delivery from done)) and q.name = done.queue and q.id = done.delivery
    and q.retry_count = done.retry_count and q.state = 'active' and ${condition}`
