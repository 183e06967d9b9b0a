import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import type { JobStatus } from '../job-states.ts'
import { conditionsOf, isCounted, oneOf } from './filter-conditions.ts'
import { totalOf } from './job-total.ts'
import type { JobsFilter } from './jobs-filter.ts'

/** The default and the largest: with at most one filter, few enough texts for every connection to keep. */
const PREPARED_LIMITS: ReadonlySet<number> = new Set([50, 100])

/** Jobs passed over within about a millisecond. */
const MAX_SHORT_OFFSET = 1_000

/** A page of the jobs that match, and their number, as SQL about `job`, with the values of its parameters. */
export interface PageQuery {
  /** The rows that match, newest first: parenthesised, with its own limit and offset. */
  readonly page: string
  /** How many match, exactly. */
  readonly total: string
  readonly values: readonly unknown[]
  /** Few enough texts that each is worth preparing. */
  readonly isCommon: boolean
  /** Jobs are counted or passed over one by one: with many of them it takes long. */
  readonly isLong: boolean
}

/** @param limit and offset in jobs, both whole numbers: they are written out, since a plan for any number of rows is a bad one */
export function toPageQuery(accountId: string, filter: JobsFilter, limit: number, offset: number): PageQuery {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => {
    const known = values.indexOf(value)
    return `$${known < 0 ? values.push(value) : known + 1}`
  }
  const { statuses, ...others } = filter
  const conditions = [ofAccount('$1'), ...conditionsOf(others, parameter)]
  const page = (columns: '*' | 'id') => pageOf(columns, conditions, [...new Set(statuses)], limit, offset)
  return {
    page: offset === 0 ? page('*') : rowsOf(page('id')),
    total: `(select ${totalOf(accountId, filter, parameter)})`,
    values,
    isCommon: PREPARED_LIMITS.has(limit) && offset === 0 && fieldsIn(filter) <= 1,
    isLong: offset > MAX_SHORT_OFFSET || !isCounted(filter),
  }
}

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
