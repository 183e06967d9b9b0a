import type { PgBoss } from 'pg-boss'
import type { Delivery } from '../job-source.ts'

const DELAY = `
  update pgboss.job_common set state = 'retry', start_after = now() + make_interval(secs => $4), heartbeat_on = null
  where name = $1 and id = $2 and retry_count = $3 and state = 'active'`

/** Returns a job to its queue, to be delivered again no sooner than after the delay. */
export async function delayJob(
  boss: PgBoss,
  queue: string,
  { id, retryCount }: Pick<Delivery, 'id' | 'retryCount'>,
  delaySeconds: number,
): Promise<void> {
  await boss.getDb().executeSql(DELAY, [queue, id, retryCount, delaySeconds])
}
