import type { ClientBase } from 'pg'
import type { Parts } from '../../context/context.ts'
import { isHeldUp } from '../../db/connections/lock-wait.ts'
import { liftTimeLimits } from '../../db/connections/time-limits.ts'
import { firstIdAt, idTime } from '../../values/id.ts'
import { cutoffOf } from '../retention/retention-pages.ts'
import { analyzeTables, staleTables } from './analyze-tables.ts'
import { closePartition, stopClosing } from './close-partition.ts'
import { dropIfEmpty, emptied } from './drop-partitions.ts'
import { newestOf, PARTITIONED, type Partition, readPartitions } from './partitions.ts'

interface Limits {
  readonly jobs: number
  /** Minimum, so that retention can empty a whole partition. */
  readonly days: number
  readonly fewest: number
}

const DAY_MS = 86_400_000
/** Their indexes fit into the memory of a small server. */
export const MOST_JOBS = 5_000_000
const LIMITS: Limits = { jobs: MOST_JOBS, days: 30, fewest: 100_000 }
const MOST_RANGES = 12
/** Time to get the locks. */
const AHEAD_DAYS = 7
const LATE_MS = DAY_MS

const LONGEST_LOCK_WAIT = '10s'

type PartitionParts = Pick<Parts, 'db' | 'settings' | 'now' | 'log'>

/** Closes full partitions, drops emptied ones and analyzes the tables. One process at a time does it. */
export async function keepPartitions(parts: PartitionParts, limits: Limits = LIMITS): Promise<void> {
  const due = await whatIsDue(parts, limits)
  if (!isAnything(due)) return
  const client = await parts.db.watched.connect({ application_name: 'sonant' })
  try {
    await liftTimeLimits(client)
    await client.query(`set lock_timeout = '${LONGEST_LOCK_WAIT}'`)
    // Without the advisory lock, which a blocked process may hold.
    if (due.until === 'late') await giveUp(parts, client)
    if (await isAlone(client)) await carryOut(parts, client, await whatIsDue(parts, limits))
  } finally {
    await client.end()
  }
}

interface Due {
  readonly until: string | 'late' | null
  readonly dropped: readonly (readonly Partition[])[]
  readonly stale: readonly string[]
}

const NOTHING: Due = { until: null, dropped: [], stale: [] }
const isAnything = ({ until, dropped, stale }: Due): boolean => until !== null || dropped.length > 0 || stale.length > 0

async function whatIsDue(parts: PartitionParts, limits: Limits): Promise<Due> {
  const { db, settings } = parts
  const now = parts.now()
  const partitions = await readPartitions(db.pool)
  if (!partitions.every(({ isOwn }) => isOwn)) return NOTHING
  const cutoff = cutoffOf(now, settings.retention.jobDays)
  return {
    until:
      begun(partitions, now) ?? ((await isFull(parts, newestOf(partitions, 'job'), limits)) ? boundAfter(now) : null),
    dropped: cutoff === null ? [] : emptied(partitions, firstIdAt('job', cutoff)),
    stale: await staleTables(db.pool),
  }
}

export const boundBegun = (partitions: readonly Partition[]): string | null =>
  PARTITIONED.map(({ table }) => newestOf(partitions, table).closing).find((bound) => bound !== null) ?? null

function begun(partitions: readonly Partition[], now: Date): string | 'late' | null {
  const bound = boundBegun(partitions)
  return bound !== null && idTime(bound).getTime() - now.getTime() < LATE_MS ? 'late' : bound
}

async function isFull({ db, settings, now }: PartitionParts, newest: Partition, limits: Limits): Promise<boolean> {
  if (newest.rows >= limits.jobs) return true
  if (settings.retention.jobDays === 0 || newest.rows < limits.fewest) return false
  const { rows } = await db.pool.query<{ id: string }>('select id from job where id >= $1 order by id limit 1', [
    newest.from ?? '',
  ])
  const [first] = rows
  const days = Math.max(limits.days, settings.retention.jobDays / MOST_RANGES)
  return first !== undefined && now().getTime() - idTime(first.id).getTime() >= days * DAY_MS
}

const boundAfter = (now: Date): string =>
  firstIdAt('job', new Date((Math.ceil(now.getTime() / DAY_MS) + AHEAD_DAYS) * DAY_MS))

async function giveUp({ log }: PartitionParts, client: ClientBase): Promise<void> {
  try {
    await stopClosing(client)
  } catch (error) {
    if (!isHeldUp(error)) throw error
    log.error('jobs will be refused within a day: end the long transactions that hold the table of jobs')
  }
}

/** Each task fails alone; the next run repeats it. */
async function carryOut({ log }: PartitionParts, client: ClientBase, due: Due): Promise<void> {
  const { until, dropped, stale } = due
  const trying = (what: string, act: () => Promise<unknown>): Promise<unknown> =>
    act().catch((error: Error) => {
      const reason = isHeldUp(error) ? 'a long transaction holds a table' : error.message
      log.warn({ err: reason }, `${what}; trying again in a minute`)
    })
  if (until !== null && until !== 'late')
    await trying('the next partition of jobs could not be added', async () => {
      await closePartition(client, until)
      log.info({ from: idTime(until) }, 'jobs from then on are kept in a partition of their own')
    })
  for (const range of dropped) {
    const names = range.map(({ name }) => name).join(', ')
    await trying(`the partitions ${names} could not be dropped`, async () => {
      if (await dropIfEmpty(client, range)) log.info(`the partitions ${names}, of deleted jobs, were dropped`)
    })
  }
  await trying('the tables of jobs could not be analyzed', () => analyzeTables(client, stale))
}

async function isAlone(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('sonant partitions', 0)) as alone`,
  )
  return rows[0]?.alone === true
}
