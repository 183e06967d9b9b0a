import { predictionId } from '../catalog/workflow.ts'
import { cancelPrediction } from '../engines/cog.ts'
import { GENERATION_KIND } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { DEAD_AFTER_MS } from './worker.ts'

/**
 * The deliveries of workers without a heartbeat become deliverable again, and what they might use of the servers is free at the same
 * moment: nothing else takes these places before the jobs that may still be there do. A worker that only was asleep finds its writes
 * refused: each names the attempt, and the next delivery has another. Rows of the dead stay on the list for a day.
 */
const TAKE_OVER = `
  with dead as (
    select id from worker where heartbeat_at < now() - $1 * interval '1 millisecond' and id <> $2
  ), freed as (
    update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
    where state = 'active' and group_id is not null and data->>'worker' in (select id from dead)
    returning name, data->>'worker' as worker, data->>'jobId' as job_id, group_tier as server
  ), buried as (
    update worker set permits = '{}' where id in (select id from dead) and permits::text <> '{}'
      and heartbeat_at between now() - interval '1 day' and now() - $1 * interval '1 millisecond'
  ), forgotten as (
    delete from worker where heartbeat_at < now() - interval '1 day'
  )
  select name as queue, worker, count(*)::integer as jobs,
    jsonb_agg(jsonb_build_object('jobId', job_id, 'server', server, 'attempt', (select attempt from job where id = job_id))) as taken
  from freed group by name, worker`

/** A server that does not answer within this time holds up no worker: the one that has the job next asks it again. */
const CANCEL_MS = 1000

interface Row {
  readonly queue: string
  readonly worker: string
  readonly jobs: number
  readonly taken: readonly Taken[]
}

interface Taken {
  readonly jobId: string
  readonly server: string
  readonly attempt: number | null
}

/** Makes the jobs of dead workers available to all. Returns how many there were. */
export async function takeOverJobs(runtime: Pick<Runtime, 'db' | 'log' | 'queue' | 'workerId'>): Promise<number> {
  const { rows } = await runtime.db.pool.query<Row>({
    name: 'take_over_jobs',
    text: TAKE_OVER,
    values: [DEAD_AFTER_MS, runtime.workerId],
  })
  for (const { queue, worker, jobs } of rows) {
    runtime.log.warn({ worker, queue, jobs }, 'a worker is gone: its jobs are taken over')
  }
  await Promise.all(rows.map(cancelPredictions))
  for (const { queue } of rows) {
    runtime.queue.wake({ queue })
  }
  return rows.reduce((sum, { jobs }) => sum + jobs, 0)
}

/** Jobs of other accounts may come before those that were taken over: they are to find the places at the server free. */
async function cancelPredictions({ queue, taken }: Row): Promise<void> {
  if (queue !== GENERATION_KIND.queue) return
  const until = AbortSignal.timeout(CANCEL_MS)
  const begun = taken.filter(({ attempt }) => (attempt ?? 0) > 0)
  await Promise.all(
    begun.map(({ server, jobId, attempt }) => cancelPrediction(server, predictionId(jobId, attempt ?? 0), until)),
  )
}

const LEAVE = `
  with gone as (delete from worker where id = $1), freed as (
    update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
    where state = 'active' and group_id is not null and data->>'worker' = $1
    returning name
  )
  select distinct name as queue from freed`

/** Takes this worker, which runs nothing any more, off the list, with what it took out of a queue without ever knowing it: an answer was lost. */
export async function leaveJobs(runtime: Pick<Runtime, 'db' | 'queue' | 'workerId'>): Promise<void> {
  const { rows } = await runtime.db.pool.query<{ queue: string }>(LEAVE, [runtime.workerId])
  for (const { queue } of rows) runtime.queue.wake({ queue })
}
