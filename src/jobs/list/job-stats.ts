import { requireOperator } from '../../access/require.ts'
import type { JobType } from '../../catalog/job-kinds.ts'
import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { firstIdAt } from '../../values/id.ts'
import type { JobErrorCode, JobStatus } from '../job-states.ts'
import { histogramTypes, type Percentiles, packedSum, percentilesOf } from '../rollup/histogram.ts'
import {
  type Breadth,
  breadthOf,
  hasAllEvents,
  isRolledUp,
  rollUpSource,
  type Summed,
} from '../rollup/rollup-source.ts'
import {
  askedJobs,
  closeJobWindow,
  conditionsOf,
  type JobsOwner,
  ownedBy,
  readerOf,
  requireFilter,
} from './jobs-filter.ts'
import { boundSearch } from './search-words.ts'
import {
  GROUPS_OF_ROWS,
  groupColumns,
  type JobGroup,
  type JobMeasure,
  type JobStatsInput,
  jobsFor,
  MAX_GROUPS,
  shownGroup,
  UTC,
} from './stats-request.ts'
import { hasWholeHours, refuseUnknownZone, requireTimeZone } from './time-zone.ts'

const EXACT_JOBS = 10_000
const SUMS: Readonly<Record<JobMeasure, readonly [Summed, string]>> = {
  characters: ['characters', 'coalesce(sum(characters), 0)::float8'],
  audioSeconds: ['audio_ms', 'coalesce(sum(audio_ms), 0)::float8 / 1000'],
  credits: ['credits', 'coalesce(sum(credits), 0)::float8'],
  waitMs: ['wait', packedSum('sum(wait)')],
  runMs: ['run', packedSum('sum(run)')],
}

const DAY_MS = 86_400_000
const MAX_WINDOW_MS = 31 * DAY_MS
const MAX_CAUSES = 100

/** A field is null if it is not grouped by or not asked for. */
export interface JobStats {
  readonly type: JobType | null
  readonly status: JobStatus | null
  readonly endpointKey: string | null
  readonly apiKeyId: string | null
  readonly errorCode: JobErrorCode | null
  readonly voice: string | null
  readonly language: string | null
  readonly userId: string | null
  readonly tag: string | null
  readonly hour: Date | null
  readonly day: Date | null
  readonly jobs: number
  readonly characters: number | null
  readonly audioSeconds: number | null
  readonly credits: number | null
  /** Within 4.5 % if more than EXACT_JOBS jobs match, else exact. */
  readonly waitMs: Percentiles | null
  readonly runMs: Percentiles | null
}

type Row<Distribution> = Partial<Record<JobGroup, string | Date | null>> &
  Partial<Record<'waitMs' | 'runMs', Distribution | null>> &
  Partial<Record<'characters' | 'audioSeconds' | 'credits', number>> & { jobs: number }

export interface FailureCause {
  readonly errorCode: JobErrorCode
  readonly cause: string | null
  readonly endpointKey: string
  readonly jobs: number
  readonly lastJobId: string
}

export interface FailureCausesInput {
  /** Inclusive; a day ago unless given. */
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
}

/**
 * Statistics by group of one account or all. Refunded credits do not count.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST (also for more than 10,000 groups), RATE_LIMITED
 */
export async function jobStats(ctx: Context, asked: JobStatsInput): Promise<JobStats[]> {
  const owner = await askedJobs(ctx, asked)
  requireFilter(ctx, asked.filter ?? {})
  requireTimeZone(zoneOf(asked))
  await closeJobWindow(ctx, owner, asked.filter)
  const filter = await boundSearch(ctx, owner, asked.filter ?? {})
  const input = { ...asked, filter }
  const isSummed = isRolledUp(filter) && areRolledUp(input, ctx.now())
  const read = isSummed ? readRollUp(ctx, owner, input) : readRows(ctx, owner, input, longScan)
  return read.catch(refuseUnknownZone)
}

const zoneOf = ({ timeZone }: Pick<JobStatsInput, 'timeZone'>): string => timeZone ?? UTC

/** The roll-up has hours of UTC. */
function areRolledUp(input: JobStatsInput, now: Date): boolean {
  const groups = input.groupBy ?? []
  if (groups.some((group) => GROUPS_OF_ROWS.has(group))) return false
  return zoneOf(input) === UTC || !groups.some(isOfTime) || hasWholeHours(zoneOf(input), now)
}

