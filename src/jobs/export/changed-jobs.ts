import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Snapshot } from '../../db/snapshot.ts'
import { type Detail, ServiceError } from '../../errors/service-error.ts'
import { rejectViolations } from '../list/jobs-filter.ts'
import { type ExportContext, exportCsv } from './export-csv.ts'
import { copyRows, type Feed, type FeedFormat, lastLine, readCursor, writeCursor } from './feed.ts'
import { asItIs, CHANGE_COLUMNS, type Column, escapeFormula, exactTime } from './job-cells.ts'
import { CHANGED_AT, deletionsKeptFrom, settleChanges } from './settled-changes.ts'

const NAMES: ReadonlySet<string> = new Set(CHANGE_COLUMNS.map(({ name }) => name))
const EXACT_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const JOB_ID = /^\w{1,64}$/
/** A time; after a limited answer also the id of its last job, and the time of the first answer. */
const PLACE = /^[^/]+(\/[^/]+\/[^/]+)?$/
const CURSOR_OF = 'jobs'
/** Rows come from the indexes in order: to sort all jobs of an account takes the disk, and the first byte waits for it. */
const IN_ORDER = 'set local enable_sort = off'
const BYTE_ORDER_MARK = '\ufeff'

/** Columns of `job` that cells are made of, besides `changed`. */
const OWN = [
  ...['id', 'type', 'endpoint_key', 'status', 'is_prohibited', 'created_at', 'started_at', 'completed_at', 'reason'],
  ...['chat_id', 'media_url', 'media_kind', 'provider_job_id', 'gpu_execution_time_ms', 'error_code', 'api_key_id'],
  ...['cost', 'attempt', 'inputs', 'voice', 'language', 'tags'],
]

export interface ChangedJobsInput {
  /** The cursor of an earlier answer. */
  readonly since?: string | undefined
  /** Changed then or later. Unlike a cursor it may lie before the deletions that are still known. */
  readonly from?: Date | undefined
  /** Changed before. */
  readonly to?: Date | undefined
  readonly format?: FeedFormat | undefined
  readonly columns?: readonly string[] | undefined
  readonly escaping?: 'none' | 'spreadsheet' | undefined
  /** Most rows. If there are so many, more may follow the cursor. */
  readonly limit?: number | undefined
  readonly gone?: AbortSignal
}

/** The place at which an answer begins or ends. */
interface Place {
  readonly time: string
  /** Rows of this time come after this id; all of them without it. */
  readonly id?: string | undefined
  /** When the reader began: deletions from before it need not be known. */
  readonly began: string
}

/**
 * The account's jobs that changed since a cursor or in a window, each in its present state, by time of change and id. Deleted jobs too.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, UNAVAILABLE, RATE_LIMITED, GONE if deletions since the cursor are forgotten
 */
export async function changedJobs(ctx: ExportContext, input: ChangedJobsInput): Promise<Feed> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { format = 'ndjson', limit, gone } = input
  const since = input.since === undefined ? null : placeOf(input.since, accountId)
  rejectViolations(violationsOf(input, since))
  const settled = await settleChanges(ctx.db, accountId, gone)
  if (since !== null && since.time > settled) throw aheadOfService()
  const from = since ?? (input.from === undefined ? null : { time: exactly(input.from), began: settled })
  const before = input.to === undefined || exactly(input.to) > settled ? settled : exactly(input.to)
  const changes = { from, before }
  let end: Place = since !== null && since.time >= before ? since : { time: before, began: before }
  const cursor = () => writeCursor(CURSOR_OF, accountId, placeText(end))
  const exported = await exportCsv(
    ctx,
    {
      accountId,
      head: headOf(input),
      ...copyOf(accountId, changes, input),
      ...(format === 'ndjson' && { tail: (rows) => lastLine(cursor(), end.time)(rows) }),
      check: async (snapshot) => {
        await snapshot.query(IN_ORDER)
        await checkKept(snapshot, since)
        const last = limit === undefined ? undefined : await lastWithin(snapshot, accountId, changes, limit)
        if (last !== undefined) end = { ...last, began: from?.began ?? settled }
      },
    },
    gone,
  )
  return { ...exported, format, cursor: cursor(), completeBefore: end.time }
}

/** @throws GONE */
async function checkKept(snapshot: Snapshot, since: Place | null): Promise<void> {
  const keptFrom = await deletionsKeptFrom(snapshot)
  if (since === null || keptFrom === null) return
  if (since.time < keptFrom && since.began < keptFrom) throw forgotten()
}

const exactly = (date: Date): string => date.toISOString().replace('Z', '000Z')

function placeOf(cursor: string, accountId: string): Place | null {
  const place = readCursor(CURSOR_OF, accountId, cursor, PLACE)
  if (place === null) return null
  const [time = '', id, began = time] = place.split('/')
  const isKnown = exists(time) && exists(began) && (id === undefined || JOB_ID.test(id))
  return isKnown ? { time, id, began } : null
}

