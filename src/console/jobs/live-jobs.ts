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

interface States {
  readonly statuses?: readonly string[] | null
  readonly errorCodes?: readonly string[] | null
}

/** Whether a job is in the states that a filter asks for. Everything else that it asks for never changes in a job. */
export const belongs = (
  { status, errorCode }: { readonly status: string; readonly errorCode?: string | null },
  { statuses, errorCodes }: States,
): boolean =>
  (statuses?.includes(status) ?? true) && (errorCodes == null || (errorCode != null && errorCodes.includes(errorCode)))

/** Whether a row has to be asked for: it is shown as unfinished, and is not among all that are. */
export const isMissed = (rows: readonly Changing[], unfinished: readonly Changing[]): boolean => {
  const ids = new Set(unfinished.map(({ id }) => id))
  return rows.some(({ id, status }) => !ENDED.has(status) && !ids.has(id))
}
