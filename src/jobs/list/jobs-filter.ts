import { escapeLiteral } from 'pg'
import type { WebhookDeliveryState } from '../../../prisma/generated/prisma/enums.ts'
import { isOperator, requireAccount, requireOperator, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../../access/scopes.ts'
import { findAccount } from '../../accounts/accounts.ts'
import type { JobType } from '../../catalog/job-kinds.ts'
import type { Context } from '../../context/context.ts'
import { patternOf } from '../../db/any-case.ts'
import { closeWindow, endsAboutNow } from '../../db/close-window.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { firstIdAt, isId } from '../../values/id.ts'
import { findUnstorable } from '../../values/json.ts'
import { DURATION_MS, type Job } from '../job-shape.ts'
import type { JobDecision, JobErrorCode, JobStatus } from '../job-states.ts'

const MAX_VALUES = 50
/** A whole page. */
const MAX_IDS = 100
const MAX_PARTS = 20
const MAX_TEXT_CHARACTERS = 200
const MAX_WORDS = 10
const NO_JOB_ID = 'must be job ids, such as job_01m1g5wq3ve1pbmx0h4dcf6a5r'
const NO_KEY_ID = 'must be a key id, such as key_01m1g5wq3ve1pbmx0h4dcf6a5r'
const LAST = '\u{10ffff}'
const COUNTED: ReadonlySet<string> = new Set(['types', 'statuses', 'decision'])
const MAX_SEARCH_CHARACTERS = 64

const RAISE = `
  insert into job_horizon as h (account_id, at) values ($1, $2)
  on conflict (account_id) do update set at = excluded.at where h.at < excluded.at or h.at > clock_timestamp()`

/** From inclusive, to exclusive. */
export interface Range<T> {
  readonly from?: T | null | undefined
  readonly to?: T | null | undefined
}

/** Fields are combined with AND, values of a list with OR; null leaves no job out. */
export interface JobsFilter {
  readonly ids?: readonly string[] | null | undefined
  readonly types?: readonly JobType[] | null | undefined
  readonly statuses?: readonly JobStatus[] | null | undefined
  readonly decision?: JobDecision | null | undefined
  readonly endpointKeys?: readonly string[] | null | undefined
  readonly apiKeyIds?: readonly string[] | null | undefined
  readonly userIds?: readonly string[] | null | undefined
  readonly voices?: readonly string[] | null | undefined
  readonly languages?: readonly string[] | null | undefined
  /** Any of a job's tags. */
  readonly tags?: readonly string[] | null | undefined
  /** One of a job's deliveries must have one of these states. */
  readonly deliveryStates?: readonly WebhookDeliveryState[] | null | undefined
  readonly errorCodes?: readonly JobErrorCode[] | null | undefined
  /** A voice job's text must contain each, in upper or lower case, also within other words. */
  readonly words?: string | null | undefined
  readonly idPrefix?: string | null | undefined
  readonly createdAt?: Range<Date> | null | undefined
  readonly completedAt?: Range<Date> | null | undefined
  /** Milliseconds from acceptance to end. */
  readonly durationMs?: Range<number> | null | undefined
  readonly and?: readonly JobsFilter[] | null | undefined
  readonly or?: readonly JobsFilter[] | null | undefined
  readonly not?: JobsFilter | null | undefined
}

/** Adds a value and returns its placeholder: `$2`. */
export type Parameter = (value: unknown) => string

/** Account id; null: all accounts. */
export type JobsOwner = string | null

/** A JobsFilter with one value per field, for REST and GraphQL. */
export interface FilterParameters {
  readonly type?: JobType | null | undefined
  readonly decision?: JobDecision | null | undefined
  readonly status?: readonly JobStatus[] | null | undefined
  readonly apiKeyId?: string | null | undefined
  readonly search?: string | null | undefined
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
}

type Windows = Pick<JobsFilter, 'createdAt' | 'completedAt' | 'and' | 'or' | 'not'>

/** @throws FORBIDDEN if the caller may not see the deliveries that it filters by, INVALID_REQUEST with the path of each violation */
export function requireFilter(ctx: Pick<Context, 'actor'>, filter: JobsFilter, path = '/filter'): void {
  if (namesIn(filter).has('deliveryStates') && !isOperator(ctx)) requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const details: Detail[] = []
  const parts = collectViolations(filter, path, details)
  if (parts > MAX_PARTS) details.push({ path, message: `must have at most ${MAX_PARTS} parts` })
  // PostgreSQL keeps 32 compiled patterns; with more it compiles each again for each row.
  if (allWords(filter).length > MAX_WORDS)
    details.push({ path: `${path}/words`, message: `must have at most ${MAX_WORDS} words in all` })
  if (details.length > 0) throw invalidRequest('Send a filter within its limits.', details)
}

function collectViolations(filter: JobsFilter, path: string, details: Detail[]): number {
  for (const [name, value] of Object.entries(filter)) {
    if (name === 'and' || name === 'or' || name === 'not' || value == null) continue
    const message =
      violationIn(value, name === 'ids' ? MAX_IDS : MAX_VALUES) ??
      idViolation(name, value) ??
      (name === 'words' ? wordsViolation(value as string) : null)
    if (message !== null) details.push({ path: `${path}/${name}`, message })
  }
  if (filter.or?.length === 0) details.push({ path: `${path}/or`, message: 'must name at least one' })
  const inner = [
    ...(filter.and ?? []).map((part, index) => [part, `and/${index}`] as const),
    ...(filter.or ?? []).map((part, index) => [part, `or/${index}`] as const),
    ...(filter.not ? [[filter.not, 'not'] as const] : []),
  ]
  return inner.reduce((sum, [part, name]) => sum + collectViolations(part, `${path}/${name}`, details), 1)
}

function violationIn(value: unknown, most: number): string | null {
  if (typeof value === 'string') return textViolation(value)
  if (Array.isArray(value)) {
    if (value.length === 0 || value.length > most) return `must name 1 to ${most}`
    return value.map(textViolation).find((message) => message !== null) ?? null
  }
  const { from, to } = value as Range<Date | number>
  return from != null && to != null && from > to ? 'must not begin after its end' : null
}

function idViolation(name: string, value: unknown): string | null {
  const isWrong = (kind: 'job' | 'key') => !(value as readonly string[]).every((id) => isId(kind, id))
  if (name === 'ids' && isWrong('job')) return NO_JOB_ID
  return name === 'apiKeyIds' && isWrong('key') ? NO_KEY_ID : null
}

const wordsViolation = (words: string): string | null =>
  wordsIn(words).length === 0 ? `must have 1 to ${MAX_WORDS} words` : null

const allWords = ({ words, ...filter }: JobsFilter): string[] => [
  ...wordsIn(words ?? ''),
  ...innerParts(filter).flatMap(allWords),
]

const wordsIn = (words: string): string[] => words.split(/\s+/u).filter((word) => word !== '')

const innerParts = ({ and, or, not }: JobsFilter): readonly JobsFilter[] => [
  ...(and ?? []),
  ...(or ?? []),
  ...(not ? [not] : []),
]

export function namesIn(filter: JobsFilter): ReadonlySet<string> {
  const { and: _and, or: _or, not: _not, ...own } = filter
  const names = Object.entries(own).flatMap(([name, value]) => (value == null ? [] : [name]))
  return new Set([...names, ...innerParts(filter).flatMap((part) => [...namesIn(part)])])
}

function textViolation(text: string): string | null {
  if ([...text].length > MAX_TEXT_CHARACTERS) return `must have at most ${MAX_TEXT_CHARACTERS} characters`
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
}

/** `matchesFilter` decides the same in memory. */
export function conditionsOf(filter: JobsFilter, parameter: Parameter): string[] {
  return [
    ...classConditions(filter),
    ...textConditions(filter, parameter),
    ...idConditions(filter, parameter),
    ...rangeConditions(filter, parameter),
    ...(filter.and ?? []).map((part) => allOf(part, parameter)),
    ...(filter.or ? [`(${filter.or.map((part) => allOf(part, parameter)).join(' or ')})`] : []),
    // A negation matches rows whose condition is null.
    ...(filter.not ? [`(${allOf(filter.not, parameter)}) is not true`] : []),
  ]
}

export const isCounted = (filter: JobsFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || COUNTED.has(name))

export const counterConditions = ({ types, statuses, decision }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  ...(decision ? [oneOf('decision', [decision])] : []),
]

/** Literals let the planner use the statistics of each value. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 1
    ? `${column} = ${escapeLiteral(values[0] ?? '')}`
    : `${column} in (${[...new Set(values)].map((value) => escapeLiteral(value)).join(', ')})`

const allOf = (filter: JobsFilter, parameter: Parameter): string =>
  `(${conditionsOf(filter, parameter).join(' and ') || 'true'})`

const classConditions = ({ types, statuses, decision, errorCodes }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  // PostgreSQL would estimate `= false` as if jobs without a verdict had one.
  ...(decision ? ['is_prohibited is not null', `is_prohibited is ${decision === 'reject'}`] : []),
  ...(errorCodes ? [oneOf('error_code', errorCodes)] : []),
]

function textConditions(filter: JobsFilter, parameter: Parameter): string[] {
  const { endpointKeys, apiKeyIds, userIds, voices, languages, tags, words, deliveryStates } = filter
  const among = (column: string, values: readonly string[]) =>
    values.length === 1 ? `${column} = ${parameter(values[0])}` : `${column} = any(${parameter(values)})`
  return [
    ...(endpointKeys ? [among('endpoint_key', endpointKeys)] : []),
    ...(apiKeyIds ? [among('api_key_id', apiKeyIds)] : []),
    ...(userIds ? [among('user_id', userIds)] : []),
    ...(voices ? [among('voice', voices)] : []),
    ...(languages ? [among('language', languages)] : []),
    ...(tags ? [`tags && ${parameter(tags)}`] : []),
    ...(words ? [`type = 'voice'`, `inputs ->> 'text' ~ all(${parameter(wordsIn(words).map(patternOf))})`] : []),
    ...(deliveryStates ? [delivered(deliveryStates)] : []),
  ]
}

/** The account lets PostgreSQL begin with the account's deliveries if few have such a state. */
const delivered = (states: readonly WebhookDeliveryState[]): string =>
  `exists (select from webhook_delivery d where d.job_id = job.id and d.account_id = job.account_id and ${oneOf('d.state', states)})`

/** `matchesFilter` needs them for `deliveryStates`. */
export const DELIVERY_STATES =
  'array(select d.state::text from webhook_delivery d where d.job_id = j.id) as "deliveryStates"'

/** Ids begin with `created_at`. */
const idConditions = ({ ids, idPrefix, createdAt }: JobsFilter, parameter: Parameter): string[] => [
  ...(ids ? [`id = any(${parameter(ids)})`] : []),
  ...(idPrefix ? [`id >= ${parameter(idPrefix)}`, `id < ${parameter(idPrefix + LAST)}`] : []),
  ...(createdAt?.from ? [`id >= ${parameter(firstIdAt('job', createdAt.from))}`] : []),
  ...(createdAt?.to ? [`id < ${parameter(firstIdAt('job', createdAt.to))}`] : []),
]

/** The conditions on ids that every match fulfils; they are among those of `conditionsOf`. */
export const idConditionsOf = (filter: JobsFilter, parameter: Parameter): string[] => [
  ...idConditions(filter, parameter),
  ...(filter.and ?? []).flatMap((part) => idConditionsOf(part, parameter)),
]

const rangeConditions = ({ completedAt, durationMs }: JobsFilter, parameter: Parameter): string[] => [
  ...(completedAt?.from ? [`completed_at >= ${parameter(completedAt.from)}`] : []),
  ...(completedAt?.to ? [`completed_at < ${parameter(completedAt.to)}`] : []),
  ...(durationMs?.from != null ? [`${DURATION_MS} >= ${parameter(durationMs.from)}`] : []),
  ...(durationMs?.to != null ? [`${DURATION_MS} < ${parameter(durationMs.to)}`] : []),
]

export const matchesFilter = (filter: JobsFilter, job: Job): boolean =>
  matchesValues(filter, job) &&
  matchesRanges(filter, job) &&
  (filter.and?.every((part) => matchesFilter(part, job)) ?? true) &&
  (filter.or?.some((part) => matchesFilter(part, job)) ?? true) &&
  !(filter.not && matchesFilter(filter.not, job))

type Verdict = boolean | null

/** Returns false if no job of this id that had ended could match. */
export const mayHaveMatched = (filter: JobsFilter, id: string): boolean => verdictOn(filter, id) !== false

/** Null if only the deleted row could tell. */
function verdictOn({ ids, idPrefix, createdAt, statuses, and, or, not, ...others }: JobsFilter, id: string): Verdict {
  const verdicts: Verdict[] = [
    ids?.includes(id) ?? true,
    id.startsWith(idPrefix ?? ''),
    !(createdAt?.from && id < firstIdAt('job', createdAt.from)),
    !(createdAt?.to && id >= firstIdAt('job', createdAt.to)),
    statuses == null || oneVerdict(ENDED.map((status) => statuses.includes(status))),
    Object.values(others).some((value) => value != null) ? null : true,
    ...(and ?? []).map((part) => verdictOn(part, id)),
    opposite(or == null ? false : allVerdict(or.map((part) => opposite(verdictOn(part, id))))),
    not == null || opposite(verdictOn(not, id)),
  ]
  return allVerdict(verdicts)
}

const ENDED: readonly JobStatus[] = ['completed', 'failed']

const opposite = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict)

