import type { Parts } from '../../context/context.ts'
import { notingEnds } from '../../queue/attempt-endings.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { type AttemptEnd, endValues, NOTED } from '../attempts/note-end.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'

/** `noted` is no part of the answer: where the end was noted before, as that of a worker that seemed dead, it stays as it was. */
const RELEASE = `
  with released as (
    update job set hand_backs = hand_backs + 1 where id = $1 and attempt = $2 and status = 'processing'
    returning id, attempt, started_at
  ), noted as (${notingEnds('released', NOTED)})
  select from released`

/**
 * An attempt that its worker releases does not count. The attempt number itself goes on: workers, files and predictions are
 * distinguished by it. Nothing is written where the claim is no longer this worker's.
 */
export async function recordRelease(
  parts: Pick<Parts, 'db' | 'notifier'> & MeasuredParts & { readonly workerId: string },
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  end: AttemptEnd,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query(RELEASE, endValues({ ...claim, workerId: parts.workerId }, end))
  if (rowCount !== 1) return
  parts.telemetry.count('jobs_requeued_total', { reason: 'handed_back' })
  notifyJob(parts, claim)
}
