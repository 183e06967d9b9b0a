import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Runtime } from '../../src/runtime.ts'
import { auditColumns } from './audit-columns.ts'
import { readWav } from './service.ts'

/** Each statement lists what must not be there. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'a balance is not the sum of its ledger': `
    select a.id, a.credits, coalesce(sum(e.amount), 0) as ledger from account a left join credit_entry e on e.account_id = a.id
    group by a.id having a.credits <> coalesce(sum(e.amount), 0)`,
  'a balance is negative': 'select id from account where credits < 0',
  'a job is charged another amount than its cost': `
    select j.id from job j join credit_entry e on e.job_id = j.id and e.kind = 'charge' where e.amount <> -j.cost or e.account_id <> j.account_id`,
  'a job is charged or refunded twice': `
    select job_id from credit_entry where kind <> 'grant' group by job_id, kind having count(*) > 1`,
  'a completed job is not charged': `
    select id from job j where type = 'voice' and status = 'completed' and cost > 0
      and not exists (select from credit_entry e where e.job_id = j.id and e.kind = 'charge')`,
  'a failed job keeps its charge': `
    select id from job j where status = 'failed'
      and (select coalesce(sum(amount), 0) from credit_entry e where e.job_id = j.id) <> 0`,
  'a job that is not failed is refunded': `
    select e.job_id from credit_entry e join job j on j.id = e.job_id where e.kind = 'refund' and j.status <> 'failed'`,
  'a job that could not be charged is charged': `
    select j.id from job j join credit_entry e on e.job_id = j.id where j.error_code = 'CHARGE_FAILED'`,
  'a completed job has no artifact': `
    select id from job j where type = 'voice' and status = 'completed' and not exists (select from artifact a where a.job_id = j.id)`,
  'an unfinished or failed job has an artifact': `
    select j.id from job j join artifact a on a.job_id = j.id where j.status <> 'completed'`,
}

/**
 * What invariants 1 to 4 say must hold whatever failed, over the database and the artifact store. Returns what does not hold, in
 * words: an empty list is the proof. `accepted` are the ids of every 202.
 */
export async function audit(runtime: Runtime, accepted: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const [sentence, sql] of Object.entries(VIOLATIONS)) {
    const { rows } = await runtime.db.pool.query(sql)
    found.push(...rows.map((row) => `${sentence}: ${JSON.stringify(row)}`))
  }
  found.push(...(await auditColumns(runtime)))
  const { rows: jobs } = await runtime.db.pool.query<{ id: string; status: string }>(
    'select id, status from job where id = any($1)',
    [accepted],
  )
  const statuses = new Map(jobs.map(({ id, status }) => [id, status]))
  for (const id of accepted) {
    const status = statuses.get(id) ?? 'missing'
    if (!['completed', 'failed'].includes(status)) found.push(`an accepted job did not end: ${id} is ${status}`)
  }
  return [...found, ...(await auditArtifacts(runtime))]
}

async function auditArtifacts(runtime: Runtime): Promise<string[]> {
  const { rows } = await runtime.db.pool.query<{ storage_key: string; bytes: string; sha256: Buffer }>(
    'select storage_key, bytes, sha256 from artifact',
  )
  const checks = rows.map(async ({ storage_key: key, bytes, sha256 }) => {
    try {
      const content = await buffer(await runtime.storage.read(key))
      const same = content.length === Number(bytes) && createHash('sha256').update(content).digest().equals(sha256)
      return same && readWav(content).whole ? [] : [`an artifact is not what was stored: ${key}`]
    } catch (error) {
      return [`an artifact cannot be read: ${key}: ${(error as Error).message}`]
    }
  })
  return (await Promise.all(checks)).flat()
}

/** What every poll says now; two such lists differ where a finished job changed. */
export async function finalStates(runtime: Runtime): Promise<unknown[]> {
  const { rows } = await runtime.db.pool.query(
    `select id, status, completed_at, error_code from job where status in ('completed', 'failed') order by id`,
  )
  return rows
}
