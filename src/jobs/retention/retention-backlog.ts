import { firstIdAt } from '../../values/id.ts'
import type { RetentionParts } from './drop-old-jobs.ts'
import { cutoffOf } from './retention-pages.ts'

interface RetentionBacklog {
  readonly jobs: number
  readonly audio: number
  readonly chats: number
}

const OLDEST = `
  select
    (select created_at from job j where id < $1 and status in ('completed', 'failed')
       and not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending') order by id limit 1) as jobs,
    (select created_at from artifact where id < $2 and deleted_at is null
       and id > coalesce((select done_to from retention_progress where what = 'artifact'), '') order by id limit 1) as audio,
    (select min(updated_at) from companion_chat where updated_at < $3) as chats`

/** Seconds by which the oldest job, output and chat exceed their retention. */
export async function retentionBacklogSeconds(parts: Omit<RetentionParts, 'storage'>): Promise<RetentionBacklog> {
  const { jobDays, artifactDays, chatDays } = parts.settings.retention
  const now = parts.now()
  const [jobs, audio, chats] = [cutoffOf(now, jobDays), cutoffOf(now, artifactDays), cutoffOf(now, chatDays)]
  if (jobs === null && audio === null && chats === null) return { jobs: 0, audio: 0, chats: 0 }
  const values = [jobs && firstIdAt('job', jobs), audio && firstIdAt('art', audio)].map((id) => id ?? '')
  const { rows } = await parts.db.pool.query<Record<keyof RetentionBacklog, Date | null>>(OLDEST, [
    ...values,
    chats ?? new Date(0),
  ])
  const overdue = (cutoff: Date | null, oldest: Date | null | undefined): number =>
    cutoff && oldest ? Math.max(0, (cutoff.getTime() - oldest.getTime()) / 1000) : 0
  const [oldest] = rows
  return {
    jobs: overdue(jobs, oldest?.jobs),
    audio: overdue(audio, oldest?.audio),
    chats: overdue(chats, oldest?.chats),
  }
}
