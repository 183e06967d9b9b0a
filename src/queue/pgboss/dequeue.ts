import type { JobKind } from '../job-kind.ts'

/** Fenced like pg-boss's own completion: a delivery that was given up meanwhile stays. */
export const dequeue = ({ queue }: JobKind, ids: `$${number}`, retryCounts: `$${number}`): string => `
  delete from pgboss.job_common q using unnest(${ids}::uuid[], ${retryCounts}::int[]) as done (id, retry_count)
  where q.name = '${queue}' and q.id = done.id and q.retry_count = done.retry_count and q.state = 'active'`

/**
 * The same for rows of any queue, named by columns `queue`, `delivery` (its id) and `retry_count` of `done`. The ids as an array, so that
 * they are looked up by the primary key: joined, a plan from an empty queue reads all rows of a full one.
 * @param condition on `done`: which of its rows
 */
export const dequeueJoined = (ids: `$${number}`, condition: string): string => `
  delete from pgboss.job_common q using done
  where q.name = any(select distinct queue from done) and q.id = any(${ids}::uuid[]) and q.name = done.queue and q.id = done.delivery
    and q.retry_count = done.retry_count and q.state = 'active' and ${condition}`
