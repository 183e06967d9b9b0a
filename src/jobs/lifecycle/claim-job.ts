import { outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import type { ClaimedWith } from '../../queue/job-source.ts'
import type { JobOptions } from '../job-options.ts'
import { JobFailure } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { noteClaim } from '../notes/note-claim.ts'
import { type ClaimedRow, claimJobs } from './claim-jobs.ts'
import { endJob } from './end-job.ts'
import type { BatchParts } from './job-batches.ts'
import type { EndingParts } from './job-end.ts'

/** A job that one worker has claimed. Every write repeats `attempt`, so a replaced worker changes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  /** Attempts that workers released, which do not count. */
  readonly releases: number
  readonly inputs: Record<string, unknown>
  readonly options: JobOptions
  /** A revision; null if the account has no lexicon. */
  readonly lexicon: number | null
  readonly delivers: boolean
}

export interface ClaimParts extends BatchParts {
  /** Null: another delivery has the job. Absent: `claimJob` claims its row. */
  readonly claimed?: ClaimedWith | null
}

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3

/** Claims a job. Returns null if it has ended, is gone, or just failed for lack of credit. */
export async function claimJob(parts: ClaimParts, jobId: string): Promise<Claim | null> {
  const row =
    parts.claimed === undefined ? await takeRow(parts.db, jobId) : (parts.claimed?.row as ClaimedRow | undefined)
  if (row === undefined) return null
  const claim = {
    jobId,
    accountId: row.account_id,
    endpointKey: row.endpoint_key,
    attempt: row.attempt,
    releases: row.hand_backs,
    inputs: row.inputs,
    options: row.options ?? {},
    lexicon: row.lexicon,
    delivers: row.delivers,
  }
  if (row.funded) noteClaim(parts, row)
  if (row.funded) notifyJob(parts, claim)
  else await failUnpaid(parts, claim)
  return row.funded ? claim : null
}

/** The fence is the attempt before the claim, so another worker's claim survives. */
async function failUnpaid(parts: EndingParts, { jobId, accountId, attempt }: Claim): Promise<void> {
  const failure = new JobFailure('CHARGE_FAILED', 'the balance was below the cost when a worker took the job')
  await endJob(parts, { jobId, accountId, attempt: attempt - 1, nextAttempt: attempt, failure })
}

/** A statement that waited for a lock does not see the other worker's charge. A new statement must confirm its refusal. */
async function takeRow(db: Database, jobId: string): Promise<ClaimedRow | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const row = await outwaitLocks(db, jobId, async (longest) => (await claimJobs(db, [jobId], longest))[0])
      if (row === undefined || row.funded || attempt > 1) return row
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
}
