import type { Db } from 'pg-boss'
import { voiceKind } from '../job-kind.ts'
import type { EndpointRoute, OrphanedJob, Reroute, TakenDelivery } from '../queue.ts'

const MOVE_WAITING = `
  update pgboss.job_common q set name = $4, group_tier = $5 from job j
  where q.name = $2 and q.state < 'active' and q.group_tier = $3 and j.id = q.data->>'jobId' and j.endpoint_key = $1`

export async function moveWaiting(db: Db, { endpointKey, from, to }: Reroute): Promise<void> {
  await db.executeSql(MOVE_WAITING, [endpointKey, from.kind.queue, from.server, to.kind.queue, to.server])
}

const MOVE_TAKEN = `
  update pgboss.job_common set name = $5, group_tier = $6, state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and retry_count = $3 and state = 'active' and data->>'worker' = $4`

export async function moveTaken(db: Db, { delivery, from, to, workerId }: TakenDelivery): Promise<void> {
  const { id, retryCount } = delivery
  await db.executeSql(MOVE_TAKEN, [from.queue, id, retryCount, workerId, to.kind.queue, to.server])
}

const MOVE_ORPHANED = `
  update pgboss.job_common q set name = route.queue, group_tier = route.server
  from job j join unnest($1::text[], $2::text[], $3::text[]) as route(key, queue, server) on j.endpoint_key = route.key
  where q.name in (select name from pgboss.queue where starts_with(name, $4) and name <> all($2)) and q.state < 'active'
    and j.id = q.data->>'jobId'
  returning q.name`

/** Returns the new queue of each moved job. */
export async function moveOrphaned(db: Db, routes: readonly EndpointRoute[]): Promise<string[]> {
  const { rows } = await db.executeSql(MOVE_ORPHANED, [
    routes.map(({ endpointKey }) => endpointKey),
    routes.map(({ route }) => route.kind.queue),
    routes.map(({ route }) => route.server),
    voiceKind('').queue,
  ])
  return rows.map(({ name }: { name: string }) => name)
}

const WITHDRAW_ORPHANED = `
  delete from pgboss.job_common q using job j
  where q.state < 'active' and starts_with(q.name, $1) and j.id = q.data->>'jobId'
    and not exists (select from voice_endpoint e where j.endpoint_key = 'voice.' || e.slug)
  returning j.id as "jobId", j.account_id as "accountId", j.attempt`

/** Deletes and returns queue rows whose endpoint is gone. */
export async function withdrawOrphaned(db: Db): Promise<OrphanedJob[]> {
  const { rows } = await db.executeSql(WITHDRAW_ORPHANED, [voiceKind('').queue])
  return rows
}