const placeText = ({ time, id, began }: Place): string => (id === undefined ? time : [time, id, began].join('/'))

/** JavaScript turns 30 February into 2 March, and PostgreSQL has no year 0. */
function exists(time: string): boolean {
  if (!EXACT_TIME.test(time)) return false
  const [date, milliseconds] = [new Date(time), time.slice(0, -'000Z'.length)]
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${milliseconds}Z` && date.getUTCFullYear() > 0
}

function violationsOf(input: ChangedJobsInput, since: Place | null): Detail[] {
  const { from, to, format = 'ndjson', columns, escaping = 'none' } = input
  const details: Detail[] = []
  if (input.since !== undefined && since === null)
    details.push({ path: 'since', message: 'must be a cursor that this account was given' })
  if (input.since !== undefined && from !== undefined)
    details.push({ path: 'since', message: 'must not come together with changed_from' })
  if (from && to && from > to) details.push({ path: 'changed_from', message: 'must not be after changed_to' })
  if (format === 'ndjson' && escaping !== 'none')
    details.push({ path: 'escape', message: 'must be none for ndjson, which no spreadsheet reads' })
  const unknown = columns?.find((name) => !NAMES.has(name))
  if (unknown !== undefined) details.push({ path: 'columns', message: `has no column ${JSON.stringify(unknown)}` })
  if (columns !== undefined && new Set(columns).size < columns.length)
    details.push({ path: 'columns', message: 'must name each column once' })
  return details
}

const aheadOfService = () =>
  new ServiceError('INVALID_REQUEST', 'Load all jobs anew, without since: the service lacks what this cursor has seen.')

const forgotten = () =>
  new ServiceError('GONE', 'Load all jobs anew, without since: deletions since this cursor are no longer known.')

function headOf({ format, escaping, columns }: ChangedJobsInput): string {
  if (format !== 'csv') return ''
  const mark = escaping === 'spreadsheet' ? BYTE_ORDER_MARK : ''
  return `${mark}${chosen(columns)
    .map(({ name }) => name)
    .join(',')}\r\n`
}

const chosen = (names: readonly string[] | undefined): readonly Column[] =>
  names === undefined ? CHANGE_COLUMNS : names.flatMap((name) => CHANGE_COLUMNS.filter((one) => one.name === name))

interface Changes {
  readonly from: Place | null
  readonly before: string
}

/** The place of the last row that the limit leaves; none if there are fewer. */
async function lastWithin(snapshot: Snapshot, accountId: string, changes: Changes, limit: number) {
  const [row] = await snapshot.query<{ time: string; id: string }>(`
    select ${exactTime('j.changed')} as time, j.id from (${changesOf()}) j
    where ${conditionsOf(accountId, changes).join(' and ')} order by j.changed, j.id offset ${limit - 1} limit 1`)
  return row
}

/** COPY takes no parameters. */
function copyOf(
  accountId: string,
  changes: Changes,
  { format = 'ndjson', columns, escaping, limit }: ChangedJobsInput,
) {
  const escaped = escaping === 'spreadsheet' ? escapeFormula : asItIs
  const all = chosen(columns)
  const cells = all.map((column) => (format === 'csv' ? column.csv(escaped) : column.json()))
  const rows = `
    select ${cells.join(', ')} from (${changesOf()}) j
      cross join lateral (select ${keyNames(accountId)} ->> j.api_key_id as name) k
      left join artifact a on a.job_id = j.id and a.output = 'audio' and j.type = 'voice'
    where ${conditionsOf(accountId, changes).join(' and ')} order by j.changed, j.id limit ${limit ?? 'all'}`
  return copyRows(format, rows, all)
}

/** PostgreSQL reads both parts in the order of their indexes if they have no conditions of their own. */
function changesOf(): string {
  const none = OWN.filter((name) => name !== 'id').map((name) => `(null::job).${name}`)
  return `
    select account_id, ${OWN.join(', ')}, ${CHANGED_AT} as changed, null::timestamptz as deleted_at from job
    union all
    select account_id, job_id, ${none.join(', ')}, deleted_at, deleted_at from deleted_job`
}

/** Looked up once: a join that keeps the order would look up each row's key. */
const keyNames = (accountId: string): string =>
  `(select jsonb_object_agg(id, name) from api_key where account_id = ${escapeLiteral(accountId)})`

const conditionsOf = (accountId: string, { from, before }: Changes): string[] => [
  `j.account_id = ${escapeLiteral(accountId)}`,
  ...(from === null ? [] : [`j.changed >= ${escapeLiteral(from.time)}`]),
  ...(from?.id === undefined ? [] : [`(j.changed > ${escapeLiteral(from.time)} or j.id > ${escapeLiteral(from.id)})`]),
  `j.changed < ${escapeLiteral(before)}`,
]
