import type { Prisma } from '../../prisma/generated/prisma/client.ts'
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

/** SQL, because statements of `db.pool` count towards the caller's share of the connections. */
const LOAD_ARTIFACTS = `
  select id, job_id as "jobId", output, storage_key as "storageKey", content_type as "contentType", bytes, sha256,
    duration_ms as "durationMs", created_at as "createdAt", deleted_at as "deletedAt", coalesce(captions, '{}') as captions
  from artifact where job_id = any($1) order by job_id, output`

/** `deletedAt` is null while the bytes exist. */
export type Artifact = Prisma.ArtifactGetPayload<{ select: typeof ARTIFACT_VIEW }>

export type StoredAudio = Pick<Artifact, 'storageKey' | 'durationMs'>

/** The caller has authorised the access. */
export async function loadArtifacts(
  { db }: Pick<Context, 'db'>,
  jobIds: readonly string[],
): Promise<Map<string, Artifact[]>> {
  const { rows } = await db.pool.query<Omit<Artifact, 'bytes'> & { bytes: string }>({
    name: 'job_artifacts',
    text: LOAD_ARTIFACTS,
    values: [jobIds],
  })
  const artifacts = rows.map((row) => ({ ...row, bytes: BigInt(row.bytes) }))
  return Map.groupBy(artifacts, ({ jobId }) => jobId)
}

/** SQL, because Prisma's first query takes a command 0.1 s. The caller has authorised the access. */
export async function findAudio({ pool }: Database, jobId: string): Promise<StoredAudio | undefined> {
  const { rows } = await pool.query<StoredAudio>(
    `select storage_key as "storageKey", duration_ms as "durationMs" from artifact where job_id = $1 and output = 'audio'`,
    [jobId],
  )
  return rows[0]
}

export const findArtifacts = (
  { prisma }: Database,
  accountId: string,
  ids: readonly string[],
  query: RowQuery,
): Promise<Artifact[]> =>
  prisma.artifact.findMany({
    where: { id: { in: [...ids] }, job: { accountId } },
    select: selectOf(ARTIFACT_VIEW, query),
  })

/** Positions among the account's waiting jobs for the same endpoint, from 1. */
export async function loadQueuePositions(
  db: Pick<Tx, 'query'>,
  jobIds: readonly string[],
): Promise<Map<string, number>> {
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
