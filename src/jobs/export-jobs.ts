import { pipeline, type Readable } from 'node:stream'
import { to as copyTo } from 'pg-copy-streams'
import { JOB_READ_SCOPE } from '../api-keys/api-key.ts'
import { type Context, requireAccount, requireScope } from '../context.ts'
import type { Tx } from '../db/database.ts'
import { invalidRequest } from '../errors.ts'
import { CsvLines } from './csv-lines.ts'
import { CSV_HEAD, copyWithin, exceedsWithin, type Window } from './csv-select.ts'
import type { ExportPass } from './export-lane.ts'
import { filterMistakes, refuseMistakes } from './job-filter.ts'

/** Spec section 8. */
const MAX_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000

export interface JobExport {
  /** How many jobs have been read so far. */
  rowsRead(): number
  /** The whole file (spec 2.10). It fails rather than ends when it is not complete; destroying it frees everything at once. */
  readonly csv: Readable
}

/**
 * The account's jobs of a window of time as CSV (spec 4.9). Limit and rows come from one snapshot, and are read at the database's
 * speed: how slowly the file is taken does not matter to it.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (more than 366 days, or 500,000 jobs), RATE_LIMITED, UNAVAILABLE
 */
export async function exportJobs(ctx: Context, window: Window): Promise<JobExport> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  refuseMistakes(filterMistakes(window))
  if (window.to.getTime() - window.from.getTime() > MAX_WINDOW_MS) throw tooLong()
  const pass = await ctx.exportLane.enter(accountId)
  try {
    const client = await ctx.db.pool.connect()
    await openSnapshot(client, accountId, window)
    return stream(ctx, client, pass, copyWithin(accountId, window))
  } catch (error) {
    pass.leave()
    throw error
  }
}

const tooLong = () =>
  invalidRequest('Export at most 366 days at a time.', [{ path: 'to', message: 'is more than 366 days after from' }])

/** @throws INVALID_REQUEST where the window holds too many jobs, in the snapshot that stays open for the export itself */
async function openSnapshot(client: Tx, accountId: string, window: Window): Promise<void> {
  try {
    // Workers would be taken from the queue; and on few cores they make counting slower.
    await client.query('begin isolation level repeatable read read only; set local max_parallel_workers_per_gather = 0')
    const { rows } = await client.query<{ exceeds: boolean }>(exceedsWithin(accountId, window, MAX_JOBS))
    if (rows[0]?.exceeds !== false) throw tooMany()
  } catch (error) {
    const broken = await client.query('rollback').then(
      () => undefined,
      (cause: Error) => cause,
    )
    client.release(broken)
    throw error
  }
}

const tooMany = () =>
  invalidRequest('Export a shorter window: this one holds more than 500,000 jobs.', [
    { path: 'from', message: `holds more than ${MAX_JOBS} jobs` },
  ])

function stream(ctx: Context, client: Tx, pass: ExportPass, sql: string): JobExport {
  const copy = client.query(copyTo(sql))
  // How many rows the database sent is known once it is ready for the next statement, which ends the snapshot as well.
  const sent = async () => {
    await client.query('commit')
    return copy.rowCount
  }
  const lines = new CsvLines(CSV_HEAD, sent)
  pipeline(copy, lines, (error) => {
    pass.doneReading()
    // In the middle of a COPY a connection is good for nothing else.
    client.release(error ?? undefined)
  })
  const csv = ctx.spill.through(lines)
  csv.once('close', () => pass.leave())
  csv.once('error', (error) => ctx.log.warn({ err: error.message }, 'an export broke off'))
  return { rowsRead: () => lines.rows, csv }
}
