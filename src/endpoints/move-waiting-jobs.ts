import type { Context, Parts } from '../context.ts'
import { type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { Delivery } from '../queue/job-source.ts'
import type { Runtime } from '../runtime.ts'
import { serverOf } from './engine-server.ts'
import { endpointKey, poolOf, type VoiceEndpoint } from './voice-endpoint.ts'

/** Where an endpoint's jobs wait, as its engine block says. */
type Home = Pick<VoiceEndpoint, 'engine'>

const MOVE = `
  update pgboss.job_common q set name = $4, group_tier = $5 from job j
  where q.name = $2 and q.state < 'active' and q.group_tier = $3 and j.id = q.data->>'jobId' and j.endpoint_key = $1`

/**
 * Has the jobs that wait for an endpoint wait for its new server, in its new pool: they count for the limit of the one that will render
 * them, and nobody may serve the old pool any more.
 */
export async function moveWaitingJobs(
  ctx: Context,
  { slug, from, to }: { readonly slug: string; readonly from: Home; readonly to: Home },
): Promise<void> {
  const [oldKind, newKind] = [voiceKind(poolOf(from)), voiceKind(poolOf(to))]
  if (serverOf(from) === serverOf(to) && oldKind.queue === newKind.queue) return
  await ctx.queue.prepare(newKind)
  await ctx.db.pool.query(MOVE, [endpointKey(slug), oldKind.queue, serverOf(from), newKind.queue, serverOf(to)])
  ctx.queue.wake(newKind)
}

const SEND_HOME = `
  update pgboss.job_common set name = $5, group_tier = $6, state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and retry_count = $3 and state = 'active' and data->>'worker' = $4`

/** Puts a job, taken out of a pool that its endpoint has left, where the endpoint's jobs wait now. It is then no longer this worker's. */
export async function sendHome(
  { db, queue, workerId }: Pick<Runtime, 'db' | 'queue' | 'workerId'>,
  { id, retryCount }: Delivery,
  { from, home }: { readonly from: JobKind; readonly home: Home },
): Promise<void> {
  const kind = voiceKind(poolOf(home))
  await queue.prepare(kind)
  await db.pool.query(SEND_HOME, [from.queue, id, retryCount, workerId, kind.queue, serverOf(home)])
  queue.wake(kind)
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
  const queues = endpoints.map((endpoint) => voiceKind(poolOf(endpoint)).queue)
  const keys = endpoints.map(({ slug }) => endpointKey(slug))
  const values = [keys, queues, endpoints.map(serverOf), voiceKind('').queue]
  const { rows } = await db.pool.query<{ name: string }>(STRAYS, values)
  for (const name of new Set(rows.map((row) => row.name))) queue.wake({ queue: name })
  return rows.length
}
