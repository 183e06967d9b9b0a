import type { Database } from '../../db/database.ts'
import type { Claim } from './claim-job.ts'

/** The claims that this process works on, for asking whether they still stand: a message that said otherwise may have been lost. */
export interface ClaimRegistry {
  /** Returns what ends it. */
  hold(claim: Pick<Claim, 'jobId' | 'attempt'>): () => void
  /** Those of the jobs that are unfinished, and in no other worker's hands as far as this process has claimed them. */
  stillOwned(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** A job that is not claimed yet has the highest attempt there can be: no other worker has overtaken it. */
const NOT_YET_CLAIMED = 2 ** 31 - 1
const LOST = `
  select j.id from unnest($1::text[], $2::integer[]) as claimed(id, attempt) join job j on j.id = claimed.id
  where j.status not in ('queued', 'processing') or j.attempt > claimed.attempt`

/** Keeps the claims of this process. */
export function openClaimRegistry(db: Database): ClaimRegistry {
  const attempts = new Map<string, number>()
  return {
    hold: ({ jobId, attempt }) => {
      attempts.set(jobId, attempt)
      return () => {
        if (attempts.get(jobId) === attempt) attempts.delete(jobId)
      }
    },
    stillOwned: async (jobIds) => {
      const known = jobIds.map((jobId) => attempts.get(jobId) ?? NOT_YET_CLAIMED)
      const { rows } = await db.pool.query<{ id: string }>({ name: 'lost_claims', text: LOST, values: [jobIds, known] })
      const lost = new Set(rows.map(({ id }) => id))
      return new Set(jobIds.filter((jobId) => !lost.has(jobId)))
    },
  }
}
