import { Drain } from '../../concurrency/drain.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Parts } from '../../context/context.ts'
import { JOB_TABLES, type Job, PAGE_COLUMNS } from '../job-shape.ts'
import type { FetchedJob, Follower, GoneJob } from './followers.ts'

const MAX_BATCH = 500
const RETRY_MS = 250
const TURN_MS = 5

export interface JobFetcher {
  want(accountId: string, jobId: string, follower?: Follower): void
}

interface Wanted {
  readonly accountId: string
  readonly followers: ReadonlySet<Follower> | null
}

/** Runs one statement at a time, so no subscriber gets an older state after a newer one. */
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

interface ReadJob extends Job {
  readonly releases: number
  readonly waitsAgain: boolean | null
}

const tried = ({ attempt, releases, waitsAgain }: ReadJob) => [attempt, releases, waitsAgain]

/** A join or EXISTS may read all attempts. */
const WAITS_AGAIN = `case when j.status = 'processing' then
  (select a.ended_at is not null from job_attempt a where a.job_id = j.id and a.attempt = j.attempt) end`

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
