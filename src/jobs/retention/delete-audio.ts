import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Parts } from '../../context/context.ts'

const AT_ONCE = 8
const NOTE = 'update artifact set deleted_at = now() where job_id = any($1) and deleted_at is null'

type AudioParts = Pick<Parts, 'db' | 'storage'>

/** Deletes all files of these jobs. Files go first, so a repetition after a crash finds the rest. */
export async function deleteAudio({ db, storage }: AudioParts, jobIds: readonly string[]): Promise<void> {
  await inParallel(jobIds, AT_ONCE, (jobId) => storage.deleteBelow(jobId))
  await db.pool.query(NOTE, [jobIds])
}
