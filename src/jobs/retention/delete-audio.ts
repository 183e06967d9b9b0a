import type { Parts } from '../../context/context.ts'

const AT_ONCE = 8
const NOTE = 'update artifact set deleted_at = now() where job_id = any($1) and deleted_at is null'

type AudioParts = Pick<Parts, 'db' | 'storage'>

/** Deletes all files of these jobs. Files go first, so a repetition after a crash finds the rest. */
export async function deleteAudio({ db, storage }: AudioParts, jobIds: readonly string[]): Promise<void> {
  const queue = jobIds.values()
  const deleteNext = async (): Promise<void> => {
    for (const jobId of queue) await storage.deleteBelow(jobId)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, deleteNext))
  await db.pool.query(NOTE, [jobIds])
}
