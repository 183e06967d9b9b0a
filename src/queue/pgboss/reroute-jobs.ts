import { endpointPlace, type Place } from '../../catalog/engine-server.ts'
import { endpointKey } from '../../catalog/voice-endpoint.ts'
import type { Context, Parts } from '../../context/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type JobKind, voiceKind } from '../job-kind.ts'
import type { Delivery } from '../job-source.ts'

const MOVE = `
  update pgboss.job_common q set name = $4, group_tier = $5 from job j
  where q.name = $2 and q.state < 'active' and q.group_tier = $3 and j.id = q.data->>'jobId' and j.endpoint_key = $1`

/** The jobs of an endpoint or a workflow, where they waited and where its engine block now has them wait. */
export interface Move {
  readonly endpointKey: string
  readonly from: Place
  readonly to: Place
}

/**
 * Has the jobs that wait for an endpoint or a workflow wait for its new server, in its new pool: they count for the limit of the one
 * that will do them, and maybe no worker serves the old pool any more.
 */
export async function moveWaitingJobs(ctx: Context, { endpointKey: key, from, to }: Move): Promise<void> {
  if (from.server === to.server && from.kind.queue === to.kind.queue) return
  await ctx.queue.prepare(to.kind)
  await ctx.db.pool.query(MOVE, [key, from.kind.queue, from.server, to.kind.queue, to.server])
  ctx.queue.wake(to.kind)
}

const SEND_HOME = `
  update pgboss.job_common set name = $5, group_tier = $6, state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and retry_count = $3 and state = 'active' and data->>'worker' = $4`

/** Puts a job, taken out of a pool that its endpoint has left, where the endpoint's jobs wait now. It is then no longer this worker's. */
export async function sendHome(
  { db, queue, workerId }: Pick<Runtime, 'db' | 'queue' | 'workerId'>,
  { id, retryCount }: Delivery,
  { from, home }: { readonly from: JobKind; readonly home: Place },
): Promise<void> {
  await queue.prepare(home.kind)
  await db.pool.query(SEND_HOME, [from.queue, id, retryCount, workerId, home.kind.queue, home.server])
  queue.wake(home.kind)
}

const STRAYS = `
  update pgboss.job_common q set name = home.queue, group_tier = home.server
  from job j join unnest($1::text[], $2::text[], $3::text[]) as home(key, queue, server) on j.endpoint_key = home.key
  where q.name in (select name from pgboss.queue where starts_with(name, $4) and name <> all($2)) and q.state < 'active'
    and j.id = q.data->>'jobId'
  returning q.name`

/** Brings jobs to their endpoint's pool that were given back to one which no endpoint names any more. Returns how many there were. */
export async function moveStrayJobs({ catalog, db, queue }: Pick<Parts, 'catalog' | 'db' | 'queue'>): Promise<number> {
  await catalog.reload()
  const endpoints = [...catalog.current.endpoints.values()]
  const homes = endpoints.map(endpointPlace)
  const keys = endpoints.map(({ slug }) => endpointKey(slug))
  const queues = homes.map(({ kind }) => kind.queue)
  const values = [keys, queues, homes.map(({ server }) => server), voiceKind('').queue]
  const { rows } = await db.pool.query<{ name: string }>(STRAYS, values)
  for (const name of new Set(rows.map((row) => row.name))) queue.wake({ queue: name })
  return rows.length
}
