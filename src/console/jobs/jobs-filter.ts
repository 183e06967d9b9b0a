import {
  type JobErrorCode,
  type JobOrder,
  type JobStatus,
  type JobsFilter,
  type JobType,
  jobErrorCodes,
  jobTypes,
  type TimeRange,
} from '../operations.ts'
import { rangeOf } from '../windows/time-window.ts'
import { isQueued } from './may-retry.ts'

type Query = Readonly<Record<string, string | undefined>>

export const STATUSES: readonly JobStatus[] = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']
/** Jobs that wait for a worker come first. */
export const TYPES: readonly JobType[] = [
  ...jobTypes.filter((type) => isQueued({ type })).reverse(),
  ...jobTypes.filter((type) => !isQueued({ type })),
]
export const ERRORS: readonly JobErrorCode[] = jobErrorCodes
/** Why jobs fail by themselves: what a user has cancelled is no failure to look into. */
export const FAULTS: readonly JobErrorCode[] = ERRORS.filter((code) => code !== 'JOB_CANCELLED')
const SORTS: Readonly<Record<string, JobOrder>> = {
  oldest: { field: 'CREATED_AT', direction: 'ASC' },
  longest: { field: 'DURATION', direction: 'DESC' },
  shortest: { field: 'DURATION', direction: 'ASC' },
  ended: { field: 'COMPLETED_AT', direction: 'DESC' },
}
const ID_PREFIX = /^[a-z0-9_]{1,64}$/i

/** Every parameter of the jobs list's address that filters. */
export const FILTERS = [
  'status',
  'type',
  'endpoint',
  'key',
  'error',
  'window',
  'from',
  'to',
  'search',
  'tag',
  'user',
  'words',
] as const

/**
 * The filter of an address. A value that fits no more, as from an old link, is left out and named in `dropped`.
 */
export function filterOf(query: Query, now: number): { filter: JobsFilter; dropped: readonly string[] } {
  const dropped: string[] = []
  const known = <Value extends string>(name: string, values: readonly Value[]): Value[] | undefined => {
    const given = listOf(query[name])
    const fitting = values.filter((value) => given.includes(value.toLowerCase()))
    if (given.length > fitting.length) dropped.push(name)
    return fitting.length === 0 ? undefined : fitting
  }
  const text = (name: string, pattern: RegExp): string[] | undefined => {
    const given = listOf(query[name])
    const fitting = given.filter((value) => pattern.test(value))
    if (given.length > fitting.length) dropped.push(name)
    return fitting.length === 0 ? undefined : fitting
  }
  const createdAt = rangeOf(query.window, now) ?? endsOf(query)
  if (query.window && rangeOf(query.window, now) === null) dropped.push('window')
  dropped.push(...wrongEnds(query))
  if (query.sort && orderOf(query) === undefined) dropped.push('sort')
  const parts = {
    statuses: known('status', STATUSES),
    types: known('type', TYPES),
    errorCodes: known('error', ERRORS),
    endpointKeys: text('endpoint', /^[a-z_]+\.[\w./-]{1,100}$/i),
    apiKeyIds: text('key', /^key_[a-z0-9]{26}$/),
    userIds: text('user', /^user_[a-z0-9]{26}$/),
    idPrefix: text('search', ID_PREFIX)?.[0],
    tags: query.tag ? [query.tag] : undefined,
    words: query.words?.trim() || undefined,
    createdAt,
  }
  const filter = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as JobsFilter
  return { filter, dropped }
}

/** The filter as parameters of the export. The export takes the time as `from` and `to`, so it is left out here. */
export function exportQuery(filter: JobsFilter): Readonly<Record<string, string>> {
  const { statuses, types, errorCodes, endpointKeys, apiKeyIds, userIds, idPrefix, tags, words } = filter
  const parts = {
    status: statuses,
    type: types,
    error: errorCodes,
    endpoint: endpointKeys,
    key: apiKeyIds,
    user: userIds,
  }
  const lists = Object.entries(parts).flatMap(([name, values]) =>
    values ? [[name, values.join(',').toLowerCase()]] : [],
  )
  const texts = { search: idPrefix, tag: tags?.[0], words }
  return { ...Object.fromEntries(lists), ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value)) }
}

/** A time of an address as the service takes it; undefined where it is none. */
export function timeOf(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The window that an address gives by its ends, or by one of them. */
export function endsOf(query: Query): TimeRange | undefined {
  const [from, to] = [timeOf(query.from), timeOf(query.to)]
  return from || to ? { ...(from && { from }), ...(to && { to }) } : undefined
}

/** The ends of an address that are no times. */
export const wrongEnds = (query: Query): string[] =>
  (['from', 'to'] as const).filter((name) => query[name] && !timeOf(query[name]))

/** The order of an address; newest first unless it says another. */
export const orderOf = ({ sort = '' }: Query): JobOrder | undefined =>
  Object.hasOwn(SORTS, sort) ? SORTS[sort] : undefined

export const isFiltered = (query: Query): boolean => FILTERS.some((name) => query[name])

/** Comma lists; lower case, as addresses are written by hand. */
const listOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
