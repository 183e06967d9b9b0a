import type { Context } from '../context/context.ts'
import { type Check, error, ok, warning } from './finding.ts'

const WARNING_MS = 1_000
const ERROR_MS = 60_000
const REMEDY = 'synchronise both machines by NTP'

/** The least difference between this machine's clock and the database's. */
export const clockCheck: Check<Context> = {
  check: 'clock',
  run: async ({ db }) => {
    const asked = Date.now()
    const { rows } = await db.pool.query<{ now: number }>(
      `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    )
    const answered = Date.now()
    const theirs = rows[0]?.now ?? asked
    const offMs = Math.max(asked - theirs, theirs - answered, 0)
    const found = `${(offMs / 1000).toFixed(1)} s from the database's`
    if (offMs > ERROR_MS) return [error(found, REMEDY)]
    return [offMs > WARNING_MS ? warning(found, REMEDY) : ok(found)]
  },
}
