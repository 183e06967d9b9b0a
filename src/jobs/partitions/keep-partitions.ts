import { type ClientBase, escapeIdentifier, type Pool } from 'pg'
import type { Parts } from '../../context/context.ts'
import { isHeldUp } from '../../db/connections/lock-wait.ts'
import { liftTimeLimits } from '../../db/connections/servers.ts'
import { firstIdAt, idTime } from '../../values/id.ts'
import { cutoffOf } from '../retention/drop-old-jobs.ts'
import {
  briefly,
  closePartition,
  lockTogether,
  newestOf,
  PARTITIONED,
  type Partition,
  readPartitions,
  stopClosing,
} from './partitions.ts'

const DAY_MS = 86_400_000
/** Their indexes fit into the memory of a small server. */
export const MOST_JOBS = 5_000_000
const LIMITS: Limits = { jobs: MOST_JOBS, days: 30, fewest: 100_000 }
const MOST_RANGES = 12
/** Time to get the locks. */
const AHEAD_DAYS = 7
const LATE_MS = DAY_MS

const LONGEST_LOCK_WAIT = '10s'
const FEWEST = 10_000
const GROWTH = 1.2

const STALE = `
  select p.relname as table from pg_class p
    cross join lateral (
      select sum(greatest(c.reltuples, 0)) as rows from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = p.oid
    ) parts
  where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace
    and parts.rows >= ${FEWEST} and (parts.rows > p.reltuples * ${GROWTH} or parts.rows < p.reltuples / ${GROWTH})`

const FEW_ROWS = 1_000

interface Limits {
  readonly jobs: number
  /** Minimum, so that retention can empty a whole partition. */
  readonly days: number
  readonly fewest: number
}

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
  const cutoff = cutoffOf(now, leaveDays(settings))
  return {
    until:
      begun(partitions, now) ?? ((await isFull(parts, newestOf(partitions, 'job'), limits)) ? boundAfter(now) : null),
    dropped: cutoff === null ? [] : emptied(partitions, firstIdAt('job', cutoff)),
    stale: await staleTables(db.pool),
  }
}

/** After so many days jobs are deleted or archived; 0: never. */
const leaveDays = ({ retention }: PartitionParts['settings']): number => retention.jobDays || retention.archiveDays

export const boundBegun = (partitions: readonly Partition[]): string | null =>
  PARTITIONED.map(({ table }) => newestOf(partitions, table).closing).find((bound) => bound !== null) ?? null

function begun(partitions: readonly Partition[], now: Date): string | 'late' | null {
  const bound = boundBegun(partitions)
  return bound !== null && idTime(bound).getTime() - now.getTime() < LATE_MS ? 'late' : bound
}

async function isFull({ db, settings, now }: PartitionParts, newest: Partition, limits: Limits): Promise<boolean> {
  if (newest.rows >= limits.jobs) return true
  if (leaveDays(settings) === 0 || newest.rows < limits.fewest) return false
  const where = { id: { gte: newest.from ?? '' } }
  const first = await db.prisma.job.findFirst({ where, orderBy: { id: 'asc' }, select: { id: true } })
  const days = Math.max(limits.days, leaveDays(settings) / MOST_RANGES)
  return first !== null && now().getTime() - idTime(first.id).getTime() >= days * DAY_MS
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

/** Partitioned tables with old statistics: autovacuum analyzes only their partitions. */
async function staleTables(db: Pick<Pool, 'query'>): Promise<string[]> {
  const { rows } = await db.query<{ table: string }>(STALE, [PARTITIONED.map(({ table }) => table)])
  return rows.map(({ table }) => table)
}

async function analyzeTables(client: ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`analyze ${escapeIdentifier(table)}`)
}

/** Old partitions that may be empty, by range of ids. The ledger stays. */
function emptied(partitions: readonly Partition[], before: string): Partition[][] {
  const ended = partitions.filter(({ table, until }) => table !== 'credit_entry' && until !== null && until <= before)
  return [...Map.groupBy(ended, ({ until }) => until).values()].filter((range) =>
    range.every(({ rows }) => rows < FEW_ROWS),
  )
}

/**
 * @returns whether they are gone
 * @throws an error that `isHeldUp` recognises
 */
async function dropIfEmpty(client: ClientBase, range: readonly Partition[]): Promise<boolean> {
  const names = range.map(({ name }) => escapeIdentifier(name))
  if (!(await areEmpty(client, names))) return false
  // The final check under lock then scans no dead rows.
  for (const name of names) await client.query(`vacuum (truncate) ${name}`)
  const tables = PARTITIONED.map(({ table }) => `only ${table}`)
  await briefly(client, [
    ...lockTogether([...tables, ...names, 'account']),
    `do $$ begin if not (${anyRow(names)}) then drop table ${names.join(', ')}; end if; end $$`,
  ])
  const { rows } = await client.query<{ gone: boolean }>('select to_regclass($1) is null as gone', [names[0]])
  return rows[0]?.gone === true
}

const anyRow = (names: readonly string[]): string => names.map((name) => `exists (select from ${name})`).join(' or ')

async function areEmpty(client: ClientBase, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`select ${anyRow(names)} as there`)
  return rows[0]?.there === false
}
