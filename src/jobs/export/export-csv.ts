import type { Readable } from 'node:stream'
import type { Context } from '../../context/context.ts'
import { isStandbysFailure, readAgain } from '../../db/connections/standby.ts'
import { Snapshot } from '../../db/snapshot.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { ExportQueue, ExportTicket } from './export-queue.ts'
import type { Spill } from './spill.ts'

const [CELL_END, LF, QUOTE] = [0x02, 0x0a, 0x22]
const IN_UTC = `set local timezone = 'UTC'`
const CRLF = Buffer.from('\r\n')

export interface ExportContext extends Context, MeasuredParts {
  readonly exportQueue: ExportQueue
  readonly spill: Spill
}

export interface CsvExport {
  rowsRead(): number
  /** The stream fails if it is incomplete; destroying it frees all resources. */
  readonly csv: Readable
}

interface CsvSource {
  readonly accountId: string
  readonly head: string
  readonly copy: string
  readonly check?: (snapshot: Snapshot) => Promise<void>
  /** How the bytes of PostgreSQL become lines; CSV without it. */
  readonly lines?: Lines
  /** What follows the rows of a complete stream. */
  readonly tail?: (rows: number) => string
}

interface Lines {
  readonly rows: number
  convert(bytes: Buffer): Buffer
}

/**
 * Exports rows as CSV from one snapshot, at the database's speed.
 * @param gone aborts when the client disconnects
 * @throws RATE_LIMITED, UNAVAILABLE, or the error of `check`
 */
export async function exportCsv(ctx: ExportContext, source: CsvSource, gone?: AbortSignal): Promise<CsvExport> {
  const ticket = await ctx.exportQueue.enter(source.accountId, gone)
  try {
    const snapshot = await readAgain(() => openSnapshot(ctx, source, gone))
    return stream(ctx, snapshot, ticket, source, gone)
  } catch (error) {
    ticket.release()
    throw gone?.aborted ? gone.reason : error
  }
}

async function openSnapshot({ db }: ExportContext, source: CsvSource, gone: AbortSignal | undefined) {
  const snapshot = await Snapshot.open(db)
  gone?.addEventListener('abort', () => snapshot.close())
  try {
    gone?.throwIfAborted()
    await snapshot.query(IN_UTC)
    await source.check?.(snapshot)
    return snapshot
  } catch (error) {
    snapshot.close()
    throw error
  }
}

function stream(
  ctx: ExportContext,
  first: Snapshot,
  ticket: ExportTicket,
  source: CsvSource,
  gone: AbortSignal | undefined,
): CsvExport {
  const { accountId, lines = new CsvLines() } = source
  let snapshot = first
  const endReading = () => {
    snapshot.close()
    ticket.doneReading()
  }
  const openAgain = async () => {
    snapshot.close()
    snapshot = await openSnapshot(ctx, source, gone)
    return snapshot
  }
  const rowsRead = (): number => lines.rows
  const chunks = readCsv({ first, openAgain, onEnd: endReading }, { ...source, lines })
  const csv = ctx.spill.through({ chunks, destroy: endReading }, accountId)
  csv.once('close', () => {
    ticket.release()
    const outcome = csv.readableEnded ? 'completed' : gone?.aborted || csv.errored === null ? 'abandoned' : 'broken'
    ctx.telemetry.count('exports_total', { outcome })
    ctx.telemetry.count('export_rows_total', {}, rowsRead())
  })
  csv.once('error', (error: NodeJS.ErrnoException) => {
    // A client that closes early, like `head`, has read enough.
    if (!gone?.aborted && error.code !== 'EPIPE') ctx.log.warn({ err: error.message }, 'an export broke off')
  })
  return { rowsRead, csv }
}

interface Snapshots {
  readonly first: Snapshot
  openAgain(): Promise<Snapshot>
  onEnd(): void
}

