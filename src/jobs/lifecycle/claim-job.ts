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

/** A job that one worker has claimed. Every write about it repeats `attempt`, so that a worker that was replaced writes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  /** Earlier attempts that their workers released: they do not count. */
  readonly releases: number
  readonly inputs: Record<string, unknown>
  readonly options: JobOptions
  /** Which revision of its account's lexicon it is spoken with; null: the account has none. */
  readonly lexicon: number | null
  /** Whether a receiver waits for the job's end, as things were at the claim. */
  readonly delivers: boolean
}

/** What claiming a job takes. */
export interface ClaimParts extends BatchParts {
  /** What `jobRowClaim` claimed with its delivery; null: another delivery has the job. Absent: it is still to be claimed. */
  readonly claimed?: ClaimedWith | null
}

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3

/** Takes a job for this worker. null: it is finished already, gone, or just failed because it could not be paid. */
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

/** Ends a job that was never charged. The attempt number from before the claim fences it: a worker that took the job meanwhile keeps it. */
async function failUnpaid(parts: EndingParts, { jobId, accountId, attempt }: Claim): Promise<void> {
  const failure = new JobFailure('CHARGE_FAILED', 'the balance was below the cost when a worker took the job')
  await endJob(parts, { jobId, accountId, attempt: attempt - 1, nextAttempt: attempt, failure })
}

/**
 * A worker that waited for another one's claim of the job does not see that one's charge: it is refused by the ledger, or finds too little
 * credit left. So both answers count only when a new statement gives them too.
 */
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
