import type { Context } from '../../context/context.ts'
import type { Job } from '../job-shape.ts'
import { cursorOf, type JobsInput, jobs } from './jobs.ts'

/** The jobs before and after one in a list; null at its ends. */
export interface Neighbours {
  readonly previous: Job | null
  readonly next: Job | null
}

/**
 * The jobs before and after one of the caller's account in a list of them, whether or not it is in that list itself.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function neighbours(
  ctx: Context,
  job: Job,
  { filter, orderBy }: Pick<JobsInput, 'filter' | 'orderBy'>,
): Promise<Neighbours> {
  const cursor = cursorOf(job, orderBy)
  // Only finished jobs are in a list by their end.
  if (cursor === null) return { previous: null, next: null }
  const [before, after] = [
    await jobs(ctx, { filter, orderBy, last: 1, before: cursor }),
    await jobs(ctx, { filter, orderBy, first: 1, after: cursor }),
  ]
  return { previous: before.edges[0]?.node ?? null, next: after.edges[0]?.node ?? null }
}
