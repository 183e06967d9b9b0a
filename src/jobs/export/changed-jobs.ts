import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { type Detail, ServiceError } from '../../errors/service-error.ts'
import { rejectViolations } from '../list/jobs-filter.ts'
import { type ExportContext, exportCsv } from './export-csv.ts'
import { copyRows, type Feed, type FeedFormat, lastLine, readCursor, writeCursor } from './feed.ts'
import { asItIs, CHANGE_COLUMNS, type Column, escapeFormula } from './job-cells.ts'
import { CHANGED_AT, deletionsKeptFrom, settleChanges } from './settled-changes.ts'

const NAMES: ReadonlySet<string> = new Set(CHANGE_COLUMNS.map(({ name }) => name))
const EXACT_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
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
  readonly gone?: AbortSignal
}

/**
 * The account's jobs that changed since a cursor or in a window, each in its present state, by time of change and id. Deleted jobs too.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, UNAVAILABLE, RATE_LIMITED, GONE if deletions since the cursor are forgotten
 */
export async function changedJobs(ctx: ExportContext, input: ChangedJobsInput): Promise<Feed> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { format = 'ndjson', gone } = input
  const since = input.since === undefined ? null : placeOf(input.since, accountId)
  rejectViolations(violationsOf(input, since))
  const settled = await settleChanges(ctx.db, accountId, gone)
  if (since !== null && since > settled) throw aheadOfService()
  const from = since ?? (input.from === undefined ? null : exactly(input.from))
  const before = input.to === undefined || exactly(input.to) > settled ? settled : exactly(input.to)
  const cursor = writeCursor(CURSOR_OF, accountId, before)
  const exported = await exportCsv(
    ctx,
    {
      accountId,
      head: headOf(input),
      ...copyOf(accountId, { from, before }, input),
      ...(format === 'ndjson' && { tail: lastLine(cursor, before) }),
      check: async (snapshot) => {
        await snapshot.query(IN_ORDER)
        const keptFrom = await deletionsKeptFrom(snapshot)
        if (since !== null && keptFrom !== null && since < keptFrom) throw forgotten()
      },
    },
    gone,
  )
  return { ...exported, format, cursor, completeBefore: before }
}

const exactly = (date: Date): string => date.toISOString().replace('Z', '000Z')

function placeOf(cursor: string, accountId: string): string | null {
  const before = readCursor(CURSOR_OF, accountId, cursor, EXACT_TIME)
  return before === null || !exists(before) ? null : before
}

/** JavaScript turns 30 February into 2 March, and PostgreSQL has no year 0. */
function exists(time: string): boolean {
  const [date, milliseconds] = [new Date(time), time.slice(0, -'000Z'.length)]
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${milliseconds}Z` && date.getUTCFullYear() > 0
}

function violationsOf(input: ChangedJobsInput, since: string | null): Detail[] {
  const { from, to, format = 'ndjson', columns, escaping = 'none' } = input
  const details: Detail[] = []
  if (input.since !== undefined && since === null)
    details.push({ path: 'since', message: 'must be a cursor that this account was given' })
  if (input.since !== undefined && (from ?? to) !== undefined)
    details.push({ path: 'since', message: 'must not come together with changed_from or changed_to' })
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
  readonly from: string | null
  readonly before: string
}

/** COPY takes no parameters. */
function copyOf(accountId: string, changes: Changes, { format = 'ndjson', columns, escaping }: ChangedJobsInput) {
  const escaped = escaping === 'spreadsheet' ? escapeFormula : asItIs
  const all = chosen(columns)
  const cells = all.map((column) => (format === 'csv' ? column.csv(escaped) : column.json()))
  const rows = `
    select ${cells.join(', ')} from (${changesOf()}) j
      cross join lateral (select ${keyNames(accountId)} ->> j.api_key_id as name) k
      left join artifact a on a.job_id = j.id and a.output = 'audio' and j.type = 'voice'
    where ${conditionsOf(accountId, changes).join(' and ')} order by j.changed, j.id`
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
  ...(from === null ? [] : [`j.changed >= ${escapeLiteral(from)}`]),
  `j.changed < ${escapeLiteral(before)}`,
]
