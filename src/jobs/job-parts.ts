import type { Tx } from '../db/database.ts'

/** One output of a job, without its bytes. */
export interface Artifact {
  readonly id: string
  readonly jobId: string
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: bigint
  readonly sha256: Uint8Array<ArrayBuffer>
  /** Null for what is no sound. */
  readonly durationMs: number | null
  readonly createdAt: Date
}

/** The columns of one. */
export const ARTIFACT_VIEW = {
  id: true,
  jobId: true,
  output: true,
  storageKey: true,
  contentType: true,
  bytes: true,
  sha256: true,
  durationMs: true,
  createdAt: true,
} as const

interface Row {
  id: string
  job_id: string
  output: string
  storage_key: string
  content_type: string
  bytes: string
  sha256: Buffer<ArrayBuffer>
  duration_ms: number | null
  created_at: Date
}

type Queries = Pick<Tx, 'query'>

/** The artifacts of these jobs, by job and name. Whether the caller may see the jobs was decided before. */
export async function loadArtifacts(db: Queries, jobIds: readonly string[]): Promise<Map<string, Artifact[]>> {
  const { rows } = await db.query<Row>({
    name: 'job_artifacts',
    text: `select id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at
           from artifact where job_id = any($1) order by job_id, output`,
    values: [jobIds],
  })
  return Map.groupBy(rows.map(toArtifact), ({ jobId }) => jobId)
}

/** The account's artifact of this id; null without one. */
export async function findArtifact(db: Queries, accountId: string, id: string): Promise<Artifact | null> {
  const { rows } = await db.query<Row>(
    `select a.id, a.job_id, a.output, a.storage_key, a.content_type, a.bytes, a.sha256, a.duration_ms, a.created_at
     from artifact a join job j on j.id = a.job_id where a.id = $1 and j.account_id = $2`,
    [id, accountId],
  )
  return rows[0] === undefined ? null : toArtifact(rows[0])
}

const toArtifact = (row: Row): Artifact => ({
  id: row.id,
  jobId: row.job_id,
  output: row.output,
  storageKey: row.storage_key,
  contentType: row.content_type,
  bytes: BigInt(row.bytes),
  sha256: row.sha256,
  durationMs: row.duration_ms,
  createdAt: row.created_at,
})

/** The places of these jobs among the account's own that wait for the same endpoint: 1 is the next one. None for jobs that do not wait. */
export async function loadQueuePositions(db: Queries, jobIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; position: number }>({
    name: 'queue_positions',
    text: `select id, position::int from (
             select q.id, row_number() over (partition by q.account_id, q.endpoint_key order by q.id) as position
             from job q where q.status = 'queued'
               and q.account_id in (select account_id from job where id = any($1) and status = 'queued')
           ) waiting where id = any($1)`,
    values: [jobIds],
  })
  return new Map(rows.map(({ id, position }) => [id, position]))
}
