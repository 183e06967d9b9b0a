import { firstIdAt } from '../../values/id.ts'
import { conditionsOf, type Parameter } from '../list/filter-conditions.ts'
import type { JobsFilter, Range } from '../list/jobs-filter.ts'
import { type JobsOwner, ownedBy } from '../list/jobs-owner.ts'
import { beginOf } from '../list/stats-request.ts'
import type { Breadth } from './event-breadth.ts'
import { filterWindows } from './filter-windows.ts'
import { sumOfBucket } from './histogram-sum.ts'
import { type RollUpWindow, type Span, type SpanRange, toRollUpWindow } from './rollup-window.ts'

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

/** `wait` and `run` are packed histograms (`histogram-sum.ts`). */
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