const allVerdict = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(false) ? false : verdicts.includes(null) ? null : true

/** The verdict that all cases share, or null. */
const oneVerdict = (verdicts: readonly boolean[]): Verdict =>
  verdicts.every((verdict) => verdict === verdicts[0]) ? (verdicts[0] ?? null) : null

const matchesValues = (filter: JobsFilter, job: Job): boolean =>
  isAmong(filter.ids, job.id) &&
  isAmong(filter.types, job.type) &&
  isAmong(filter.statuses, job.status) &&
  (!filter.decision || job.isProhibited === (filter.decision === 'reject')) &&
  isAmong(filter.endpointKeys, job.endpointKey) &&
  isAmong(filter.apiKeyIds, job.apiKeyId) &&
  isAmong(filter.userIds, job.userId) &&
  isAmong(filter.voices, job.voice) &&
  isAmong(filter.languages, job.language) &&
  isAnyAmong(filter.tags, job.tags) &&
  isAnyAmong(filter.deliveryStates, job.deliveryStates) &&
  isAmong(filter.errorCodes, job.errorCode) &&
  (!filter.idPrefix || job.id.startsWith(filter.idPrefix))

const matchesRanges = ({ createdAt, completedAt, durationMs }: JobsFilter, job: Job): boolean =>
  isWithin(createdAt, job.createdAt) &&
  isWithin(completedAt, job.completedAt) &&
  isWithin(durationMs, job.completedAt && job.completedAt.getTime() - job.createdAt.getTime())

