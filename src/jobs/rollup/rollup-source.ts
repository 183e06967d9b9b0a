import type { Pool } from 'pg'
import { firstIdAt } from '../../values/id.ts'
import {
  conditionsOf,
  type JobsFilter,
  type JobsOwner,
  namesIn,
  ownedBy,
  type Parameter,
  type Range,
} from '../list/jobs-filter.ts'
import { beginOf } from '../list/stats-request.ts'
import { sumOfBucket } from './histogram.ts'

const DIMENSIONS: ReadonlySet<string> = new Set([
  'types',
  'statuses',
  'decision',
  'endpointKeys',
  'apiKeyIds',
  'errorCodes',
  'createdAt',
])
const PARTS: ReadonlySet<string> = new Set(['and', 'or', 'not'])

const OF_JOB: Readonly<Record<Summed, string>> = {
  credits: 'job_credits(status, cost)',
  characters: 'job_characters(type, inputs)',
  audio_ms: 'coalesce((select sum(a.duration_ms) from artifact a where a.job_id = job.id), 0)',
  wait: sumOfBucket('job_bucket(started_at - created_at)', '1'),
  run: sumOfBucket('job_bucket(completed_at - started_at)', '1'),
}
const OF_DELTA: Readonly<Record<Summed, string>> = {
  credits: 'credits',
  characters: 'characters',
  audio_ms: 'audio_ms',
  wait: sumOfBucket('wait_bucket', 'jobs'),
  run: sumOfBucket('run_bucket', 'jobs'),
}
const OF_SPAN: Readonly<Record<Summed, string>> = {
  credits: 'credits',
  characters: 'characters',
  audio_ms: 'audio_ms',
  wait: 'wait_sum as wait',
  run: 'run_sum as run',
}
const COMMON = 'type, status, endpoint_key, api_key_id, error_code'
const PROHIBITED = `case decision when 'reject' then true when 'pass' then false end as is_prohibited`
const MS = { hour: 3_600_000, day: 86_400_000 } as const
const EARLIER_MS = 1
const FILTERS_OF_TYPE_STATUS: ReadonlySet<string> = new Set(['types', 'statuses'])
const GROUPS_OF_TYPE_STATUS: ReadonlySet<string> = new Set(['type', 'status'])
const GROUPS_OF_TIME: ReadonlySet<string> = new Set(['hour', 'day'])

/** `wait` and `run` are packed histograms (`histogram.ts`). */
export type Summed = 'credits' | 'characters' | 'audio_ms' | 'wait' | 'run'

interface Source {
  readonly owner: JobsOwner
  readonly filter: JobsFilter
  readonly finest: Span
  readonly sums: readonly Summed[]
  /** 'each': rows of `job_rollup` instead of `job_event`. */
  readonly breadth?: Breadth
  readonly parameter: Parameter
}

type Span = 'hour' | 'day' | 'all'

interface SpanRange extends Range<Date> {
  readonly span: Span
}

/** Parts without gap or overlap. */
interface RollUpWindow {
  readonly spans: readonly SpanRange[]
  /** Parts of an hour, read from jobs. */
  readonly ends: readonly Range<Date>[]
  readonly whole: Range<Date> | null
}

interface FilterWindow {
  readonly window: Range<Date>
  readonly filter: JobsFilter
}

/** Dimensions of `job_event` rows besides time. */
export type Breadth = 'all' | 'type_status' | 'each'

export const isRolledUp = (filter: JobsFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || DIMENSIONS.has(name) || PARTS.has(name)) &&
  [...(filter.and ?? []), ...(filter.or ?? []), ...(filter.not ? [filter.not] : [])].every(isRolledUp)

/** SQL of the owner's jobs summed up, exact in every snapshot. Whole hours come from the roll-up and unfolded changes, the rest from jobs. */
export function rollUpSource(source: Source): string {
  const { parameter } = source
  const windows = filterWindows(source.filter)
  if (windows.length === 0) windows.push({ window: NO_TIME, filter: {} })
  const parts = windows.map(({ window, filter }) => {
    const where = ['true', ...conditionsOf(filter, parameter)].join(' and ')
    return `select * from ${windowSource(source, window)} w where ${where}`
  })
  return `(${parts.join('\n union all ')})`
}

