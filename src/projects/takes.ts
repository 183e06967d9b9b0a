import { createHash } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import type { JobStatus } from '../jobs/job-states.ts'
import { idTime } from '../values/id.ts'
import { canonicalJson } from '../values/json.ts'
import { type Cast, type Chapter, type Paragraph, settingsOf } from './content.ts'

export const MOST_TAKES = 20

const FIND = `select paragraph, job_id as "jobId", fingerprint, chosen_at as "chosenAt"
  from project_take where project_id = $1 and paragraph = any($2::text[]) order by job_id desc`
const FIND_OF = `select project_id as "projectId", paragraph, job_id as "jobId", fingerprint, chosen_at as "chosenAt"
  from project_take where project_id = any($1::text[]) order by job_id desc`
/** The ids stand at both tables, because they are partitioned by them. */
const FIND_JOBS = `select j.id, j.status, a.storage_key as "storageKey", a.content_type as "contentType", a.duration_ms as "durationMs"
  from job j left join artifact a on a.job_id = j.id and a.output = 'audio' and a.deleted_at is null and a.job_id = any($1::text[])
  where j.id = any($1::text[])`

interface TakeRow {
  readonly paragraph: string
  readonly jobId: string
  readonly fingerprint: string
  readonly chosenAt: Date | null
}

interface StoredAudio {
  readonly storageKey: string
  readonly contentType: string
  readonly durationMs: number | null
}

/** A job that speaks a paragraph, or has spoken it. */
export interface Take extends TakeRow {
  readonly status: JobStatus
  /** Null unless the job is completed and its audio is still there. */
  readonly audio: StoredAudio | null
}

interface JobRow {
  readonly id: string
  readonly status: JobStatus
  readonly storageKey: string | null
  readonly contentType: string
  readonly durationMs: number | null
}

/** A hash of what is spoken. It stays with the take, because the job may keep no text. */
export function fingerprintOf(cast: Cast, chapter: Chapter, paragraph: Paragraph): string {
  const { endpoint, voice, inputs } = settingsOf(cast, chapter, paragraph)
  const spoken = canonicalJson([endpoint ?? null, voice ?? null, inputs ?? {}, paragraph.text])
  return createHash('sha256').update(spoken).digest('base64url').slice(0, 22)
}

/** Takes by the keys of their paragraphs, newest first, without those whose jobs were deleted. */
export async function loadTakes(
  db: Pick<Tx, 'query'>,
  projectId: string,
  keys: readonly string[],
): Promise<Map<string, Take[]>> {
  const { rows } = await db.query<TakeRow>(FIND, [projectId, keys])
  return Map.groupBy(await withJobs(db, rows), ({ paragraph }) => paragraph)
}

/** All takes of some projects, each as `loadTakes` answers them. */
export async function loadTakesOf(
  db: Pick<Tx, 'query'>,
  projectIds: readonly string[],
): Promise<Map<string, Map<string, Take[]>>> {
  const { rows } = await db.query<TakeRow & { readonly projectId: string }>(FIND_OF, [projectIds])
  const byProject = Map.groupBy(await withJobs(db, rows), ({ projectId }) => projectId)
  return new Map([...byProject].map(([id, takes]) => [id, Map.groupBy(takes, ({ paragraph }) => paragraph)]))
}

async function withJobs<Row extends TakeRow>(db: Pick<Tx, 'query'>, rows: readonly Row[]): Promise<(Row & Take)[]> {
  const jobs = await db.query<JobRow>(FIND_JOBS, [rows.map(({ jobId }) => jobId)])
  const byId = new Map(jobs.rows.map((job) => [job.id, job]))
  return rows.flatMap((row) => {
    const job = byId.get(row.jobId)
    return job === undefined ? [] : [{ ...row, status: job.status, audio: audioOf(job) }]
  })
}

const audioOf = ({ status, storageKey, contentType, durationMs }: JobRow): StoredAudio | null =>
  status === 'completed' && storageKey !== null ? { storageKey, contentType, durationMs } : null

/** The take that plays and is exported: of those with audio the one that was spoken, or chosen by hand, last. */
export function chosenOf(takes: readonly Take[] = []): Take | null {
  let best: Take | null = null
  for (const take of takes) if (take.audio !== null && (best === null || since(take) > since(best))) best = take
  return best
}

const since = ({ jobId, chosenAt }: Take): number => (chosenAt ?? idTime(jobId)).getTime()

/** True if one of the takes speaks the paragraph as it is now, or will. */
export const isSpoken = (takes: readonly Take[] = [], fingerprint: string): boolean =>
  takes.some((take) => take.fingerprint === fingerprint && (isUnderway(take) || take.audio !== null))

/** The take that will speak the paragraph as it is now. */
export const underwayOf = (takes: readonly Take[] = [], fingerprint: string): Take | undefined =>
  takes.find((take) => take.fingerprint === fingerprint && isUnderway(take))

const isUnderway = ({ status }: Take): boolean => status === 'queued' || status === 'processing'

/**
 * Those beyond twenty: first the oldest of those that ended without audio, last the newest and the one that plays.
 * @param takes newest first
 */
export function overdueTakes(takes: readonly Take[]): Take[] {
  const chosen = chosenOf(takes)
  const worth = (take: Take): number => {
    if (take === chosen || take === takes[0]) return 3
    return isUnderway(take) ? 2 : Number(take.audio !== null)
  }
  return takes.toSorted((a, b) => worth(b) - worth(a)).slice(MOST_TAKES)
}
