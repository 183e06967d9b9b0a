import { inParallel } from '../../concurrency/in-parallel.ts'
import { firstIdAt } from '../../values/id.ts'
import type { RetentionParts } from './drop-old-jobs.ts'
import { cutoffOf, inPages, PAGE_ROWS } from './retention-pages.ts'

const AT_ONCE = 8
const OLD = `
  select id, storage_key, deleted_at from artifact
  where id > coalesce((select done_to from retention_progress where what = 'artifact'), '') and id < $1 order by id limit ${PAGE_ROWS}`
const NOTE = 'update artifact set deleted_at = now() where id = any($1) and deleted_at is null'
const ADVANCE = `
  insert into retention_progress as p (what, done_to) values ('artifact', $1)
  on conflict (what) do update set done_to = greatest(p.done_to, excluded.done_to)`

interface OldArtifact {
  readonly id: string
  readonly storage_key: string
  readonly deleted_at: Date | null
}

/** Deletes outputs older than ARTIFACT_RETENTION_DAYS; their rows stay. */
export async function dropOldAudio({ db, storage, settings, now }: RetentionParts): Promise<void> {
  const cutoff = cutoffOf(now(), settings.retention.artifactDays)
  if (cutoff === null) return
  await inPages(async () => {
    const { rows } = await db.pool.query<OldArtifact>(OLD, [firstIdAt('art', cutoff)])
    const last = rows.at(-1)
    if (last === undefined) return false
    const there = rows.filter((row) => row.deleted_at === null)
    await inParallel(there, AT_ONCE, (row) => storage.delete(row.storage_key))
    await db.pool.query(NOTE, [there.map(({ id }) => id)])
    await db.pool.query(ADVANCE, [last.id])
    return rows.length === PAGE_ROWS
  })
}
