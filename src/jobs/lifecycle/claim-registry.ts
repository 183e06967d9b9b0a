import type { Database } from '../../db/database.ts'
import type { Claim } from './claim-job.ts'

/** Claims of this process. A notification may be lost, so it asks the database. */
export interface ClaimRegistry {
  taking<Taken extends NotedClaim | null>(jobId: string, claim: Promise<Taken>): Promise<Taken>
  forget(claim: NotedClaim): void
  stillOwned(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

type NotedClaim = Pick<Claim, 'jobId' | 'attempt'>

/** An unanswered claim counts as owned: no worker can exceed this attempt. */
const NOT_YET_CLAIMED = 2 ** 31 - 1
const LOST = `
  select j.id from unnest($1::text[], $2::integer[]) as claimed(id, attempt) join job j on j.id = claimed.id
  where j.status not in ('queued', 'processing') or j.attempt > claimed.attempt`

export function openClaimRegistry(db: Database): ClaimRegistry {
  const attempts = new Map<string, number>()
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
