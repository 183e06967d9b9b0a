import type { Database } from '../../db/database.ts'
import type { Claim } from './claim-job.ts'

/** The claims that this process works on, for asking whether they still stand: a message that said otherwise may have been lost. */
export interface ClaimRegistry {
  /** Notes the claim that is under way, and then what it brought, until that is forgotten. */
  taking<Taken extends NotedClaim | null>(jobId: string, claim: Promise<Taken>): Promise<Taken>
  /** Nothing changes where the job was claimed here again. */
  forget(claim: NotedClaim): void
  /** Those of the jobs that are unfinished, and in no other worker's hands as far as this process has claimed them. */
  stillOwned(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** What is noted of a claim. */
type NotedClaim = Pick<Claim, 'jobId' | 'attempt'>

/** A job that is not claimed yet has the highest attempt there can be: no other worker has overtaken it. */
const NOT_YET_CLAIMED = 2 ** 31 - 1
const LOST = `
  select j.id from unnest($1::text[], $2::integer[]) as claimed(id, attempt) join job j on j.id = claimed.id
  where j.status not in ('queued', 'processing') or j.attempt > claimed.attempt`

/** Keeps the claims of this process. */
export function openClaimRegistry(db: Database): ClaimRegistry {
  const attempts = new Map<string, number>()
  /** How many claims of each job have not been answered: its row may have the attempt of one of them by now. */
  const underWay = new Map<string, number>()
  const attemptOf = (jobId: string) => (underWay.has(jobId) ? undefined : attempts.get(jobId)) ?? NOT_YET_CLAIMED
  return {
    taking: async (jobId, claim) => {
      underWay.set(jobId, (underWay.get(jobId) ?? 0) + 1)
      try {
        const taken = await claim
        if (taken !== null) attempts.set(jobId, taken.attempt)
        return taken
      } finally {
        const others = underWay.get(jobId)! - 1
        if (others === 0) underWay.delete(jobId)
        else underWay.set(jobId, others)
      }
    },
    forget: ({ jobId, attempt }) => {
      if (attempts.get(jobId) === attempt) attempts.delete(jobId)
    },
    stillOwned: async (jobIds) => {
      const known = jobIds.map(attemptOf)
      const { rows } = await db.pool.query<{ id: string }>({ name: 'lost_claims', text: LOST, values: [jobIds, known] })
      const lost = new Set(rows.map(({ id }) => id))
      return new Set(jobIds.filter((jobId) => !lost.has(jobId)))
    },
  }
}