const isAmong = <T>(values: readonly T[] | null | undefined, value: T | null): boolean =>
  values == null || (value !== null && values.includes(value))

const isAnyAmong = <T>(values: readonly T[] | null | undefined, own: readonly T[] | null | undefined): boolean =>
  values == null || (own?.some((one) => values.includes(one)) ?? false)

function isWithin<T extends Date | number>(range: Range<T> | null | undefined, value: T | null): boolean {
  if (range == null) return true
  const { from, to } = range
  return (from == null || (value !== null && value >= from)) && (to == null || (value !== null && value < to))
}

export const ownedBy = (owner: JobsOwner, parameter: Parameter): string[] => [
  owner === null ? 'true' : `account_id = ${parameter(owner)}`,
]

export const readerOf = (owner: JobsOwner): string => owner ?? 'operator'

/**
 * The account of this id or name, or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function operatorsJobs(ctx: Context, account: string | null | undefined): Promise<JobsOwner> {
  requireOperator(ctx)
  return account == null ? null : (await findAccount(ctx, account)).id
}

export interface AskedJobs {
  readonly account?: string | null | undefined
  readonly all?: boolean | null | undefined
}

/**
 * The caller's own account; the operator may name another, or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST with both
 */
export async function askedJobs(ctx: Context, { account, all }: AskedJobs): Promise<JobsOwner> {
  if (account == null && all !== true) {
    requireScope(ctx, JOB_READ_SCOPE)
    return requireAccount(ctx).accountId
  }
  if (account != null && all === true) {
    const details = [{ path: '/all', message: 'must be false with an account' }]
    throw invalidRequest('Name an account, or ask for all.', details)
  }
  return operatorsJobs(ctx, account)
}