async function readRows(
  { db }: Context,
  owner: JobsOwner,
  input: JobStatsInput,
  read: typeof longScan,
): Promise<JobStats[]> {
  const { rows } = await read<Row<number[]>>(db, readerOf(owner), statsOfRows(owner, input))
  rejectTooMany(rows)
  return rows.map((row) => toStats(row, toPercentiles))
}

async function readRollUp(ctx: Context, owner: JobsOwner, input: JobStatsInput): Promise<JobStats[]> {
  const statement = statsOfRollUp(owner, input, await hasAllEvents(ctx.db))
  const { rows } = await longRead<Row<Percentiles>>(ctx.db, readerOf(owner), statement)
  rejectTooMany(rows)
  const jobs = rows.reduce((sum, row) => sum + row.jobs, 0)
  const isExact = !input.measures.has('waitMs') && !input.measures.has('runMs')
  if (!isExact && jobs <= EXACT_JOBS) return readRows(ctx, owner, input, longRead)
  return rows.map((row) => toStats(row, (percentiles) => percentiles))
}

function rejectTooMany(rows: readonly unknown[]): void {
  if (rows.length <= MAX_GROUPS) return
  throw invalidRequest('Group by fewer dimensions, or narrow the filter.', [
    { path: '/groupBy', message: `makes more than ${MAX_GROUPS} groups` },
  ])
}

const toStats = <Distribution>(
  row: Row<Distribution>,
  percentilesFrom: (of: Distribution) => Percentiles | null,
): JobStats => ({
  type: (row.type ?? null) as JobType | null,
  status: (row.status ?? null) as JobStatus | null,
  endpointKey: (row.endpoint ?? null) as string | null,
  apiKeyId: (row.api_key ?? null) as string | null,
  errorCode: (row.error_code ?? null) as JobErrorCode | null,
  voice: (row.voice ?? null) as string | null,
  language: (row.language ?? null) as string | null,
  userId: (row.user ?? null) as string | null,
  tag: (row.tag ?? null) as string | null,
  hour: (row.hour ?? null) as Date | null,
  day: (row.day ?? null) as Date | null,
  jobs: row.jobs,
  characters: row.characters ?? null,
  audioSeconds: row.audioSeconds ?? null,
  credits: row.credits ?? null,
  waitMs: row.waitMs == null ? null : percentilesFrom(row.waitMs),
  runMs: row.runMs == null ? null : percentilesFrom(row.runMs),
})

function toPercentiles([p50, p95, p99]: readonly number[]): Percentiles | null {
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 }
}

/** `greatest` ignores null, so the filter leaves such jobs out. */
const percentiles = (from: string, to: string): string =>
  `percentile_cont(array[0.5, 0.95, 0.99]) within group (order by greatest(0, extract(epoch from ${to} - ${from}) * 1000)::float8)
    filter (where ${to} - ${from} is not null)`
const MEASURE_COLUMNS: Readonly<Record<JobMeasure, string>> = {
  characters: 'coalesce(sum(job_characters(type, inputs)), 0)::float8',
  audioSeconds: `coalesce(sum((select sum(a.duration_ms) from artifact a where a.job_id = job.id)), 0)::float8 / 1000`,
  credits: `coalesce(sum(cost) filter (where status <> 'failed'), 0)::float8`,
  waitMs: percentiles('created_at', 'started_at'),
  runMs: percentiles('started_at', 'completed_at'),
}

export function statsOfRows(owner: JobsOwner, { filter, groupBy, measures, timeZone }: JobStatsInput) {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [...ownedBy(owner, parameter), ...conditionsOf(filter ?? {}, parameter)]
  const groups = [...new Set(groupBy ?? [])]
  const zone = zoneOf({ timeZone })
  const own = groupColumns('created_at', zone)
  const columns = [
    ...groups.map((group) => `${shownGroup(group, own[group], zone)} as "${group}"`),
    'count(*)::float8 as jobs',
    ...[...measures].map((measure) => `${MEASURE_COLUMNS[measure]} as "${measure}"`),
  ]
  const places = placesOf(groups)
  const text = `select ${columns.join(', ')} from ${jobsFor(groups)} where ${conditions.join(' and ')}
    ${places === '' ? '' : `group by ${groups.map((group) => own[group]).join(', ')} order by ${places}`} limit ${MAX_GROUPS + 1}`
  return { text, values }
}

