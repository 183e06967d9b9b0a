/**
 * Ends deliveries in the statement that ends the work itself: cheaper than a completion of their own, and no crash comes between the two.
 * Fenced like pg-boss's own: a delivery that was given up meanwhile stays. `ids` and `retryCounts` are parameters, arrays of equal length.
 */
export const dequeue = (queue: string, ids: `$${number}`, retryCounts: `$${number}`): string => `
  delete from pgboss.job_common q using unnest(${ids}::uuid[], ${retryCounts}::int[]) as done (id, retry_count)
  where q.name = '${queue}' and q.id = done.id and q.retry_count = done.retry_count and q.state = 'active'`
