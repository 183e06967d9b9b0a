import type { Database } from '../../../src/db/database.ts'

/** Queues copies of a waiting job, younger than all others. */
export async function copyWaiting({ pool }: Pick<Database, 'pool'>, jobId: string, count: number): Promise<void> {
  await pool.query(
    `with made as (
      insert into job (id, account_id, type, endpoint_key, api_key_id, inputs, cost, created_at)
      select 'job_' || lpad(to_hex(n + (select count(*) from job)), 26, '0'), account_id, type, endpoint_key, api_key_id, inputs, cost, created_at
      from job, generate_series(1, $2::int) n where id = $1
      returning id
    )
    insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on)
    select q.name, jsonb_build_object('jobId', made.id), q.group_id, q.group_tier, q.retry_limit, q.policy, now()
    from pgboss.job q, made where q.data->>'jobId' = $1`,
    [jobId, count],
  )
}
