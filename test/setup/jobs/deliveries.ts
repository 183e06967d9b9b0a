import type { Pool } from 'pg'
import { newId } from '../../../src/values/id.ts'

type State = 'pending' | 'succeeded' | 'failed'

const INSERT = `
  insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
  values ($1, $2, 'job', $3, 'https://hooks.example.com/', 0, '', '', $4::webhook_delivery_state, now(), now(),
    case when $4 = 'pending' then null else now() end)`

/** A delivery of a job in a state; returns its id. */
export async function insertDelivery(
  { pool }: { readonly pool: Pool },
  { accountId, jobId, state }: { readonly accountId: string; readonly jobId: string; readonly state: State },
): Promise<string> {
  const id = newId('msg')
  await pool.query(INSERT, [id, accountId, jobId, state])
  return id
}