const NO_TIME: Range<Date> = { from: new Date(0), to: new Date(0) }

function windowSource(source: Source, window: Range<Date>): string {
  const { spans, ends, whole } = toRollUpWindow(window, source.finest)
  const { account, jobs } = readersOf(source)
  const parts = [
    ...spans.map((range) => spanPart(range, account, source)),
    ...(whole === null ? [] : [deltaPart(whole, account, source, spans), jobs(whole, BACKLOG)]),
    ...ends.map((range) => jobs(range)),
  ]
  return `(${parts.join('\n union all ')})`
}

/** Null without a backlog, so no row is read. */
const BACKLOG = [
  'id > (select filled_to from job_rollup_backlog)',
  'id <= (select until from job_rollup_backlog)',
] as const

function readersOf({ owner, sums, finest, parameter }: Source) {
  const account = ownedBy(owner, parameter).join(' and ')
  const columns = ['1::bigint as jobs', ...sums.map((name) => `${OF_JOB[name]} as ${name}`)].join(', ')
  const jobs = ({ from, to }: Range<Date>, more: readonly string[] = []) => {
    const conditions = [
      account,
      ...(from ? [`id >= ${parameter(firstIdAt('job', from))}`] : []),
      ...(to ? [`id < ${parameter(firstIdAt('job', to))}`] : []),
      ...more,
    ]
    return `select ${COMMON}, is_prohibited, ${atOf('created_at', finest)} as at, ${columns} from job where ${conditions.join(' and ')}`
  }
  return { account, jobs }
}

function spanPart({ span, ...range }: SpanRange, account: string, source: Source): string {
  const { sums, finest, breadth = 'each', parameter } = source
  const isByEvents = isOfEvents(source, span)
  const events = isByEvents ? [`breadth = '${breadth}'`, `kind = 'accepted'`] : []
  const conditions = [account, ...events, `span = '${span}'`, ...within(range, parameter)]
  const at = span === finest ? 'at' : `${atOf('at', finest)} as at`
  const columns = ['jobs', ...sums.map((name) => OF_SPAN[name])].join(', ')
  const rows = `select ${COMMON}, ${PROHIBITED}, ${at}, ${columns} from ${isByEvents ? 'job_event' : 'job_rollup'} where ${conditions.join(' and ')}`
  // The index's order makes a sort by time cheap.
  return finest === 'all' ? rows : `(${rows} order by at)`
}

const isOfEvents = ({ breadth = 'each' }: Source, span: Span): boolean => breadth !== 'each' && span !== 'all'

function deltaPart(
  whole: NonNullable<RollUpWindow['whole']>,
  account: string,
  source: Source,
  spans: readonly SpanRange[],
): string {
  const { sums, finest, parameter } = source
  // The events already hold the other rows.
  const events = spans.some(({ span }) => isOfEvents(source, span)) ? ['in_events'] : []

  const columns = ['jobs', ...sums.map((name) => `${OF_DELTA[name]} as ${name}`)].join(', ')
  const conditions = [account, ...events, ...within(whole, parameter)]
  return `select ${COMMON}, ${PROHIBITED}, ${atOf('at', finest)} as at, ${columns} from job_rollup_delta where ${conditions.join(' and ')}`
}

const atOf = (time: string, finest: Span): string => (finest === 'all' ? time : beginOf(finest, time))

const within = ({ from, to }: Range<Date>, parameter: Parameter): string[] => [
  ...(from ? [`at >= ${parameter(from)}`] : []),
  ...(to ? [`at < ${parameter(to)}`] : []),
]

function toRollUpWindow({ from, to }: Range<Date>, finest: Span): RollUpWindow {
  if (from == null && to == null && finest === 'all') return { spans: [{ span: 'all' }], ends: [], whole: {} }
  const whole = { from: up(from, 'hour'), to: down(to, 'hour') }
  if (isEmpty(whole)) return { spans: [], ends: [{ from, to }], whole: null }
  const ends = [
    { from, to: whole.from },
    { from: whole.to, to },
  ].filter((end) => end.from != null && end.to != null && !isEmpty(end))
  return { spans: finest === 'hour' ? [{ span: 'hour', ...whole }] : daysIn(whole), ends, whole }
}