/** @param withEvents whether `job_event` covers all jobs */
export function statsOfRollUp(owner: JobsOwner, input: JobStatsInput, withEvents: boolean) {
  const measures = [...input.measures]
  const { source, values, groups, places } = toParts(
    owner,
    input,
    measures.map((measure) => SUMS[measure][0]),
    withEvents ? breadthFor(input) : 'each',
  )
  const columns = [
    ...columnsOf(groups, zoneOf(input)),
    'coalesce(sum(jobs), 0)::float8 as jobs',
    ...measures.map((measure) => `${SUMS[measure][1]} as "${measure}"`),
  ]
  const grouped = `group by ${inTime(groups)
    .map((group) => columnOf(group, groups, zoneOf(input)))
    .join(', ')} having sum(jobs) <> 0`
  // PostgreSQL stops before it sorts too many groups.
  const found = `select ${columns.join(', ')} from ${groups.some(isOfTime) ? inOrder(source, groups, zoneOf(input)) : source} p
    ${places === '' ? '' : grouped} limit ${MAX_GROUPS + 1}`
  const text = places === '' ? found : `select * from (${found}) g order by ${places}`
  return { text, values, types: histogramTypes(percentilesOf) }
}

const isOfTime = (group: JobGroup): boolean => group === 'hour' || group === 'day'

const inTime = (groups: readonly JobGroup[]): JobGroup[] =>
  groups.toSorted((one, other) => Number(isOfTime(other)) - Number(isOfTime(one)))

/** PostgreSQL finishes one group before the next and keeps few sums. */
const inOrder = (source: string, groups: readonly JobGroup[], timeZone: string): string =>
  `(select * from ${source} s order by ${inTime(groups)
    .map((group) => columnOf(group, groups, timeZone))
    .join(', ')})`

function breadthFor({ filter, groupBy }: JobStatsInput): Breadth {
  const { createdAt: _time, ...others } = filter ?? {}
  return breadthOf(others, groupBy ?? [])
}

const columnsOf = (groups: readonly JobGroup[], timeZone: string): string[] =>
  groups.map((group) => `${shownGroup(group, columnOf(group, groups, timeZone), timeZone)} as "${group}"`)

const columnOf = (group: JobGroup, groups: readonly JobGroup[], timeZone: string): string =>
  group === finestOf(groups, timeZone) ? 'at' : groupColumns('at', timeZone)[group]

function finestOf(groups: readonly JobGroup[], timeZone: string): 'hour' | 'day' | 'all' {
  if (!groups.some(isOfTime)) return 'all'
  return groups.includes('hour') || timeZone !== UTC ? 'hour' : 'day'
}

function toParts(
  owner: JobsOwner,
  { filter, groupBy, timeZone }: JobStatsInput,
  sums: readonly Summed[],
  breadth: Breadth = 'each',
) {
  const groups = [...new Set(groupBy ?? [])]
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const finest = finestOf(groups, zoneOf({ timeZone }))
  const source = rollUpSource({ owner, filter: filter ?? {}, finest, sums, breadth, parameter })
  return { source, values, groups, places: placesOf(groups) }
}

const placesOf = (groups: readonly JobGroup[]): string => groups.map((_group, index) => index + 1).join(', ')

/**
 * Causes of failed jobs of all accounts, most frequent first, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function failureCauses(ctx: Context, input: FailureCausesInput): Promise<FailureCause[]> {
  requireOperator(ctx)
  const to = input.to ?? ctx.now()
  const from = input.from ?? new Date(to.getTime() - DAY_MS)
  const window = to.getTime() - from.getTime()
  if (window < 0 || window > MAX_WINDOW_MS) {
    const message = window < 0 ? 'is before from' : 'is more than 31 days after from'
    throw invalidRequest('Ask for a window of at most 31 days.', [{ path: 'to', message }])
  }
  const { rows } = await longRead<FailureCause>(ctx.db, 'operator', {
    text: `select error_code as "errorCode", cause, endpoint_key as "endpointKey", count(*)::integer as jobs, max(id) as "lastJobId"
     from job where status = 'failed' and id >= $1 and id < $2
     group by error_code, cause, endpoint_key order by count(*) desc, max(id) desc limit ${MAX_CAUSES}`,
    values: [firstIdAt('job', from), firstIdAt('job', to)],
  })
  return rows
}
