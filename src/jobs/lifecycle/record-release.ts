import type { Parts } from '../../context/context.ts'
import { notingEnds } from '../../queue/attempt-endings.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { type AttemptEnd, endValues, NOTED } from '../attempts/note-end.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'

const RELEASE = `
  with released as (
    update job set hand_backs = hand_backs + 1 where id = $1 and attempt = $2 and status = 'processing'
    returning id, attempt, started_at
  ), noted as (${notingEnds('released', NOTED)})
  select from released`

/** A released attempt does not count. It keeps its number, because files and predictions carry it. */
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
