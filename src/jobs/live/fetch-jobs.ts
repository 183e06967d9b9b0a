import { Drain } from '../../concurrency/drain.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Parts } from '../../context/context.ts'
import { JOB_TABLES, type Job, PAGE_COLUMNS } from '../job-shape.ts'
import type { FetchedJob, Follower, GoneJob } from './followers.ts'

const MAX_BATCH = 500
const RETRY_MS = 250
/** So long other requests wait at the most, but for the followers of one job. */
const TURN_MS = 5

/** Reads jobs that have changed: each once, however many subscribers it has. */
export interface JobFetcher {
  /** Has the job read and its followers notified: all of its account's, or one of them alone. */
  want(accountId: string, jobId: string, follower?: Follower): void
}

interface Wanted {
  readonly accountId: string
  readonly followers: ReadonlySet<Follower> | null
}

/** One statement at a time, for all that has come together meanwhile, and in the order in which it has come: no subscriber gets an older state after a newer one. */
export function openJobFetcher(
  parts: () => Pick<Parts, 'db' | 'log'>,
  notify: (fetched: FetchedJob) => void,
  notifyGone: (gone: GoneJob) => void,
): JobFetcher {
  const fetchBatch = async (batch: ReadonlyMap<string, Wanted>): Promise<void> => {
    const gone = new Map(batch)
    const jobs = await readJobs(parts(), [...batch.keys()])
    let since = performance.now()
    for (const [id, asked] of batch) {
      const job = jobs.get(id)
      if (job === undefined) continue
      gone.delete(id)
      if (asked.accountId !== job.accountId) continue
      const stamp = [job.status, ...tried(job), job.isProhibited].join()
      notify({ job, stamp, progress: [job.chunksDone, job.partsDone].join(), followers: asked.followers })
      if (performance.now() - since < TURN_MS) continue
      await nextTurn()
      since = performance.now()
    }
    for (const [jobId, { accountId }] of gone) notifyGone({ accountId, jobId })
  }
  const changed = new Drain<string, Wanted>({
    maxBatch: MAX_BATCH,
    retryMs: RETRY_MS,
    work: fetchBatch,
    merge: (older, newer) => ({ ...newer, followers: both(older.followers, newer.followers) }),
    onFailure: ({ message }) => parts().log.warn({ err: message }, 'changed jobs could not be read; trying again'),
  })
  return {
    want: (accountId, jobId, follower) =>
      changed.add(jobId, { accountId, followers: follower === undefined ? null : new Set([follower]) }),
  }
}

/** That an attempt has ended is a change as well: its worker released the job, or was lost. */
interface ReadJob extends Job {
  readonly releases: number
  /** Whether its last attempt has; null where nothing says so. */
  readonly waitsAgain: boolean | null
}

const tried = ({ attempt, releases, waitsAgain }: ReadJob) => [attempt, releases, waitsAgain]

/** No join, and no EXISTS: a plan may read all that is stored for those. */
const WAITS_AGAIN = `case when j.status = 'processing' then
  (select a.ended_at is not null from job_attempt a where a.job_id = j.id and a.attempt = j.attempt) end`

/** Null: all of the account's. */
const both = (one: Wanted['followers'], other: Wanted['followers']): Wanted['followers'] =>
  one === null || other === null ? null : new Set([...one, ...other])

async function readJobs({ db }: Pick<Parts, 'db'>, jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadJob>> {
  const { rows } = await db.pool.query<ReadJob>({
    name: 'fetch_jobs',
    text: `select ${PAGE_COLUMNS}, j.hand_backs as releases, ${WAITS_AGAIN} as "waitsAgain"
           from ${JOB_TABLES} where j.id = any($1)`,
    values: [jobIds],
  })
  return new Map(rows.map((job) => [job.id, job]))
}
