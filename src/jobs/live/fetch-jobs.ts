import { setTimeout as pause } from 'node:timers/promises'
import type { Parts } from '../../context/context.ts'
import { JOB_TABLES, type Job, PAGE_COLUMNS } from '../job-shape.ts'
import type { FetchedJob, Follower } from './followers.ts'

const MAX_BATCH = 500
const RETRY_MS = 250

/** Reads jobs that have changed: each once, however many subscribers it has. */
export interface JobFetcher {
  /** Has the job read and its followers notified: all of its account's, or one of them alone. */
  want(accountId: string, jobId: string, follower?: Follower): void
}

interface Wanted {
  readonly accountId: string
  followers: Set<Follower> | null
}

/** One statement at a time, for all that has come together meanwhile: no subscriber gets an older state after a newer one. */
export function openJobFetcher(
  parts: () => Pick<Parts, 'db' | 'log'>,
  notify: (fetched: FetchedJob) => void,
): JobFetcher {
  const wanted = new Map<string, Wanted>()
  let busy = false
  const fetchBatch = async (batch: ReadonlyMap<string, Wanted>): Promise<void> => {
    for (const job of await readJobs(parts(), [...batch.keys()])) {
      const asked = batch.get(job.id)
      if (asked === undefined || asked.accountId !== job.accountId) continue
      const stamp = [job.status, job.attempt, job.chunksDone, job.partsDone, job.isProhibited].join()
      notify({ job, stamp, followers: asked.followers })
    }
  }
  const want = (accountId: string, jobId: string, follower: Follower | null): void => {
    const known = wanted.get(jobId)
    if (known === undefined) wanted.set(jobId, { accountId, followers: follower === null ? null : new Set([follower]) })
    else if (follower === null) known.followers = null
    else known.followers?.add(follower)
    if (!busy) void drain()
  }
  const drain = async (): Promise<void> => {
    busy = true
    while (wanted.size > 0) {
      const batch = new Map([...wanted].slice(0, MAX_BATCH))
      for (const jobId of batch.keys()) wanted.delete(jobId)
      try {
        await fetchBatch(batch)
      } catch (error) {
        parts().log.warn({ err: (error as Error).message }, 'changed jobs could not be read; trying again')
        await pause(RETRY_MS, undefined, { ref: false })
        for (const [jobId, { accountId }] of batch)
          if (!wanted.has(jobId)) wanted.set(jobId, { accountId, followers: null })
      }
    }
    busy = false
  }
  return { want: (accountId, jobId, follower) => want(accountId, jobId, follower ?? null) }
}

async function readJobs({ db }: Pick<Parts, 'db'>, jobIds: readonly string[]): Promise<Job[]> {
  const { rows } = await db.pool.query<Job>({
    name: 'fetch_jobs',
    text: `select ${PAGE_COLUMNS}
           from ${JOB_TABLES} where j.id = any($1) order by j.id`,
    values: [jobIds],
  })
  return rows
}