function daysIn(hours: Range<Date>): SpanRange[] {
  const days = { from: up(hours.from, 'day'), to: down(hours.to, 'day') }
  if (isEmpty(days)) return [{ span: 'hour', ...hours }]
  const around: SpanRange[] = [
    { span: 'hour', from: hours.from, to: days.from },
    { span: 'hour', from: days.to, to: hours.to },
  ]
  return [{ span: 'day', ...days }, ...around.filter(({ from, to }) => from != null && to != null && from < to)]
}

const up = (time: Date | null | undefined, unit: keyof typeof MS): Date | null =>
  time == null ? null : new Date(Math.ceil(time.getTime() / MS[unit]) * MS[unit])

const down = (time: Date | null | undefined, unit: keyof typeof MS): Date | null =>
  time == null ? null : new Date(Math.floor(time.getTime() / MS[unit]) * MS[unit])

const isEmpty = ({ from, to }: Range<Date>): boolean => from != null && to != null && from >= to

/** Splits a filter at its time boundaries, between which `createdAt` is constant. Windows do not overlap. */
function filterWindows(filter: JobsFilter): FilterWindow[] {
  const bounds = [...new Set(boundsIn(filter))].sort((a, b) => a - b)
  const starts = [null, ...bounds]
  const windows: FilterWindow[] = []
  for (const [index, from] of starts.entries()) {
    const to = bounds[index] ?? null
    const meant = at(filter, from ?? (to ?? 0) - EARLIER_MS)
    if (meant === null) continue
    const last = windows.at(-1)
    const goesOn = last?.window.to?.getTime() === from && JSON.stringify(last?.filter) === JSON.stringify(meant)
    const window = { from: goesOn ? last?.window.from : toDate(from), to: toDate(to) }
    if (goesOn) windows.pop()
    windows.push({ window, filter: meant })
  }
  return windows
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const partsOf = ({ and, or, not }: JobsFilter): JobsFilter[] => [...(and ?? []), ...(or ?? []), ...(not ? [not] : [])]

const boundsIn = (filter: JobsFilter): number[] => [
  ...[filter.createdAt?.from, filter.createdAt?.to].flatMap((time) => (time == null ? [] : [time.getTime()])),
  ...partsOf(filter).flatMap(boundsIn),
]

/** Null: it matches no job of that time. */
function at(filter: JobsFilter, ms: number): JobsFilter | null {
  const { createdAt, and, or, not, ...own } = filter
  if (createdAt?.from != null && ms < createdAt.from.getTime()) return null
  if (createdAt?.to != null && ms >= createdAt.to.getTime()) return null
  const all = (and ?? []).map((part) => at(part, ms))
  const some = (or ?? []).map((part) => at(part, ms)).filter((part) => part !== null)
  const none = not ? at(not, ms) : null
  if (all.includes(null) || (or && some.length === 0) || (none !== null && isAll(none))) return null
  const needed = all.filter((part): part is JobsFilter => part !== null && !isAll(part))
  return {
    ...own,
    ...(needed.length > 0 && { and: needed }),
    ...(or && !some.some(isAll) && { or: some }),
    ...(none !== null && { not: none }),
  }
}

const isAll = (filter: JobsFilter): boolean => Object.values(filter).every((value) => value == null)

/** The coarsest grouping of the roll-up that can answer the filter and the groups, because it has the fewest rows. */
export function breadthOf(filter: JobsFilter, groups: readonly string[] = []): Breadth {
  const filters = [...namesIn(filter)]
  const others = groups.filter((group) => !GROUPS_OF_TIME.has(group))
  if (filters.length === 0 && others.length === 0) return 'all'
  const isOfTypeStatus =
    filters.every((name) => FILTERS_OF_TYPE_STATUS.has(name)) &&
    others.every((group) => GROUPS_OF_TYPE_STATUS.has(group))
  return isOfTypeStatus ? 'type_status' : 'each'
}

/** True once `job_event` covers all jobs; it stays true. */
export async function hasAllEvents({ pool }: { readonly pool: Pool }): Promise<boolean> {
  const { rows } = await pool.query<{ all: boolean }>(
    'select not exists (select from job_event_backlog) and not exists (select from job_rollup_backlog) as all',
  )
  return rows[0]?.all === true
}
