import { escapeIdentifier } from 'pg'
import type { Runtime } from '../../../src/runtime/runtime.ts'

/** A whole key, a webhook secret, a signed URL: bytes print as hexadecimal digits, so the snapshots of payloads, where URLs belong, are left out. */
const NEVER_STORED = 'snt_([0-9a-z]_)?[0-9A-Za-z]{42}|whsec_[0-9A-Za-z+/]{32}|[?&](signature|X-Amz-Signature)='

const TABLES = `
  select table_schema as schema, table_name as name from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss')`

/** Each lists rows of one account that belong to a job of another. */
const OUTSIDERS: Readonly<Record<string, string>> = {
  'a delivery is of another account than its job': `
    select d.id from webhook_delivery d join job j on j.id = d.job_id where d.account_id <> j.account_id`,
  'a ledger line is of another account than its job': `
    select e.id from credit_entry e join job j on j.id = e.job_id where e.account_id <> j.account_id`,
  'a delivery tells of another job, or another end, than its own': `
    select d.id from webhook_delivery d join job j on j.id = d.job_id
    cross join lateral (select convert_from(d.body, 'UTF8')::json as told) b
    where d.body is not null and d.kind = 'job' and (b.told->>'job_id' <> j.id or b.told->>'status' <> j.status::text
      or (b.told->>'error_code') is distinct from j.error_code)`,
}

/** Invariants 5, 8 and 10 as far as the database alone can tell: no account's rows name another's job, and no column holds a secret. */
export async function auditColumns({ db }: Pick<Runtime, 'db'>): Promise<string[]> {
  const found: string[] = []
  for (const [sentence, sql] of Object.entries(OUTSIDERS)) {
    const { rows } = await db.pool.query(sql)
    found.push(...rows.map((row) => `${sentence}: ${JSON.stringify(row)}`))
  }
  const { rows: tables } = await db.pool.query<{ schema: string; name: string }>(TABLES)
  for (const { schema, name } of tables) {
    const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
    const { rowCount } = await db.pool.query(`select from ${table} t where t::text ~ $1 limit 1`, [NEVER_STORED])
    if (rowCount !== 0) found.push(`a column holds a key, a secret or a signed URL: ${schema}.${name}`)
  }
  return found
}