/** Ends only if PostgreSQL confirmed the row count and committed. */
async function* readCsv(
  { first, openAgain, onEnd }: Snapshots,
  { head, copy: statement, lines, tail }: CsvSource & { readonly lines: Lines },
): AsyncGenerator<Buffer, undefined> {
  try {
    if (head !== '') yield Buffer.from(head)
    // A client that wants only the header has disconnected by now.
    for (let snapshot: Snapshot | null = first; snapshot !== null; ) {
      try {
        yield* readRows(snapshot, statement, lines)
        snapshot = null
      } catch (error) {
        if (lines.rows > 0 || !isStandbysFailure(error)) throw error
        snapshot = await openAgain()
      }
    }
    if (tail !== undefined) yield Buffer.from(tail(lines.rows))
  } finally {
    onEnd()
  }
}

async function* readRows(snapshot: Snapshot, statement: string, lines: Lines): AsyncGenerator<Buffer, void> {
  const copy = snapshot.copy(statement)
  for await (const bytes of copy) yield lines.convert(bytes)
  await snapshot.commit()
  if (copy.rowCount !== lines.rows) throw new Error(`an export of ${copy.rowCount} rows ended after ${lines.rows}`)
}

/** Counts the rows of PostgreSQL's CSV and ends them in CR LF (RFC 4180), but not inside quotes. */
export class CsvLines {
  #rows = 0
  #isQuoted = false

  get rows(): number {
    return this.#rows
  }

  convert(bytes: Buffer): Buffer {
    const parts: Buffer[] = []
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] === QUOTE) this.#isQuoted = !this.#isQuoted
      if (bytes[at] !== LF || this.#isQuoted) continue
      parts.push(bytes.subarray(from, at), CRLF)
      from = at + 1
      this.#rows++
    }
    return Buffer.concat([...parts, bytes.subarray(from)])
  }
}

export interface JsonField {
  readonly name: string
  /** The cell is a text without its quotes, in which JSON escapes nothing; otherwise it is JSON. */
  readonly isText?: true
}

/**
 * Makes an object of each row of cells, an empty one being null. PostgreSQL would take half of its time to repeat the names in each
 * row, and as long again to send them.
 */
export class JsonObjects implements Lines {
  readonly #before: readonly Buffer[]
  readonly #after: readonly Buffer[]
  readonly #none: readonly Buffer[]
  #made = Buffer.alloc(0)
  #rows = 0
  #column = 0
  #isEmpty = true

  constructor(fields: readonly JsonField[]) {
    const opening = fields.map(({ name }, at) => `${at === 0 ? '{' : ','}"${name}":`)
    const closing = fields.map((_field, at) => (at === fields.length - 1 ? '}\n' : ''))
    const quotes = fields.map(({ isText }) => (isText ? '"' : ''))
    this.#before = opening.map((text, at) => Buffer.from(text + quotes[at]))
    this.#after = closing.map((text, at) => Buffer.from(quotes[at] + text))
    this.#none = opening.map((text, at) => Buffer.from(`${text}null${closing[at]}`))
  }

  get rows(): number {
    return this.#rows
  }

  convert(bytes: Buffer): Buffer {
    const made = this.#room(bytes.length)
    let length = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!
      const isEnd = byte === CELL_END || byte === LF
      if (this.#isEmpty) length = copy((isEnd ? this.#none : this.#before)[this.#column]!, made, length)
      else if (isEnd) length = copy(this.#after[this.#column]!, made, length)
      this.#isEmpty = isEnd
      if (byte === CELL_END) this.#column++
      else if (byte !== LF) made[length++] = byte
      else {
        this.#column = 0
        this.#rows++
      }
    }
    return Buffer.from(made.subarray(0, length))
  }

  /** For cells that are all empty: each is one byte then. */
  #room(bytes: number): Buffer {
    const longest = Math.max(...this.#none.map(({ length }) => length)) + '""'.length
    if (this.#made.length < bytes * longest) this.#made = Buffer.allocUnsafeSlow(bytes * longest)
    return this.#made
  }
}

/** By hand: `Buffer.copy` takes longer for a few bytes. @returns where the copy ends */
function copy(from: Buffer, to: Buffer, start: number): number {
  let end = start
  for (let at = 0; at < from.length; at++) to[end++] = from[at]!
  return end
}
