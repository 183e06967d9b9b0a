/** The known state of a job; an earlier state never replaces a later one. */
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

/** Tells if a job has one of the wanted states. No other filtered field ever changes. */
export const belongs = (
  { status, errorCode }: { readonly status: string; readonly errorCode?: string | null },
  { statuses, errorCodes }: States,
): boolean =>
  (statuses?.includes(status) ?? true) && (errorCodes == null || (errorCode != null && errorCodes.includes(errorCode)))

/** Tells if a row must be read again: the list shows it as unfinished, and the unfinished jobs lack it. */
export const isMissed = (rows: readonly Changing[], unfinished: readonly Changing[]): boolean => {
  const ids = new Set(unfinished.map(({ id }) => id))
  return rows.some(({ id, status }) => !ENDED.has(status) && !ids.has(id))
}
