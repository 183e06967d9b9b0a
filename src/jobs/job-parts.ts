import type { Context } from '../context/context.ts'
import type { Database, Tx } from '../db/database.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'

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
  deletedAt: true,
  captions: true,
} as const

const ARTIFACT_COLUMNS = `id, job_id as "jobId", output, storage_key as "storageKey", content_type as "contentType", bytes, sha256,
  duration_ms as "durationMs", created_at as "createdAt", deleted_at as "deletedAt", coalesce(captions, '{}') as captions`

export interface Artifact {
  readonly id: string
  readonly jobId: string
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: bigint
  readonly sha256: Uint8Array<ArrayBuffer>
  readonly durationMs: number | null
  readonly createdAt: Date
  /** Null while the bytes exist. */
  readonly deletedAt: Date | null
  readonly captions: string[]
}

type Queries = Pick<Tx, 'query'>

/** The caller has authorised the access. */
export async function loadArtifacts(db: Queries, jobIds: readonly string[]): Promise<Map<string, Artifact[]>> {
  const { rows } = await db.query<Omit<Artifact, 'bytes'> & { bytes: string }>({
    name: 'job_artifacts',
    text: `select ${ARTIFACT_COLUMNS} from artifact where job_id = any($1) order by job_id, output`,
    values: [jobIds],
  })
  const artifacts = rows.map((row) => ({ ...row, bytes: BigInt(row.bytes) }))
  return Map.groupBy(artifacts, ({ jobId }) => jobId)
}

export const findArtifact = (
  { prisma }: Database,
  accountId: string,
  id: string,
  query: RowQuery,
): Promise<Artifact | null> =>
  prisma.artifact.findFirst({ where: { id, job: { accountId } }, select: selectOf(ARTIFACT_VIEW, query) })

/** Positions among the account's waiting jobs for the same endpoint, from 1. */
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

/** Released attempts by job id. The verb authorises the caller. */
export async function loadReleases({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, number>> {
  const where = { id: { in: [...ids] } }
  const rows = await db.prisma.job.findMany({ where, select: { id: true, releases: true } })
  return new Map(rows.map(({ id, releases }) => [id, releases]))
}
