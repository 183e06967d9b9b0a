import type { JobType } from '../../catalog/job-kinds.ts'
import { knownKey } from '../../catalog/job-kinds.ts'
import type { Context } from '../../context/context.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { ErrorCode } from '../../errors/service-error.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { Submission } from '../lifecycle/queue-job.ts'

interface Target {
  readonly type: JobType
  readonly endpointKey: string
}

type NotedContext = Pick<Context, 'catalog'> & MeasuredParts

/** Counts `accepted`, `replayed` or the error code. */
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

/** Counts a submission that is refused before its verb. */
export const noteRejection = (ctx: NotedContext, target: Target, code: ErrorCode): void =>
  noteOutcome(ctx, target, code)

function noteOutcome({ telemetry, catalog }: NotedContext, { type, endpointKey }: Target, outcome: string): void {
  telemetry.count('submissions_total', { type, endpoint_key: knownKey(catalog, endpointKey), outcome })
}
