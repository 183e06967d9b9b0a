import type { Readable } from 'node:stream'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { type CheckedOut, checkOut } from '../../db/cancellable-client.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { filterViolations, rejectViolations } from '../list/job-filter.ts'
import { CopyCsv } from './copy-csv.ts'
import { CSV_HEAD, copyWithin, exceedsWithin, type Window } from './csv-select.ts'
import type { ExportPass, ExportQueue } from './export-queue.ts'
import type { Spill } from './spill.ts'

/** The longest window of one export, and the most jobs in it. */
const MAX_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000

/** What exports need: one at a time for each account, and room for slow readers. */
export interface ExportContext extends Context {
  readonly exportQueue: ExportQueue
  readonly spill: Spill
}

export interface JobExport {
  /** How many jobs have been read so far. */
  rowsRead(): number
  /** The whole file. It fails rather than ends when it is not complete; destroying it frees everything at once. */
  readonly csv: Readable
}

export interface ExportInput extends Window {
  /** Aborted when the caller has disconnected: what the database does for it then ends at once. */
  readonly gone?: AbortSignal
}

/**
 * The account's jobs of a window of time as CSV. Limit and rows come from one snapshot, and are read at the database's
 * speed: how slowly the file is taken does not matter to it.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (more than 366 days, or 500,000 jobs), RATE_LIMITED, UNAVAILABLE
 */
export async function exportJobs(ctx: ExportContext, { gone, ...window }: ExportInput): Promise<JobExport> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectViolations(filterViolations(window))
  if (window.to.getTime() - window.from.getTime() > MAX_WINDOW_MS) throw tooLong()
  const pass = await ctx.exportQueue.enter(accountId, gone)
  try {
    const checkedOut = await checkOut(ctx.db, () => gone?.aborted === true)
    await openSnapshot(checkedOut, accountId, window)
    return stream(ctx, checkedOut, pass, accountId, window, gone)
  } catch (error) {
    pass.leave()
    throw gone?.aborted ? gone.reason : error
  }
}

const tooLong = () =>
  invalidRequest('Export at most 366 days at a time.', [{ path: 'to', message: 'is more than 366 days after from' }])

/** @throws INVALID_REQUEST where the window holds too many jobs, in the snapshot that stays open for the export itself */
async function openSnapshot(
  { client, release, terminate }: CheckedOut,
  accountId: string,
  window: Window,
): Promise<void> {
  let exceeds: boolean | undefined
  try {
    // Workers would be taken from the queue; and on few cores they make counting slower.
    await client.query('begin isolation level repeatable read read only; set local max_parallel_workers_per_gather = 0')
    const { rows } = await client.query<{ exceeds: boolean }>(exceedsWithin(accountId, window, MAX_JOBS))
    exceeds = rows[0]?.exceeds
    if (exceeds !== false) await client.query('rollback')
  } catch (error) {
    await terminate(error as Error)
    throw error
  }
  if (exceeds === false) return
  await release()
  throw tooMany()
}

const tooMany = () =>
  invalidRequest('Export a shorter window: this one holds more than 500,000 jobs.', [
    { path: 'from', message: `holds more than ${MAX_JOBS} jobs` },
  ])

function stream(
  ctx: ExportContext,
  { client, release, terminate }: CheckedOut,
  pass: ExportPass,
  accountId: string,
  window: Window,
  gone: AbortSignal | undefined,
): JobExport {
  const rows = new CopyCsv({
    sql: copyWithin(accountId, window),
    head: CSV_HEAD,
    // Nothing more is read from the snapshot: it is released before the file ends.
    finish: () => client.query('commit'),
    onEnd: (error) => {
      pass.doneReading()
      // In the middle of a COPY a connection is good for nothing else.
      void (error === undefined ? release() : terminate(error))
    },
  })
  client.query(rows)
  const csv = ctx.spill.through(rows, accountId)
  csv.once('close', () => pass.leave())
  csv.once('error', (error) => {
    if (!gone?.aborted) ctx.log.warn({ err: error.message }, 'an export broke off')
  })
  return { rowsRead: () => rows.rows, csv }
}
