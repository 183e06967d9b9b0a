import type { Queue } from '../queue.ts'
import { queueId } from './enqueue.ts'

const WORKERS = `
  select data->>'jobId' as job_id, data->>'worker' as worker from pgboss.job_common
  where name = any(array(select name from pgboss.queue)) and id = any($1::uuid[]) and state = 'active' and data->>'worker' is not null`

export const workersOf: Queue['workersOf'] = async (db, jobIds) => {
  const values = [jobIds.map(queueId)]
  const { rows } = await db.query<{ job_id: string; worker: string }>({ name: 'workers_of', text: WORKERS, values })
  return new Map(rows.map(({ job_id: jobId, worker }) => [jobId, worker]))
}
