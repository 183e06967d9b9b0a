import type { Readable } from 'node:stream'
import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import type { CopiedRows } from '../../db/copy-rows.ts'
import { Snapshot } from '../../db/snapshot.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { parameterViolations, rejectViolations } from '../list/filter-parameters.ts'
import { CSV_HEAD, copyWithin, exceedsWithin, type Window } from './csv-select.ts'
import type { ExportQueue, ExportTicket } from './export-queue.ts'
import type { Spill } from './spill.ts'

/** The longest window of one export, and the most jobs in it. */
const MAX_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000

/** What exports need: a queue in which few read at a time, and space for what slow readers do not take yet. */
export interface ExportContext extends Context {
  readonly exportQueue: ExportQueue
  readonly spill: Spill
}

/** An export under way. */
export interface JobExport {
  /** How many jobs have been read so far. */
  rowsRead(): number
  /** The whole file. It fails rather than ends when it is not complete; destroying it frees everything at once. */
  readonly csv: Readable
}

/** The window of time whose jobs are exported. */
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
  rejectViolations(parameterViolations(window))
  if (window.to.getTime() - window.from.getTime() > MAX_WINDOW_MS) throw tooLong()
  const ticket = await ctx.exportQueue.enter(accountId, gone)
  try {
    const snapshot = await Snapshot.open(ctx.db.direct)
    gone?.addEventListener('abort', () => snapshot.close())
    await rejectExceeding(snapshot, accountId, window, gone)
    return stream(ctx, snapshot, ticket, accountId, window, gone)
  } catch (error) {
    ticket.release()
    throw gone?.aborted ? gone.reason : error
  }
}

const tooLong = () =>
  invalidRequest('Export at most 366 days at a time.', [{ path: 'to', message: 'is more than 366 days after from' }])

/** Closes the snapshot where it throws. @throws INVALID_REQUEST where it holds too many jobs, the signal's reason */
async function rejectExceeding(
  snapshot: Snapshot,
  accountId: string,
  window: Window,
  gone: AbortSignal | undefined,
): Promise<void> {
  try {
    gone?.throwIfAborted()
    const [counted] = await snapshot.query<{ exceeds: boolean }>(exceedsWithin(accountId, window, MAX_JOBS))
    if (counted?.exceeds !== false) throw tooMany()
  } catch (error) {
    snapshot.close()
    throw error
  }
}

const tooMany = () =>
  invalidRequest('Export a shorter window: this one holds more than 500,000 jobs.', [
    { path: 'from', message: `holds more than ${MAX_JOBS} jobs` },
  ])

function stream(
  ctx: ExportContext,
  snapshot: Snapshot,
  ticket: ExportTicket,
  accountId: string,
  window: Window,
  gone: AbortSignal | undefined,
): JobExport {
  let copy: CopiedRows | undefined
  const startCopying = () => {
    copy = snapshot.copy(copyWithin(accountId, window), '\r\n')
    return copy
  }
  const endReading = () => {
    snapshot.close()
    ticket.doneReading()
  }
  const rowsRead = (): number => copy?.rows ?? 0
  const csv = ctx.spill.through({ chunks: readCsv(snapshot, startCopying, endReading), destroy: endReading }, accountId)
  csv.once('close', () => {
    ticket.release()
    const outcome = csv.readableEnded ? 'completed' : gone?.aborted || csv.errored === null ? 'abandoned' : 'broken'
    ctx.telemetry.count('exports_total', { outcome })
    ctx.telemetry.count('export_rows_total', {}, rowsRead())
  })
  csv.once('error', (error: NodeJS.ErrnoException) => {
    // A reader that has read enough, as `head` does, has broken nothing.
    if (!gone?.aborted && error.code !== 'EPIPE') ctx.log.warn({ err: error.message }, 'an export broke off')
  })
  return { rowsRead, csv }
}

/** Ends only where PostgreSQL has said that it sent as many rows as came, and has ended the snapshot: what ends well is complete. */
async function* readCsv(
  snapshot: Snapshot,
  startCopying: () => CopiedRows,
  onEnd: () => void,
): AsyncGenerator<Buffer, undefined> {
  try {
    yield Buffer.from(CSV_HEAD)
    // Not before: a client that asks for the head alone has disconnected by now.
    const copy = startCopying()
    for await (const chunk of copy) yield chunk
    await snapshot.commit()
    if (copy.rowCount !== copy.rows) throw new Error(`an export of ${copy.rowCount} rows ended after ${copy.rows}`)
  } finally {
    onEnd()
  }
}
