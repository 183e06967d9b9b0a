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
import { DURATION_MS, type Job, PAGE_COLUMNS, ROW_COLUMNS } from '../job-shape.ts'
import type { JobStatus } from '../job-states.ts'
import { isRolledUp, rollUpSource } from '../rollup/rollup-source.ts'
import {
  closeJobWindow,
  conditionsOf,
  counterConditions,
  isCounted,
  type JobsFilter,
  type JobsOwner,
  oneOf,
  operatorsJobs,
  ownedBy,
  type Parameter,
  readerOf,
  requireFilter,
} from './jobs-filter.ts'

const NEWEST_FIRST: JobOrder = { field: 'created_at', direction: 'desc' }
const PREPARED_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 50, 100])
const SORT_COLUMNS = { created_at: 'id', completed_at: 'completed_at', duration: DURATION_MS } as const
const SORT_KEYS = {
  created_at: null,
  completed_at: '(extract(epoch from completed_at) * 1000)::bigint',
  duration: DURATION_MS,
} as const
const KEY_CURSOR = /^(-?\d{1,12}|\d{1,15})\.(.+)$/
const ENDED: readonly JobStatus[] = ['completed', 'failed']

/** Only finished jobs appear in the other two orders. */
export type JobOrderField = 'created_at' | 'completed_at' | 'duration'

/** Equal jobs are ordered by id. */
export interface JobOrder {
  readonly field: JobOrderField
  readonly direction: 'asc' | 'desc'
}

export interface JobsInput extends PageInput {
  readonly filter?: JobsFilter | null | undefined
  readonly orderBy?: JobOrder | null | undefined
}

type Row = Job & { sort_key?: string }

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
  const statement = toStatement(owner, input, order, shape)
  const { rows } =
    owner !== null && isCounted(input.filter ?? {})
      ? await ctx.db.pool.query<Row>(statement)
      : await longRead<Row>(ctx.db, readerOf(owner), statement)
  return toConnection(rows, shape, input, {
    cursorOf: (row) => (row.sort_key === undefined ? row.id : `${row.sort_key}.${row.id}`),
    nodeOf: (row) => row,
    count: () => totalOfJobs(ctx, owner, input),
  })
}

/** Null if the order leaves the job out. */
function cursorOf({ id, createdAt, completedAt }: Job, orderBy: JobOrder | null | undefined): string | null {
  const { field } = orderBy ?? NEWEST_FIRST
  if (field === 'created_at') return id
  if (completedAt === null) return null
  const key = completedAt.getTime() - (field === 'duration' ? createdAt.getTime() : 0)
  return `${key}.${id}`
}

const onlyFinished = ({ field }: JobOrder): boolean => field !== 'created_at'

function isCursor(text: string, { field }: JobOrder): boolean {
  if (field === 'created_at') return isId('job', text)
  return isId('job', KEY_CURSOR.exec(text)?.[2] ?? '')
}

function toStatement(owner: JobsOwner, input: JobsInput, order: JobOrder, { size, backwards }: PageShape) {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const { statuses, ...filter } = input.filter ?? {}
  const conditions = [
    ...(owner === null ? ['true'] : [ofAccount(parameter(owner))]),
    ...(onlyFinished(order) ? ['completed_at is not null'] : []),
    ...cursorConditions(input, order, parameter),
    ...conditionsOf(filter, parameter),
  ]
  const source = sourceOf(owner, conditions, statuses ?? [], order, size + 1, backwards)
  const isKeyed = SORT_KEYS[order.field] !== null
  const direction = directionOf(order, backwards)
  const text = `select ${PAGE_COLUMNS}${isKeyed ? ', j.sort_key' : ''} from ${source} j
    left join api_key k on k.id = j.api_key_id order by ${isKeyed ? `j.sort_key ${direction}, ` : ''}j.id ${direction}`
  const isCommon = input.filter == null && PREPARED_SIZES.has(size)
  return { text, values, ...(isCommon && { name: statementName('jobs', text) }) }
}

const directionOf = ({ direction }: JobOrder, backwards: boolean): 'asc' | 'desc' =>
  (direction === 'desc') === backwards ? 'asc' : 'desc'

/** One read per status follows the index; a single read would sort all matching jobs. */
function sourceOf(
  owner: JobsOwner,
  conditions: readonly string[],
  statuses: readonly JobStatus[],
  order: JobOrder,
  limit: number,
  backwards: boolean,
): string {
  const direction = directionOf(order, backwards)
  const [column, key] = [SORT_COLUMNS[order.field], SORT_KEYS[order.field]]
  const columns = [...ROW_COLUMNS, ...(key === null ? [] : [`${key} as sort_key`])].join(', ')
  const first = owner === null ? '' : `${inAccount(direction)}, `
  const sorted = `order by ${first}${key === null ? '' : `${column} ${direction}, `}id ${direction} limit ${limit}`
  const read = (more: readonly string[]) =>
    `(select ${columns} from job where ${[...conditions, ...more].join(' and ')} ${sorted})`
  const parts = [...new Set(statuses)].map((status) => read([oneOf('status', [status])]))
  if (parts.length === 0) return read([])
  if (parts.length === 1) return parts.join()
  const merged = `order by ${key === null ? '' : `sort_key ${direction}, `}id ${direction} limit ${limit}`
  return `(select * from (${parts.join(' union all ')}) u ${merged})`
}

function cursorConditions(input: PageInput, order: JobOrder, parameter: (value: unknown) => string): string[] {
  const beyond = (cursor: string, later: boolean): string => {
    const sign = later === (order.direction === 'desc') ? '<' : '>'
    if (order.field === 'created_at') return `id ${sign} ${parameter(cursor)}`
    const [, number, id] = KEY_CURSOR.exec(cursor) ?? []
    const value = order.field === 'completed_at' ? parameter(new Date(Number(number))) : parameter(number)
    return `(${SORT_COLUMNS[order.field]}, id) ${sign} (${value}, ${parameter(id)})`
  }
  return [...(input.after ? [beyond(input.after, true)] : []), ...(input.before ? [beyond(input.before, false)] : [])]
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
  if (owner === null && input.orderBy != null && onlyFinished(input.orderBy)) {
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
  const total = totalOf(owner, { ...filter, statuses }, (value) => `$${values.push(value)}`)
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
