import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import type { JobStatus } from '../job-states.ts'
import { conditionsOf, isCounted, oneOf } from './filter-conditions.ts'
import { totalOf } from './job-total.ts'
import type { JobsFilter } from './jobs-filter.ts'

const PREPARED_LIMITS: ReadonlySet<number> = new Set([50, 100])

const MAX_SHORT_OFFSET = 1_000
const MAX_FEW = 5_000
const FEW_MS = 2 * 24 * 3_600_000

export interface PageQuery {
  readonly page: string
  /** Exact up to `countsTo`. */
  readonly total: string
  readonly countsTo: number
  readonly values: readonly unknown[]
  readonly isCommon: boolean
  readonly isLong: boolean
}

/** Queries to try in order, until a total is at most `countsTo`. */
export function pageQueries(
  accountId: string,
  filter: JobsFilter,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
): PageQuery[] {
  const whole = toPageQuery(accountId, filter, limit, offset)
  const mayBeFew = isRange(filter, now) && offset <= MAX_SHORT_OFFSET
  return mayBeFew ? [toPageQuery(accountId, filter, limit, offset, MAX_FEW), whole] : [whole]
}

function isRange({ idPrefix, createdAt, ...others }: JobsFilter, now: Date): boolean {
  if (fieldsIn(others) > 0 || (idPrefix == null && createdAt == null)) return false
  const { from, to } = createdAt ?? {}
  return idPrefix != null || (from != null && (to ?? now).getTime() - from.getTime() <= FEW_MS)
}

/** @param limit and offset whole numbers; the text holds them because a generic plan is bad */
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

/** The order makes PostgreSQL read the account's index. */
const fewOf = (conditions: readonly string[], countsTo: number): string =>
  `count(*) from (select from job where ${conditions.join(' and ')} order by ${idsOfAccount('desc')} limit ${countsTo + 1}) few`

const fieldsIn = (filter: JobsFilter): number => Object.values(filter).filter((value) => value != null).length

/** The offset passes over index entries instead of rows. */
const rowsOf = (ids: string): string => `(select j.* from ${ids} i join job j on j.id = i.id)`

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
