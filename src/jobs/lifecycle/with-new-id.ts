import type { Context } from '../../context/context.ts'
import { unavailable } from '../../errors/service-error.ts'
import { newId } from '../../values/id.ts'

const LATE = 'SN001'
const MOST_TRIES = 10

/** Inserts a job with a new id. PostgreSQL refuses ids inside a window that was read; the insert repeats with its time. */
export async function withNewId<Result>(ctx: Context, insert: (jobId: string) => Promise<Result>): Promise<Result> {
  let at = ctx.now()
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return await insert(newId('job', at))
    } catch (error) {
      if (!isLate(error)) throw error
      at = await databaseTime(ctx)
    }
  }
  throw unavailable('a job came late every time')
}

async function databaseTime({ db }: Context): Promise<Date> {
  const { rows } = await db.pool.query<{ at: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as at`)
  return rows[0]!.at
}

function isLate(error: unknown): boolean {
  const { code, meta } = (error ?? {}) as {
    readonly code?: unknown
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } }
  }
  return code === LATE || meta?.driverAdapterError?.cause?.originalCode === LATE
}
