import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import type { JobStatus } from '../job-states.ts'
import { conditionsOf, isCounted, oneOf } from './filter-conditions.ts'
import { totalOf } from './job-total.ts'
import type { JobsFilter } from './jobs-filter.ts'

/** The default and the largest: with at most one filter, few enough texts for every connection to keep. */
const PREPARED_LIMITS: ReadonlySet<number> = new Set([50, 100])

/** Jobs passed over within about a millisecond. */
const MAX_SHORT_OFFSET = 1_000
/** Jobs counted within about a millisecond. */
const MAX_FEW = 5_000
/** A window that is longer is expected to hold more than these. */
const FEW_MS = 2 * 24 * 3_600_000

/** A page of the jobs that match, and their number, as SQL about `job`, with the values of its parameters. */
export interface PageQuery {
  /** The rows that match, newest first: parenthesised, with its own limit and offset. */
  readonly page: string
  /** How many match, exactly where it is at most `countsTo`. */
  readonly total: string
  readonly countsTo: number
  readonly values: readonly unknown[]
  /** Few enough texts that each is worth preparing. */
  readonly isCommon: boolean
  /** Jobs are counted or passed over one by one: with many of them it takes long. */
  readonly isLong: boolean
}

/**
 * What to ask one after the other, until a total is one that its query counts to: few jobs of a range of ids are counted sooner than the
 * sums of its hours are added up, and without a share of the long reads.
 */
export function pageQueries(
  accountId: string,
  filter: JobsFilter,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
): PageQuery[] {
  const whole = toPageQuery(accountId, filter, limit, offset)
  const mayBeFew = isRange(filter, now) && offset <= MAX_SHORT_OFFSET
  return mayBeFew ? [toPageQuery(accountId, filter, limit, offset, MAX_FEW), whole] : [whole]
}

/** Whether a filter is a range of ids and no more, and not a long window of time. */
function isRange({ idPrefix, createdAt, ...others }: JobsFilter, now: Date): boolean {
  if (fieldsIn(others) > 0 || (idPrefix == null && createdAt == null)) return false
  const { from, to } = createdAt ?? {}
  return idPrefix != null || (from != null && (to ?? now).getTime() - from.getTime() <= FEW_MS)
}

/** @param limit and offset in jobs, both whole numbers: they are written out, since a plan for any number of rows is a bad one */
export function toPageQuery(
  accountId: string,
  filter: JobsFilter,
  limit: number,
  offset: number,
  countsTo = Number.POSITIVE_INFINITY,
): PageQuery {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => {
    const known = values.indexOf(value)
    return `$${known < 0 ? values.push(value) : known + 1}`
  }
  const { statuses, ...others } = filter
  const conditions = [ofAccount('$1'), ...conditionsOf(others, parameter)]
  const isCut = Number.isFinite(countsTo)
  const page = (columns: '*' | 'id') => pageOf(columns, conditions, [...new Set(statuses)], limit, offset)
  return {
    page: offset === 0 ? page('*') : rowsOf(page('id')),
    total: `(select ${isCut ? fewOf(conditions, countsTo) : totalOf(accountId, filter, parameter)})`,
    countsTo,
    values,
    isCommon: PREPARED_LIMITS.has(limit) && offset === 0 && fieldsIn(filter) <= 1,
    isLong: offset > MAX_SHORT_OFFSET || !(isCut || isCounted(filter)),
  }
}

/** One more than it counts to is more. In the order of the account's own index, which it then reads, and not that of all ids. */
const fewOf = (conditions: readonly string[], countsTo: number): string =>
  `count(*) from (select from job where ${conditions.join(' and ')} order by ${idsOfAccount('desc')} limit ${countsTo + 1}) few`

const fieldsIn = (filter: JobsFilter): number => Object.values(filter).filter((value) => value != null).length

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
  const sorted = `order by ${idsOfAccount('desc')}`
  const cut = `limit ${limit} offset ${offset}`
  const wheres = (statuses.length === 0 ? [[]] : statuses.map((status) => [oneOf('status', [status])])).map(
    (status) => `from job where ${[...conditions, ...status].join(' and ')}`,
  )
  if (wheres.length === 1) return `(select ${columns} ${wheres[0]} ${sorted} ${cut})`
  const parts = wheres.map((where) => `(select ${columns} ${where} ${sorted} limit ${limit + offset})`)
  return `(select * from (${parts.join(' union all ')}) u order by id desc ${cut})`
}
