import type { Readable } from 'node:stream'
import type { Context } from '../../context/context.ts'
import { Snapshot } from '../../db/snapshot.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { CsvLines } from './csv-lines.ts'
import type { ExportQueue, ExportTicket } from './export-queue.ts'
import type { Spill } from './spill.ts'

/** What exports need: a queue in which few read at a time, and space for what slow readers do not take yet. */
export interface ExportContext extends Context, MeasuredParts {
  readonly exportQueue: ExportQueue
  readonly spill: Spill
}

/** An export under way. */
export interface CsvExport {
  /** How many rows have been read so far. */
  rowsRead(): number
  /** The whole file. It fails rather than ends when it is not complete; destroying it frees everything at once. */
  readonly csv: Readable
}

/** What is exported, and for which account. */
interface CsvSource {
  readonly accountId: string
  /** The names of the columns, with their line's end. */
  readonly head: string
  /** A COPY of the rows without a head. */
  readonly copy: string
  /** Looks into the snapshot that the rows are going to be read from; what it throws is the export's. */
  readonly check?: (snapshot: Snapshot) => Promise<void>
}

/**
 * Rows as CSV, read at the database's speed from one snapshot: how slowly the file is taken does not matter to it. `gone` is aborted when
 * the caller has disconnected: what the database does for it then ends at once.
 * @throws RATE_LIMITED, UNAVAILABLE, what the check throws
 */
export async function exportCsv(ctx: ExportContext, source: CsvSource, gone?: AbortSignal): Promise<CsvExport> {
  const ticket = await ctx.exportQueue.enter(source.accountId, gone)
  try {
    const snapshot = await Snapshot.open(ctx.db)
    gone?.addEventListener('abort', () => snapshot.close())
    await check(snapshot, source, gone)
    return stream(ctx, snapshot, ticket, source, gone)
  } catch (error) {
    ticket.release()
    throw gone?.aborted ? gone.reason : error
  }
}

/** Closes the snapshot where it throws. */
async function check(snapshot: Snapshot, source: CsvSource, gone: AbortSignal | undefined): Promise<void> {
  try {
    gone?.throwIfAborted()
    await source.check?.(snapshot)
  } catch (error) {
    snapshot.close()
    throw error
  }
}

function stream(
  ctx: ExportContext,
  snapshot: Snapshot,
  ticket: ExportTicket,
  { accountId, head, copy: statement }: CsvSource,
  gone: AbortSignal | undefined,
): CsvExport {
  const lines = new CsvLines()
  const endReading = () => {
    snapshot.close()
    ticket.doneReading()
  }
  const rowsRead = (): number => lines.rows
  const chunks = readCsv(snapshot, { head, statement, lines }, endReading)
  const csv = ctx.spill.through({ chunks, destroy: endReading }, accountId)
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
  { head, statement, lines }: { readonly head: string; readonly statement: string; readonly lines: CsvLines },
  onEnd: () => void,
): AsyncGenerator<Buffer, undefined> {
  try {
    yield Buffer.from(head)
    // Not before: a client that asks for the head alone has disconnected by now.
    const copy = snapshot.copy(statement)
    for await (const bytes of copy) yield lines.convert(bytes)
    await snapshot.commit()
    if (copy.rowCount !== lines.rows) throw new Error(`an export of ${copy.rowCount} rows ended after ${lines.rows}`)
  } finally {
    onEnd()
  }
}
