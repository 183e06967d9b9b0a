import { escapeLiteral } from 'pg'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { type Detail, ServiceError } from '../../errors/service-error.ts'
import { rejectViolations } from '../list/jobs-filter.ts'
import { type CsvExport, CsvLines, type ExportContext, exportCsv, JsonLines } from './export-csv.ts'
import { asItIs, CHANGE_COLUMNS, type Column, escapeFormula } from './job-cells.ts'
import { CHANGED_AT, deletionsKeptFrom, settleChanges } from './settled-changes.ts'

const NAMES: ReadonlySet<string> = new Set(CHANGE_COLUMNS.map(({ name }) => name))
const EXACT_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const CURSOR_OF = 'jobs'
/** Characters that JSON escapes, so that PostgreSQL quotes nothing. */
const AS_LINES = `format csv, quote E'\\x01', delimiter E'\\x02', encoding 'UTF8'`
const AS_CSV = `format csv, encoding 'UTF8'`
const BYTE_ORDER_MARK = '\ufeff'

/** Columns of `job` that cells are made of, besides `changed`. */
const OWN = [
  ...['id', 'type', 'endpoint_key', 'status', 'is_prohibited', 'created_at', 'started_at', 'completed_at', 'reason'],
  ...['chat_id', 'media_url', 'media_kind', 'provider_job_id', 'gpu_execution_time_ms', 'error_code', 'api_key_id'],
  ...['cost', 'attempt', 'inputs', 'voice', 'language', 'tags'],
]

type ChangeFormat = 'ndjson' | 'csv'

export interface ChangedJobsInput {
  /** The cursor of an earlier answer. */
  readonly since?: string | undefined
  /** Changed then or later. */
  readonly from?: Date | undefined
  /** Changed before. */
  readonly to?: Date | undefined
  readonly format?: ChangeFormat | undefined
  readonly columns?: readonly string[] | undefined
  readonly escaping?: 'none' | 'spreadsheet' | undefined
  readonly gone?: AbortSignal
}

export interface ChangedJobs extends CsvExport {
  readonly format: ChangeFormat
  readonly cursor: string
  /** All changes before it are in this answer or came before its beginning; RFC 3339 in microseconds. */
  readonly completeBefore: string
}

/**
 * The account's jobs that changed since a cursor or in a window, each in its present state, by time of change and id. Deleted jobs too.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, UNAVAILABLE, RATE_LIMITED, GONE if deletions since the cursor are forgotten
 */
export async function changedJobs(ctx: ExportContext, input: ChangedJobsInput): Promise<ChangedJobs> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { format = 'ndjson', gone } = input
  const since = input.since === undefined ? null : readCursor(input.since, accountId)
  rejectViolations(violationsOf(input, since))
  const settled = await settleChanges(ctx.db, accountId, gone)
  if (since !== null && since > settled) throw aheadOfService()
  const from = since ?? (input.from === undefined ? null : exactly(input.from))
  const before = input.to === undefined || exactly(input.to) > settled ? settled : exactly(input.to)
  const cursor = writeCursor(before, accountId)
  const end = (rows: number) => `${JSON.stringify({ cursor, rows, complete_before: before })}\n`
  const exported = await exportCsv(
    ctx,
    {
      accountId,
      ...bodyOf(input, copyOf(accountId, { from, before }, input)),
      ...(format === 'ndjson' && { tail: end }),
      check: async (snapshot) => {
        const keptFrom = await deletionsKeptFrom(snapshot)
        if (since !== null && keptFrom !== null && since < keptFrom) throw forgotten()
      },
    },
    gone,
  )
  return { ...exported, format, cursor, completeBefore: before }
}

const exactly = (date: Date): string => date.toISOString().replace('Z', '000Z')

const writeCursor = (before: string, accountId: string): string =>
  Buffer.from(`${CURSOR_OF} ${accountId} ${before}`).toString('base64url')

function readCursor(cursor: string, accountId: string): string | null {
  const [of, owner, before = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const isOwn = of === CURSOR_OF && owner === accountId && rest.length === 0 && EXACT_TIME.test(before)
  return isOwn && writeCursor(before, accountId) === cursor && !Number.isNaN(Date.parse(before)) ? before : null
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

function bodyOf({ format, escaping, columns }: ChangedJobsInput, copy: string) {
  if (format !== 'csv') return { head: '', copy, lines: new JsonLines() }
  const names = chosen(columns).map(({ name }) => name)
  const mark = escaping === 'spreadsheet' ? BYTE_ORDER_MARK : ''
  return { head: `${mark}${names.join(',')}\r\n`, copy, lines: new CsvLines() }
}

const chosen = (names: readonly string[] | undefined): readonly Column[] =>
  names === undefined ? CHANGE_COLUMNS : names.flatMap((name) => CHANGE_COLUMNS.filter((one) => one.name === name))

interface Changes {
  readonly from: string | null
  readonly before: string
}

/** COPY takes no parameters. */
function copyOf(accountId: string, changes: Changes, { format, columns, escaping }: ChangedJobsInput): string {
  const cells = chosen(columns).map((column) => {
    if (format !== 'csv') return `${column.json()} as ${column.name}`
    return column.csv(escaping === 'spreadsheet' ? escapeFormula : asItIs)
  })
  const rows = `
    select ${cells.join(', ')} from (${changesOf(accountId, changes)}) j
      left join api_key k on k.id = j.api_key_id left join artifact a on a.job_id = j.id and a.output = 'audio'
    order by j.changed, j.id`
  if (format === 'csv') return `copy (${rows}) to stdout with (${AS_CSV})`
  return `copy (select row_to_json(r) from (${rows}) r) to stdout with (${AS_LINES})`
}

/** The order of both parts is that of an index. */
function changesOf(accountId: string, { from, before }: Changes): string {
  const within = (time: string): string =>
    [
      `account_id = ${escapeLiteral(accountId)}`,
      ...(from === null ? [] : [`${time} >= ${escapeLiteral(from)}`]),
      `${time} < ${escapeLiteral(before)}`,
    ].join(' and ')
  const none = OWN.filter((name) => name !== 'id').map((name) => `(null::job).${name}`)
  return `
    select ${OWN.join(', ')}, ${CHANGED_AT} as changed, null::timestamptz as deleted_at from job where ${within(CHANGED_AT)}
    union all
    select job_id, ${none.join(', ')}, deleted_at, deleted_at from deleted_job where ${within('deleted_at')}`
}
