import { knownKey } from '../../catalog/pool-of-job.ts'
import type { Context } from '../../context/context.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { JobType } from '../job-states.ts'
import type { Submission } from '../lifecycle/queue-job.ts'

/** What a submission is for: its outcome is counted under it. */
interface Target {
  readonly type: JobType
  readonly endpointKey: string
}

/** Counts what becomes of a submission: `accepted` once its job is committed, `replayed`, or the code that it is rejected with. */
export async function noteSubmission(
  { telemetry, catalog }: Context,
  { type, endpointKey }: Target,
  submit: () => Promise<Submission>,
): Promise<Submission> {
  if (!telemetry.measures) return submit()
  const count = (outcome: string) =>
    telemetry.count('submissions_total', { type, endpoint_key: knownKey(catalog, endpointKey), outcome })
  try {
    const submission = await submit()
    count(submission.replayed ? 'replayed' : 'accepted')
    return submission
  } catch (error) {
    count(toServiceError(error).code)
    throw error
  }
}
