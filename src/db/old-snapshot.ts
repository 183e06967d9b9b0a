import type { Pool } from 'pg'
import { BACKUP } from './snapshot.ts'

interface OldSnapshot {
  readonly pid: number
  readonly application: string
  readonly isBackup: boolean
  readonly user: string
  readonly minutes: number
}

const OLDEST = `
  select pid, application_name as application, application_name = $2 as "isBackup", usename as "user",
    floor(extract(epoch from now() - xact_start) / 60)::integer as minutes
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and backend_xmin is not null and pid <> pg_backend_pid()
    and xact_start <= now() - make_interval(secs => $1)
  order by application_name = $2, xact_start limit 1`

/** Finds the oldest transaction beyond the age; a backup only if there is no other. Null also if the role may not see it. */
export async function findOldSnapshot(db: Pick<Pool, 'query'>, olderThanSeconds: number): Promise<OldSnapshot | null> {
  const { rows } = await db.query<OldSnapshot>(OLDEST, [olderThanSeconds, BACKUP])
  return rows[0] ?? null
}
