import type { Pool } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import { foldCounts } from '../../db/fold-counts.ts'
import { inAccount, ofAccount } from '../../db/own/own-rows.ts'
import { type Connection, type PageInput, type PageShape, pageShape, toConnection } from '../../db/page.ts'
import { statementName } from '../../db/sql.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { DURATION_MS, type Job, PAGE_COLUMNS, ROW_COLUMNS, WAIT_MS } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'
import { isRolledUp, rollUpSource } from '../rollup/rollup-source.ts'
import {
  closeJobWindow,
  conditionsOf,
  counterConditions,
  isCounted,
  type JobsFilter,
  type JobsOwner,
  namesIn,
  oneOf,
  operatorsJobs,
  ownedBy,
  type Parameter,
  readerOf,
  requireFilter,
} from './jobs-filter.ts'
import { boundSearch } from './search-words.ts'

const msOf = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`
const NEWEST_FIRST: JobOrder = { field: 'created_at', direction: 'desc' }
const PREPARED_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 50, 100])
/** `has` and `lacks`: conditions of jobs with the key and without it. */
const SORTS: Readonly<Record<Exclude<JobOrderField, 'created_at'>, Sort>> = {
  completed_at: {
    column: 'completed_at',
    key: msOf('completed_at'),
    has: 'completed_at is not null',
    lacks: `completed_at is null and status in ('queued', 'processing')`,
    isIndexed: true,
    keyOf: ({ completedAt }) => completedAt && String(completedAt.getTime()),
  },
  duration: {
    column: DURATION_MS,
    key: DURATION_MS,
    has: 'completed_at is not null',
    lacks: `completed_at is null and status in ('queued', 'processing')`,
    isIndexed: true,
    keyOf: ({ createdAt, completedAt }) => completedAt && String(completedAt.getTime() - createdAt.getTime()),
  },
  started_at: {
    column: 'started_at',
    key: msOf('started_at'),
    has: 'started_at is not null',
    lacks: 'started_at is null',
    isIndexed: false,
    keyOf: ({ startedAt }) => startedAt && String(startedAt.getTime()),
  },
  wait: {
    column: WAIT_MS,
    key: WAIT_MS,
    has: 'started_at is not null',
    lacks: 'started_at is null',
    isIndexed: false,
    keyOf: ({ createdAt, startedAt }) => startedAt && String(startedAt.getTime() - createdAt.getTime()),
  },
  cost: { column: 'cost', key: 'cost', has: 'true', lacks: null, isIndexed: false, keyOf: ({ cost }) => cost },
}
const NO_KEY = '-'
/** Milliseconds or credits, a point, and an id. */
const KEY_CURSOR = /^(-?\d{1,12}|\d{1,18}|-)\.(.+)$/
const LATEST_MS = 8.64e15
const ENDED: readonly JobStatus[] = ['completed', 'failed']

export type JobOrderField = 'created_at' | 'completed_at' | 'duration' | 'started_at' | 'wait' | 'cost'

interface Sort {
  readonly column: string
  /** A whole number. */
  readonly key: string
  readonly has: string
  /** Null: every job has the key. */
  readonly lacks: string | null
  readonly isIndexed: boolean
  /** Null: the job has none. */
  keyOf(job: Job): string | null
}

/** Equal jobs are ordered by id, and jobs without a key are the last ones in both directions. */
export interface JobOrder {
  readonly field: JobOrderField
  readonly direction: 'asc' | 'desc'
  /** False: by end and by duration, only finished jobs are listed. */
  readonly includeUnfinished?: boolean | null | undefined
}

export interface JobsInput extends PageInput {
  readonly filter?: JobsFilter | null | undefined
  readonly orderBy?: JobOrder | null | undefined
}

type Row = Job & { sort_key?: string | null }

export interface Neighbours {
  readonly previous: Job | null
  readonly next: Job | null
}

export interface AllJobsInput extends JobsInput {
  readonly account?: string | null | undefined
}

/**
 * A page of the account's jobs by keyset.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobs(ctx: Context, input: JobsInput): Promise<Connection<Job>> {
  requireScope(ctx, JOB_READ_SCOPE)
  return readJobs(ctx, requireAccount(ctx).accountId, input)
}

/**
 * The caller has authorised the access.
 * @throws INVALID_REQUEST, RATE_LIMITED
 */
async function readJobs(ctx: Context, owner: JobsOwner, input: JobsInput): Promise<Connection<Job>> {
  const order = input.orderBy ?? NEWEST_FIRST
  const shape = pageShape(input, (text) => isCursor(text, order))
  requireFilter(ctx, input.filter ?? {})
  await closeJobWindow(ctx, owner, input.filter)
  const filter = input.filter && (await boundSearch(ctx, owner, input.filter))
  const statement = toStatement(owner, { ...input, filter }, order, shape)
  const isScan = sortOf(order)?.isIndexed === false || namesIn(input.filter ?? {}).has('words')
  const { rows } =
    owner !== null && isCounted(input.filter ?? {}) && !isScan
      ? await ctx.db.pool.query<Row>(statement)
      : await (isScan ? longScan : longRead)<Row>(ctx.db, readerOf(owner), statement)
  return toConnection(rows, shape, input, {
    cursorOf: (row) => (row.sort_key === undefined ? row.id : `${row.sort_key ?? NO_KEY}.${row.id}`),
    nodeOf: (row) => row,
    count: () => totalOfJobs(ctx, owner, input),
  })
}

/** Null if the order leaves the job out. */
function cursorOf(job: Job, orderBy: JobOrder | null | undefined): string | null {
  const order = orderBy ?? NEWEST_FIRST
  const sort = sortOf(order)
  if (sort === null) return job.id
  const key = sort.keyOf(job)
  return key === null && onlyFinished(order) ? null : `${key ?? NO_KEY}.${job.id}`
}

const sortOf = ({ field }: JobOrder): Sort | null => (field === 'created_at' ? null : SORTS[field])

const onlyFinished = ({ field, includeUnfinished }: JobOrder): boolean =>
  (field === 'completed_at' || field === 'duration') && includeUnfinished !== true

function isCursor(text: string, order: JobOrder): boolean {
  if (order.field === 'created_at') return isId('job', text)
  const [, key = '', id = ''] = KEY_CURSOR.exec(text) ?? []
  if (!isId('job', id) || (isTime(order) && Math.abs(Number(key)) > LATEST_MS)) return false
  return key !== NO_KEY || (sortOf(order)?.lacks !== null && !onlyFinished(order))
}

const isTime = ({ field }: JobOrder): boolean => field === 'completed_at' || field === 'started_at'

function toStatement(owner: JobsOwner, input: JobsInput, order: JobOrder, { size, backwards }: PageShape) {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const { statuses, ...filter } = input.filter ?? {}
  const conditions = [
    ...(owner === null ? ['true'] : [ofAccount(parameter(owner))]),
    ...conditionsOf(filter, parameter),
  ]
  const parts = partsOf(input, order, parameter)
  const source = sourceOf(owner, conditions, parts, statuses ?? [], order, size + 1, backwards)
  const sorted = sortOf(order) === null ? '' : `j.sort_key ${nullsLast(order, backwards)}, `
  const direction = directionOf(order, backwards)
  const text = `select ${PAGE_COLUMNS}${sorted === '' ? '' : ', j.sort_key'} from ${source} j
    left join api_key k on k.id = j.api_key_id order by ${sorted}j.id ${direction}`
  const isCommon = input.filter == null && PREPARED_SIZES.has(size)
  return { text, values, ...(isCommon && { name: statementName('jobs', text) }) }
}

const directionOf = ({ direction }: JobOrder, backwards: boolean): 'asc' | 'desc' =>
  (direction === 'desc') === backwards ? 'asc' : 'desc'

const nullsLast = (order: JobOrder, backwards: boolean): string =>
  `${directionOf(order, backwards)} nulls ${backwards ? 'first' : 'last'}`

/** Jobs with a key, or jobs without one, as far as they are beyond the cursors. */
interface Part {
  readonly conditions: readonly string[]
  /** Null: ordered by id alone. */
  readonly sort: Sort | null
}

function partsOf(input: PageInput, order: JobOrder, parameter: Parameter): Part[] {
  const sort = sortOf(order)
  const cursors = cursorsIn(input)
  const signOf = (isLater: boolean) => (isLater === (order.direction === 'desc') ? '<' : '>')
  const ofId = ({ id, isLater }: Cursor) => `id ${signOf(isLater)} ${parameter(id)}`
  if (sort === null) return [{ sort, conditions: cursors.map(ofId) }]
  const ofKey = ({ key, id, isLater }: Cursor) => {
    const value = isTime(order) ? new Date(Number(key)) : key
    return `(${sort.column}, id) ${signOf(isLater)} (${parameter(value)}, ${parameter(id)})`
  }
  const [keyed, keyless] = [cursors.filter(({ key }) => key !== NO_KEY), cursors.filter(({ key }) => key === NO_KEY)]
  const hasKeyed = keyless.every(({ isLater }) => !isLater)
  const hasKeyless = sort.lacks !== null && !onlyFinished(order) && keyed.every(({ isLater }) => isLater)
  return [
    ...(hasKeyed ? [{ sort, conditions: [sort.has, ...keyed.map(ofKey)] }] : []),
    ...(hasKeyless ? [{ sort: null, conditions: [sort.lacks as string, ...keyless.map(ofId)] }] : []),
  ]
}

interface Cursor {
  readonly key: string
  readonly id: string
  /** Whether the page lies after it. */
  readonly isLater: boolean
}

function cursorsIn({ after, before }: PageInput): Cursor[] {
  const read = (text: string, isLater: boolean): Cursor => {
    const [, key = '', id = text] = KEY_CURSOR.exec(text) ?? []
    return { key, id, isLater }
  }
  return [...(after ? [read(after, true)] : []), ...(before ? [read(before, false)] : [])]
}

/** One read per status follows the index; a single read would sort all matching jobs. */
function sourceOf(
  owner: JobsOwner,
  conditions: readonly string[],
  parts: readonly Part[],
  statuses: readonly JobStatus[],
  order: JobOrder,
  limit: number,
  backwards: boolean,
): string {
  const direction = directionOf(order, backwards)
  const isKeyed = sortOf(order) !== null
  const first = owner === null ? '' : `${inAccount(direction)}, `
  const read = ({ sort, conditions: own }: Part, more: readonly string[]) => {
    const columns = [...ROW_COLUMNS, ...(isKeyed ? [`${sort?.key ?? 'null::bigint'} as sort_key`] : [])].join(', ')
    const sorted = `order by ${first}${sort === null ? '' : `${sort.column} ${direction}, `}id ${direction} limit ${limit}`
    return `(select ${columns} from job where ${[...conditions, ...own, ...more].join(' and ')} ${sorted})`
  }
  const ofStatuses = statuses.length === 0 ? [[]] : [...new Set(statuses)].map((status) => [oneOf('status', [status])])
  const reads = parts.flatMap((part) => ofStatuses.map((more) => read(part, more)))
  if (reads.length === 0) return read({ sort: null, conditions: ['false'] }, [])
  if (reads.length === 1) return reads.join()
  const merged = `order by ${isKeyed ? `sort_key ${nullsLast(order, backwards)}, ` : ''}id ${direction} limit ${limit}`
  return `(select * from (${reads.join(' union all ')}) u ${merged})`
}

/**
 * The jobs before and after one in a list; null at its ends.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function neighbours(
  ctx: Context,
  job: Job,
  { filter, orderBy }: Pick<JobsInput, 'filter' | 'orderBy'>,
): Promise<Neighbours> {
  const cursor = cursorOf(job, orderBy)
  if (cursor === null) return { previous: null, next: null }
  const [before, after] = [
    await jobs(ctx, { filter, orderBy, last: 1, before: cursor }),
    await jobs(ctx, { filter, orderBy, first: 1, after: cursor }),
  ]
  return { previous: before.edges[0]?.node ?? null, next: after.edges[0]?.node ?? null }
}

/**
 * A page of one or all accounts' jobs, for the operator. Without an account, no index orders jobs by their end.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED
 */
export async function allJobs(ctx: Context, input: AllJobsInput): Promise<Connection<Job>> {
  const owner = await operatorsJobs(ctx, input.account)
  if (owner === null && input.orderBy != null && sortOf(input.orderBy) !== null) {
    const details = [{ path: '/orderBy/field', message: 'must be CREATED_AT without an account' }]
    throw invalidRequest('Name an account, or order by CREATED_AT.', details)
  }
  return readJobs(ctx, owner, input)
}

/**
 * The caller has authorised the access.
 * @throws INVALID_REQUEST, RATE_LIMITED
 */
async function totalOfJobs(
  ctx: Context,
  owner: JobsOwner,
  input: Pick<JobsInput, 'filter' | 'orderBy'>,
): Promise<number> {
  const filter = input.filter ?? {}
  requireFilter(ctx, filter)
  await closeJobWindow(ctx, owner, filter)
  const statuses = statusesOf(input)
  if (statuses?.length === 0) return 0
  const values: unknown[] = []
  const total = totalOf(
    owner,
    { ...(await boundSearch(ctx, owner, filter)), statuses },
    (value) => `$${values.push(value)}`,
  )
  const text = `select t.total::text from (select ${total}) t (total)`
  const readBy = isRolledUp(filter) ? longRead : longScan
  const { rows } = isCounted(filter)
    ? await ctx.db.pool.query<{ total: string }>(text, values)
    : await readBy<{ total: string }>(ctx.db, readerOf(owner), { text, values })
  return Number(rows[0]?.total ?? 0)
}

function statusesOf({
  filter,
  orderBy,
}: Pick<JobsInput, 'filter' | 'orderBy'>): readonly JobStatus[] | null | undefined {
  if (orderBy == null || !onlyFinished(orderBy)) return filter?.statuses
  return ENDED.filter((status) => filter?.statuses?.includes(status) ?? true)
}

/** SQL of the exact number: from counters, else the roll-up, else row by row. */
export function totalOf(owner: JobsOwner, filter: JobsFilter, parameter: Parameter): string {
  if (isCounted(filter))
    return `coalesce(sum(jobs), 0) from job_count where ${[...ownedBy(owner, parameter), ...counterConditions(filter)].join(' and ')}`
  if (!isRolledUp(filter))
    return `count(*) from job where ${[...ownedBy(owner, parameter), ...conditionsOf(filter, parameter)].join(' and ')}`
  const source = rollUpSource({ owner, filter, finest: 'all', sums: [], parameter })
  return `coalesce(sum(jobs), 0) from ${source} p`
}

export const foldJobCounts = (db: Pool): Promise<void> =>
  foldCounts(db, { table: 'job_count', key: ['account_id', 'type', 'status', 'decision'], sum: 'jobs' })