export function parameterViolations({ status, search, apiKeyId, from, to }: FilterParameters): Detail[] {
  const details: Detail[] = []
  if (status?.length === 0) details.push({ path: 'status', message: 'must name at least one' })
  if ([...(search ?? '')].length > MAX_SEARCH_CHARACTERS)
    details.push({ path: 'search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` })
  if (findUnstorable(search) !== null)
    details.push({ path: 'search', message: 'must not contain NUL or unpaired surrogates' })
  if (apiKeyId != null && !isId('key', apiKeyId)) details.push({ path: 'api_key_id', message: NO_KEY_ID })
  if (from && to && from > to) details.push({ path: 'from', message: 'must not be after to' })
  return details
}

/** @throws INVALID_REQUEST */
export function rejectViolations(details: readonly Detail[]): void {
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}

export const toJobsFilter = (given: FilterParameters): JobsFilter => ({
  types: given.type ? [given.type] : null,
  statuses: given.status,
  decision: given.decision,
  apiKeyIds: given.apiKeyId ? [given.apiKeyId] : null,
  idPrefix: given.search || null,
  createdAt: given.from || given.to ? { from: given.from, to: given.to } : null,
})

/**
 * Waits until the jobs of a window that ends about now are visible. Later inserts get a later id.
 * @throws UNAVAILABLE if a transaction takes too long
 */
export async function closeJobWindow(
  { db, now }: Pick<Context, 'db' | 'now'>,
  owner: JobsOwner,
  filter: Windows | null | undefined,
  gone?: AbortSignal,
): Promise<void> {
  const ends = endsOf(filter).filter((end) => endsAboutNow(new Date(end), now()))
  if (ends.length === 0) return
  const to = new Date(Math.max(...ends))
  await closeWindow({ db, now }, 'job', to, {
    gone,
    owner: owner ?? '*',
    over: async (at, pool) => void (await pool.query(RAISE, [owner ?? '*', at])),
  })
}

const endsOf = (filter: Windows | null | undefined): number[] =>
  filter == null
    ? []
    : [
        ...[filter.createdAt?.to, filter.completedAt?.to].flatMap((to) => (to ? [to.getTime()] : [])),
        ...[...(filter.and ?? []), ...(filter.or ?? []), filter.not].flatMap(endsOf),
      ]
