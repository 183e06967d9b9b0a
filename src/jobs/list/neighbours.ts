import type { Context } from '../../context/context.ts'
import type { Job } from '../job-shape.ts'
import { cursorOf, type JobsInput, jobs } from './jobs.ts'

export interface Neighbours {
  readonly previous: Job | null
  readonly next: Job | null
}

/**
 * The jobs before and after one in a list; null at its ends.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function neighbours(
  ctx: Context,
  job: Job,
  { filter, orderBy }: Pick<JobsInput, 'filter' | 'orderBy'>,
): Promise<Neighbours> {
  const cursor = cursorOf(job, orderBy)
  if (cursor === null) return { previous: null, next: null }
  const [before, after] = [
    await jobs(ctx, { filter, orderBy, last: 1, before: cursor }),
    await jobs(ctx, { filter, orderBy, first: 1, after: cursor }),
  ]
  return { previous: before.edges[0]?.node ?? null, next: after.edges[0]?.node ?? null }
}
