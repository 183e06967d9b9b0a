import type { Context } from '../context.ts'
import { endpointKey } from './voice-endpoint.ts'

const MOVE = `
  update pgboss.job_common q set group_tier = $3 from job j
  where q.state < 'active' and q.group_tier = $2 and j.id = q.data->>'jobId' and j.endpoint_key = $1`

/** Has the jobs that wait for an endpoint wait for its new server: they count for the limit of the one that will render them. */
export async function moveWaitingJobs(
  ctx: Context,
  { slug, from, to }: { readonly slug: string; readonly from: string; readonly to: string },
): Promise<void> {
  if (from !== to) await ctx.db.pool.query(MOVE, [endpointKey(slug), from, to])
}
