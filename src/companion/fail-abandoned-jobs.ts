import type { PrismaTx } from '../db/database.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { endJobWith } from '../jobs/lifecycle/end-job.ts'
import type { CompanionContext } from './companion.ts'

/** Time to write the end while the database is away. */
const GRACE_MS = 45_000

/**
 * Fails companion jobs whose process died and deletes their Idempotency-Keys, so that callers can repeat the request.
 * @returns their number
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
