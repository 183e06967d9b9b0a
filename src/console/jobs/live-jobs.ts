/** What is known of a job's place in its life; a later state never gives way to an earlier one. */
interface Changing {
  readonly id: string
  readonly status: string
  readonly attempts: number
}

export interface LiveJobs<Job extends Changing> {
  push(job: Job): void
  stop(): void
}

const SHOW_EVERY_MS = 250

/** Gathers changes of jobs, of each the latest, and shows them at most four times a second: a storm of them costs a page nothing. */
export function gatherJobs<Job extends Changing>(
  show: (jobs: ReadonlyMap<string, Job>) => void,
  after: (ms: number, run: () => void) => () => void,
): LiveJobs<Job> {
  let waiting = new Map<string, Job>()
  let cancel: (() => void) | null = null
  const flush = (): void => {
    cancel = null
    const jobs = waiting
    waiting = new Map()
    show(jobs)
  }
  return {
    push: (job) => {
      waiting.set(job.id, job)
      cancel ??= after(SHOW_EVERY_MS, flush)
    },
    stop: () => cancel?.(),
  }
}

const ENDED = new Set(['COMPLETED', 'FAILED'])

/** The rows with what has changed of them; jobs that are not among them come out as `newer`. */
export function mergeJobs<Job extends Changing>(
  rows: readonly Job[],
  changes: ReadonlyMap<string, Job>,
): { rows: readonly Job[]; newer: readonly Job[] } {
  const known = new Set(rows.map(({ id }) => id))
  const merged = rows.map((row) => {
    const change = changes.get(row.id)
    return change !== undefined && (!ENDED.has(row.status) || ENDED.has(change.status)) ? change : row
  })
  return { rows: merged, newer: [...changes.values()].filter(({ id }) => !known.has(id)) }
}
