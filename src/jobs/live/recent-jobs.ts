import type { Database } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'

const MAX_UNFINISHED = 100
const MAX_NEWEST = 1000

export interface EndedJobs {
  readonly since: Date
  readonly atMost?: number
}

/** Ids of the newest unfinished jobs, oldest first, then of recent jobs that ended since. */
export async function recentJobs(db: Database, accountId: string, ended: EndedJobs | null): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: 'recent_jobs',
    text: `
      select id from (
        (select 0 as place, id from job where ${ofAccount('$1')} and status = 'queued' order by ${idsOfAccount('desc')} limit ${MAX_UNFINISHED})
        union all
        (select 0, id from job where ${ofAccount('$1')} and status = 'processing' order by ${idsOfAccount('desc')} limit ${MAX_UNFINISHED})
        union all
        (select 1, id from (
          select id, completed_at from job where $2::timestamptz is not null and ${ofAccount('$1')} order by ${idsOfAccount('desc')} limit ${MAX_NEWEST}
        ) newest where completed_at >= $2 order by id desc limit $3)
      ) recent order by place, id`,
    values: [accountId, ended?.since ?? null, ended?.atMost ?? null],
  })
  return rows.map(({ id }) => id)
}
