import { setTimeout as pause } from 'node:timers/promises'
import type { Parts } from '../../context/context.ts'
import { type JobRecord, RECORD_COLUMNS } from '../job-record.ts'
import { toSummary } from '../job-view.ts'
import type { FetchedJob, Follower } from './followers.ts'

const MAX_BATCH = 500
const RETRY_MS = 250

/** Reads jobs that have changed: each once, however many subscribers it has. */
interface JobFetcher {
  /** Has the job read and told, to all who follow its account or to one of them alone. */
  want(accountId: string, jobId: string, follower?: Follower): void
}

interface Wanted {
  readonly accountId: string
  followers: Set<Follower> | null
}

type Row = JobRecord & { account_id: string }

/** One statement at a time, for all that has come together meanwhile: no subscriber gets an older state after a newer one. */
export function openJobFetcher(parts: () => Pick<Parts, 'db' | 'log'>, tell: (job: FetchedJob) => void): JobFetcher {
  const wanted = new Map<string, Wanted>()
  let busy = false
  const fetchBatch = async (batch: ReadonlyMap<string, Wanted>): Promise<void> => {
    for (const row of await readRows(parts(), [...batch.keys()])) {
      const asked = batch.get(row.id)
      if (asked === undefined || asked.accountId !== row.account_id) continue
      const stamp = [row.status, row.attempt, row.chunks_done, row.is_prohibited].join()
      const state = { ...toSummary(row), record: row }
      tell({ accountId: row.account_id, state, stamp, followers: asked.followers })
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

async function readRows({ db }: Pick<Parts, 'db'>, jobIds: readonly string[]): Promise<Row[]> {
  const { rows } = await db.pool.query<Row>({
    name: 'fetch_jobs',
    text: `select ${RECORD_COLUMNS}, j.account_id
           from job j left join api_key k on k.id = j.api_key_id where j.id = any($1) order by j.id`,
    values: [jobIds],
  })
  return rows
}
