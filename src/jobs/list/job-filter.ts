import { escapeLiteral } from 'pg'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { findUnstorable } from '../../values/storable-json.ts'
import type { JobDecision, JobStatus, JobType } from '../job-states.ts'
import { idConditions, oneOf, type Parameter } from './job-conditions.ts'
import { windowTotal } from './window-total.ts'

/**
 * Which jobs of an account, as REST's list, its export and those who follow jobs say it: a value for each field, all at once; one
 * that is absent or null leaves none out. GraphQL's `jobs` can say more: `jobs-filter.ts`.
 */
export interface JobFilter {
  readonly type?: JobType | null | undefined
  readonly decision?: JobDecision | null | undefined
  readonly status?: readonly JobStatus[] | null | undefined
  readonly apiKeyId?: string | null | undefined
  /** A literal prefix of the job id. */
  readonly search?: string | null | undefined
  /** Inclusive. */
  readonly from?: Date | null | undefined
  /** Exclusive. */
  readonly to?: Date | null | undefined
}

const MAX_SEARCH_CHARACTERS = 64
/** The default and the largest: with few filters beside them, few enough texts for every connection to keep. */
const PREPARED_LIMITS: ReadonlySet<number> = new Set([50, 100])

/** What is wrong with a filter, whichever door it came through. */
export function filterViolations({ status, search, apiKeyId, from, to }: JobFilter): Detail[] {
  const details: Detail[] = []
  if (status?.length === 0) details.push({ path: 'status', message: 'must name at least one' })
  if ([...(search ?? '')].length > MAX_SEARCH_CHARACTERS)
    details.push({ path: 'search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` })
  if (apiKeyId === '') details.push({ path: 'api_key_id', message: 'must not be empty' })
  for (const [path, text] of Object.entries({ search, api_key_id: apiKeyId })) {
    if (findUnstorable(text) !== null) details.push({ path, message: 'must not contain NUL or unpaired surrogates' })
  }
  if (from && to && from > to) details.push({ path: 'from', message: 'must not be after to' })
  return details
}

/** @throws INVALID_REQUEST */
export function rejectViolations(details: readonly Detail[]): void {
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}

/** A filter as SQL about `job`, with the values of its parameters. */
export interface JobQuery {
  /** The rows that match, newest first: parenthesised, with its own limit and offset. */
  readonly page: string
  /** How many match, exactly. */
  readonly total: string
  readonly values: readonly unknown[]
  /** Few enough texts that each is worth preparing. */
  readonly isCommon: boolean
}

/**
 * @param limit and offset in jobs, both whole numbers: they are written out, since a plan for any number of rows is a bad one
 * @param now decides how a window of time is counted, never what comes out
 */
export function toQuery(accountId: string, filter: JobFilter, limit: number, offset: number, now: Date): JobQuery {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => {
    const known = values.indexOf(value)
    return `$${known < 0 ? values.push(value) : known + 1}`
  }
  const narrow = narrowConditions(filter, parameter)
  const classes = classConditions(filter)
  const statuses = [...new Set(filter.status ?? [])]
  const all = ['account_id = $1', ...narrow, ...classes.job]
  const status = statusCondition(statuses)
  const counted = { job: [...classes.job, ...status], count: [...classes.count, ...status] }
  return {
    page: offset === 0 ? pageOf('*', all, statuses, limit, 0) : rowsOf(pageOf('id', all, statuses, limit, offset)),
    total: totalOf(filter, narrow, counted, now, parameter),
    values,
    isCommon: PREPARED_LIMITS.has(limit) && offset === 0 && filtersIn(filter) <= 1,
  }
}

/** The same classes of jobs, as conditions on `job` and on `job_count`. */
interface Classes {
  readonly job: readonly string[]
  readonly count: readonly string[]
}

const filtersIn = (filter: JobFilter): number => Object.values(filter).filter((value) => value != null).length

function totalOf(
  filter: JobFilter,
  narrow: readonly string[],
  classes: Classes,
  now: Date,
  parameter: Parameter,
): string {
  const all = `(select coalesce(sum(jobs), 0) from job_count where ${['account_id = $1', ...classes.count].join(' and ')})`
  const count = (...conditions: string[]) =>
    `(select count(*) from job where ${['account_id = $1', ...conditions, ...classes.job].join(' and ')})`
  if (narrow.length === 0) return all
  if (filter.apiKeyId != null || filter.search) return count(...narrow)
  return windowTotal(filter, now, { all, count, parameter })
}

/** What no counter knows: such jobs are counted one by one, within a range of an index. */
const narrowConditions = ({ apiKeyId, search, from, to }: JobFilter, parameter: Parameter): string[] => [
  ...(typeof apiKeyId === 'string' ? [`api_key_id = ${parameter(apiKeyId)}`] : []),
  ...idConditions({ prefix: search, from, to }, parameter),
]

/** Written out rather than passed as parameters: the statistics of each value decide the plan. */
function classConditions({ type, decision }: JobFilter): Classes {
  const ofType = type ? [`type = ${escapeLiteral(type)}`] : []
  if (!decision) return { job: ofType, count: ofType }
  return {
    // `= false` would be planned as if jobs without a verdict had one.
    job: [...ofType, 'is_prohibited is not null', `is_prohibited is ${decision === 'reject'}`],
    count: [...ofType, `decision = ${escapeLiteral(decision)}`],
  }
}

const statusCondition = (statuses: readonly JobStatus[]): string[] =>
  statuses.length === 0 ? [] : [oneOf('status', statuses)]

/** The ids are found first, so that an offset passes over an index and not over rows. */
const rowsOf = (ids: string): string => `(select j.* from ${ids} i join job j on j.id = i.id)`

/** Several statuses are read each from its own end of the index: together they would be sorted first, however many there are. */
function pageOf(
  columns: '*' | 'id',
  conditions: readonly string[],
  statuses: readonly JobStatus[],
  limit: number,
  offset: number,
): string {
  const cut = `order by id desc limit ${limit} offset ${offset}`
  const ends = statuses.length > 1 ? statuses.map((status) => [status]) : [statuses]
  const wheres = ends.map((end) => `from job where ${[...conditions, ...statusCondition(end)].join(' and ')}`)
  if (wheres.length === 1) return `(select ${columns} ${wheres[0]} ${cut})`
  const parts = wheres.map((where) => `(select ${columns} ${where} order by id desc limit ${limit + offset})`)
  return `(select * from (${parts.join(' union all ')}) u ${cut})`
}
