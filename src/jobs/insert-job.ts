import { rememberingJobs } from '../idempotency/remember-response.ts'
import type { RowInsert } from '../queue/queue.ts'

type JobInsert = Omit<RowInsert, 'row'>

const COLUMNS =
  'id, account_id, type, endpoint_key, api_key_id, inputs, webhook_url, cost, created_at, options, user_id'
const ARRAYS = `$1::text[], $2::text[], $3::job_type[], $4::text[], $5::text[], $6::json[], $7::text[], $8::bigint[],
  $9::timestamptz[], $10::jsonb[], $11::text[]`
const MADE = `unnest(${ARRAYS}) as made (${COLUMNS})`
const KEYED = `asked as materialized (
    select * from unnest(${ARRAYS}, $12::text[], $13::bytea[]) as asked (${COLUMNS}, key, request_hash)
  ),
  remembered as (${rememberingJobs('asked')}),
  made as materialized (select ${COLUMNS} from asked where id in (select id from remembered))`

/** RETURNING runs after the insert, so a repeated row fails as a duplicate first. */
const IN_TIME = 'refuse_late_job(account_id, created_at)'

export const INSERT_JOB: JobInsert = {
  name: 'insert_job',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${COLUMNS} from ${MADE} where ${condition} returning id as queued, ${IN_TIME}`,
}

/** Inserts a job only if its Idempotency-Key does not stand for another job. */
export const INSERT_JOB_ONCE: JobInsert = {
  name: 'insert_once',
  with: KEYED,
  chosen: 'remembered',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${COLUMNS} from made where ${condition} returning id as queued, ${IN_TIME}`,
}
