import type { Context } from '../context/context.ts'
import { boundBegun, MOST_JOBS } from '../jobs/partitions/keep-partitions.ts'
import { newestOf, readPartitions } from '../jobs/partitions/partitions.ts'
import { idTime } from '../values/id.ts'
import { type Check, error, orOk, warning } from './finding.ts'

const DAY_MS = 86_400_000
const OVERDUE_DAYS = 6
const REMEDY = 'start a worker whose role owns the tables, and end long transactions'

export const partitionCheck: Check<Context> = {
  check: 'partitions',
  run: async ({ db, now }) => {
    const partitions = await readPartitions(db.pool)
    const bound = boundBegun(partitions)
    const days = bound === null ? OVERDUE_DAYS : (idTime(bound).getTime() - now().getTime()) / DAY_MS
    const { rows } = newestOf(partitions, 'job')
    const from = bound === null ? '' : idTime(bound).toISOString()
    const findings = [
      ...(days < 1 ? [error(`jobs from ${from} on will be refused: their partition is not there yet`, REMEDY)] : []),
      ...(days >= 1 && days < OVERDUE_DAYS ? [warning(`the partition of jobs from ${from} on is late`, REMEDY)] : []),
      ...(rows > 2 * MOST_JOBS ? [warning(`the newest partition has ${rows} jobs`, REMEDY)] : []),
    ]
    return orOk(findings, `${partitions.length} partitions`)
  },
}
