import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from 'pg'

const AT_ONCE = 32
const CHARGE = `insert into credit_entry (account_id, kind, amount, job_id, created_at)
  select account_id, 'charge', -cost, id, started_at from job where account_id = $1 and status <> 'queued' order by id`
const REFUND = `insert into credit_entry (account_id, kind, amount, job_id, created_at)
  select account_id, 'refund', cost, id, completed_at from job where account_id = $1 and status = 'failed' order by id`
const BALANCE = `update account set credits = (select sum(amount) from credit_entry where account_id = $1) where id = $1`
const ARTIFACTS = `
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, captions, created_at, deleted_at)
  select 'art' || substr(id, 4), id, 'audio', id || '/1/audio.wav', 'audio/wav', $2, $3, 1000, '{}', completed_at,
    case when row_number() over (order by id desc) > $4 then now() end
  from job where account_id = $1 and type = 'voice' and status = 'completed' order by id
  returning job_id as id, deleted_at is null as "isStored"`

/** Rows of a seeded account and of its jobs; of the ledger those that jobs have made. */
export interface Kept {
  readonly jobs: number
  readonly artifacts: number
  readonly entries: number
}

/** As claims and failures write it: a charge for each job that was taken, a refund for each that failed, and the balance that is left. */
export async function seedLedger(client: Client, accountId: string): Promise<void> {
  for (const statement of [CHARGE, REFUND, BALANCE]) await client.query(statement, [accountId])
  await client.query('vacuum analyze credit_entry')
}

interface Audio {
  /** Where services keep their files. */
  readonly dataDir: string
  /** The content of each file. */
  readonly bytes: Buffer
  /** How many of the newest keep their bytes; those of the others are deleted, as by ARTIFACT_RETENTION_DAYS. All, unless given. */
  readonly files?: number
}

/** An artifact for each completed voice job, with its file. Returns how many files there are. */
export async function seedAudio(client: Client, accountId: string, { dataDir, bytes, files }: Audio): Promise<number> {
  const sha256 = createHash('sha256').update(bytes).digest()
  const { rows } = await client.query<{ id: string; isStored: boolean }>(ARTIFACTS, [
    accountId,
    bytes.length,
    sha256,
    files ?? Number.MAX_SAFE_INTEGER,
  ])
  await client.query('vacuum analyze artifact')
  const stored = rows.filter(({ isStored }) => isStored)
  const queue = stored.values()
  const write = async () => {
    for (const { id } of queue) {
      const folder = join(folderOf(dataDir), id, '1')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'audio.wav'), bytes)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
  return stored.length
}

/** Flushes the seeded data before anything is measured, so that no flush slows just one of two times. */
export async function flushSeeded(client: Client): Promise<void> {
  await client.query('checkpoint')
  await promisify(execFile)('sync')
}

export async function keptBy(client: Client, accountId: string): Promise<Kept> {
  const { rows } = await client.query<Kept>(
    `select (select count(*)::int from job where account_id = $1) as jobs,
       (select count(*)::int from artifact a join job j on j.id = a.job_id where j.account_id = $1) as artifacts,
       (select count(*)::int from credit_entry where account_id = $1 and job_id is not null) as entries`,
    [accountId],
  )
  return rows[0]!
}

/** How many jobs have files in a data directory. @param before of those with lesser ids alone */
export async function filesIn(dataDir: string, before = 'job~'): Promise<number> {
  const names = await readdir(folderOf(dataDir))
  return names.filter((name) => name.startsWith('job_') && name < before).length
}

const folderOf = (dataDir: string): string => join(dataDir, 'artifacts')
