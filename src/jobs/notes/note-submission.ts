import { knownKey } from '../../catalog/pool-of-job.ts'
import type { Context } from '../../context/context.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { ErrorCode } from '../../errors/service-error.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobType } from '../job-states.ts'
import type { Submission } from '../lifecycle/queue-job.ts'

/** What a submission is for: its outcome is counted under it. */
interface Target {
  readonly type: JobType
  readonly endpointKey: string
}

type NotedContext = Pick<Context, 'catalog'> & MeasuredParts

/** Counts what becomes of a submission: `accepted` once its job is committed, `replayed`, or the code that it is rejected with. */
export async function noteSubmission(
  ctx: NotedContext,
  target: Target,
  submit: () => Promise<Submission>,
): Promise<Submission> {
  if (!ctx.telemetry.measures) return submit()
  try {
    const submission = await submit()
    noteOutcome(ctx, target, submission.replayed ? 'replayed' : 'accepted')
    return submission
  } catch (error) {
    noteOutcome(ctx, target, toServiceError(error).code)
    throw error
  }
}

/** Counts a submission that ends before its verb: a door whose clients name what they want in words of their own has refused it. */
export const noteRejection = (ctx: NotedContext, target: Target, code: ErrorCode): void =>
  noteOutcome(ctx, target, code)

function noteOutcome({ telemetry, catalog }: NotedContext, { type, endpointKey }: Target, outcome: string): void {
  telemetry.count('submissions_total', { type, endpoint_key: knownKey(catalog, endpointKey), outcome })
}
