import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { firstIdAt } from '../../values/id.ts'
import type { JobErrorCode } from '../job-states.ts'

const DAY_MS = 86_400_000
const MAX_WINDOW_MS = 31 * DAY_MS
const MAX_CAUSES = 100

export interface FailureCause {
  readonly errorCode: JobErrorCode
  readonly cause: string | null
  readonly endpointKey: string
  readonly jobs: number
  readonly lastJobId: string
}

export interface FailureCausesInput {
  /** Inclusive; a day ago unless given. */
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
}

/**
 * Causes of failed jobs of all accounts, most frequent first, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function failureCauses(ctx: Context, input: FailureCausesInput): Promise<FailureCause[]> {
  requireOperator(ctx)
  const to = input.to ?? ctx.now()
  const from = input.from ?? new Date(to.getTime() - DAY_MS)
  const window = to.getTime() - from.getTime()
  if (window < 0 || window > MAX_WINDOW_MS) {
    const message = window < 0 ? 'is before from' : 'is more than 31 days after from'
    throw invalidRequest('Ask for a window of at most 31 days.', [{ path: 'to', message }])
  }
  const { rows } = await longRead<FailureCause>(ctx.db, 'operator', {
    text: `select error_code as "errorCode", cause, endpoint_key as "endpointKey", count(*)::integer as jobs, max(id) as "lastJobId"
     from job where status = 'failed' and id >= $1 and id < $2
     group by error_code, cause, endpoint_key order by count(*) desc, max(id) desc limit ${MAX_CAUSES}`,
    values: [firstIdAt('job', from), firstIdAt('job', to)],
  })
  return rows
}
