/** What is known of a job's place in its life; a later state never gives way to an earlier one. */
interface Changing {
  readonly id: string
  readonly status: string
}

const ENDED = new Set(['COMPLETED', 'FAILED'])

/** The rows with what has changed of them; jobs that are not among them come out as `newer`. */
export function mergeJobs<Job extends Changing>(
  rows: readonly Job[],
  changed: readonly Job[],
): { rows: readonly Job[]; newer: readonly Job[] } {
  const changes = new Map(changed.map((job) => [job.id, job]))
  const known = new Set(rows.map(({ id }) => id))
  const merged = rows.map((row) => {
    const change = changes.get(row.id)
    return change !== undefined && (!ENDED.has(row.status) || ENDED.has(change.status)) ? change : row
  })
  return { rows: merged, newer: changed.filter(({ id }) => !known.has(id)) }
}
