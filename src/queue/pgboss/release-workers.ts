import type { Db } from 'pg-boss'
import { voiceKind } from '../job-kind.ts'
import type { EndpointRoute, OrphanedJob, Reroute, RescuedDeliveries, TakenDelivery } from '../queue.ts'
import { type AttemptEnding, notingEnds } from '../stopping.ts'

const MOVE_WAITING = `
  update pgboss.job_common q set name = $4, group_tier = $5, state = 'retry', start_after = greatest(q.start_after, now()) from job j
  where q.name = $2 and q.state < 'active' and q.group_tier = $3 and j.id = q.data->>'jobId' and j.endpoint_key = $1`

/** Skips locked jobs: their worker is about to write them and may wait for `freed`. */
const notingFreed = (ending: AttemptEnding): string => `
  ended as materialized (
    select id, attempt, started_at from job
    where id = any(array(select job_id from freed)) and attempt > 0 and status = 'processing' for no key update skip locked
  ), noted as (${notingEnds('ended', {
    ending: `'${ending}'`,
    worker: '(select f.worker from freed f where f.job_id = j.id limit 1)',
  })})`

/** Deliveries and permits of dead workers are freed together. Attempt numbers fence a worker that was only suspended. */
const RESCUE = `
  with dead as (
    select id from worker where heartbeat_at < now() - $1 * interval '1 millisecond' and id <> $2
  ), freed as (
    update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
    where state = 'active' and group_id is not null and data->>'worker' in (select id from dead)
    returning name, data->>'worker' as worker, data->>'jobId' as job_id, group_tier as server
  ), stripped as (
    update worker set permits = '{}' where id in (select id from dead) and permits::text <> '{}'
      and heartbeat_at between now() - interval '1 day' and now() - $1 * interval '1 millisecond'
  ), forgotten as (
    delete from worker where heartbeat_at < now() - interval '1 day'
  ), ${notingFreed('worker_lost')}
  select name as queue, worker, count(*)::integer as jobs,
    jsonb_agg(jsonb_build_object('jobId', job_id, 'server', server, 'attempt', (select attempt from job where id = job_id),
      'accountId', (select account_id from job where id = job_id))) as taken
  from freed group by name, worker`

/**
 * @param deadAfterMs without a heartbeat
 * @param workerId the caller, never dead
 */
export async function freeDeadWorkers(db: Db, deadAfterMs: number, workerId: string): Promise<RescuedDeliveries[]> {
  const { rows } = await db.executeSql(RESCUE, [deadAfterMs, workerId])
  return rows
}

const RELEASE = `
  with gone as (delete from worker where id = $1), freed as (
    update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
    where state = 'active' and group_id is not null and data->>'worker' = $1
    returning name, data->>'worker' as worker, data->>'jobId' as job_id
  ), ${notingFreed('stopped')}
  select distinct name as queue from freed`

/** Returns the queues of the released deliveries. */
export async function releaseWorker(db: Db, workerId: string): Promise<string[]> {
  const { rows } = await db.executeSql(RELEASE, [workerId])
  return rows.map(({ queue }: { queue: string }) => queue)
}

export async function moveWaiting(db: Db, { endpointKey, from, to }: Reroute): Promise<void> {
  await db.executeSql(MOVE_WAITING, [endpointKey, from.kind.queue, from.server, to.kind.queue, to.server])
}

const MOVE_TAKEN = `
  update pgboss.job_common set name = $5, group_tier = $6, state = 'retry', start_after = now(), started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and retry_count = $3 and state = 'active' and data->>'worker' = $4`

export async function moveTaken(db: Db, { delivery, from, to, workerId }: TakenDelivery): Promise<void> {
  const { id, retryCount } = delivery
  await db.executeSql(MOVE_TAKEN, [from.queue, id, retryCount, workerId, to.kind.queue, to.server])
}

const MOVE_ORPHANED = `
  update pgboss.job_common q set name = route.queue, group_tier = route.server, state = 'retry', start_after = greatest(q.start_after, now())
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
