import type { Database } from '../../db/database.ts'

export interface JobCounts {
  readonly queued: number
  readonly processing: number
  readonly completed: number
  readonly failed: number
}

/** Deliveries of the last 30 days by state. */
export interface DeliveryCounts {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
}

export interface AccountState {
  readonly id: string
  readonly credits: number
  readonly jobCounts: JobCounts
  readonly deliveryCounts: DeliveryCounts
}

const READ = `
  select a.id, a.credits::float8 as credits, to_json(j) as "jobCounts", to_json(d) as "deliveryCounts"
  from account a
  cross join lateral (select ${summed('status', ['queued', 'processing', 'completed', 'failed'])}
    from job_count where account_id = a.id) j
  cross join lateral (select ${summed('state', ['pending', 'succeeded', 'failed'])}
    from webhook_delivery_count where account_id = a.id) d
  where a.id = any($1)`

export async function readAccountStates(db: Database, accountIds: readonly string[]): Promise<AccountState[]> {
  const { rows } = await db.pool.query<AccountState>({ name: 'account_states', text: READ, values: [accountIds] })
  return rows
}

function summed(column: string, values: readonly string[]): string {
  const counted = column === 'status' ? 'jobs' : 'deliveries'
  return values
    .map((value) => `coalesce(sum(${counted}) filter (where ${column} = '${value}'), 0)::float8 as ${value}`)
    .join(', ')
}
