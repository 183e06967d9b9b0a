import type { PrismaTx } from '../db/database.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { endJobWith } from '../jobs/lifecycle/end-job.ts'
import type { CompanionContext } from './companion.ts'

/** Added to the longest that a request may take: what it writes at its end waits as long as this for a database that is away. */
const GRACE_MS = 45_000

/**
 * Fails companion jobs whose process died before it could finish them, and forgets their Idempotency-Keys: no caller was answered, so
 * the same request may be sent again. One job, or all. Returns how many there were.
 */
export async function failAbandonedJobs(
  parts: Omit<CompanionContext, 'actor'>,
  jobId: string | null = null,
): Promise<number> {
  const longestMs = parts.companion.timeoutMs + GRACE_MS
  const abandoned = await parts.db.prisma.job.findMany({
    where: {
      status: 'processing',
      type: { in: ['companion_chat', 'companion_retarget', 'companion_media_tag'] },
      startedAt: { lt: new Date(parts.now().getTime() - longestMs) },
      ...(jobId !== null && { id: jobId }),
    },
    select: { id: true, accountId: true },
  })
  const failure = new JobFailure('INTERNAL_ERROR', 'the process ended before the request did')
  let failed = 0
  for (const { id, accountId } of abandoned) {
    const forget = (tx: PrismaTx) => tx.idempotencyRecord.deleteMany({ where: { accountId, jobId: id } })
    if (await endJobWith(parts, { jobId: id, accountId, failure }, forget)) failed++
  }
  return failed
}
