import type { Db } from 'pg-boss'
import { type AttemptEnding, notingEnds } from '../attempt-endings.ts'
import type { RescuedDeliveries } from '../queue.ts'

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
export async function rescueDeliveries(db: Db, deadAfterMs: number, workerId: string): Promise<RescuedDeliveries[]> {
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
