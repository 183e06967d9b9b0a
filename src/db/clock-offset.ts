import type { Pool } from 'pg'

/** The least milliseconds by which this machine's clock is ahead of the database's; negative: behind. */
export async function clockOffsetMs(db: Pick<Pool, 'query'>): Promise<number> {
  const asked = Date.now()
  const { rows } = await db.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  )
  const answered = Date.now()
  const now = rows[0]?.now ?? Number.NaN
  return now < asked ? asked - now : now > answered ? answered - now : 0
}
