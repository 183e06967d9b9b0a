import { type CsvExport, CsvLines, type JsonField, JsonObjects } from './export-csv.ts'

/** Characters that JSON escapes, so that PostgreSQL quotes nothing. */
const AS_CELLS = `format csv, quote E'\\x01', delimiter E'\\x02', encoding 'UTF8'`
const AS_CSV = `format csv, encoding 'UTF8'`

export type FeedFormat = 'ndjson' | 'csv'

/** Rows that are settled: none can still come behind the cursor. */
export interface Feed extends CsvExport {
  readonly format: FeedFormat
  readonly cursor: string
  /** All rows before it are in this answer or came before its beginning; RFC 3339 in microseconds. */
  readonly completeBefore: string
}

/** @param place without spaces */
export const writeCursor = (of: string, accountId: string, place: string): string =>
  Buffer.from(`${of} ${accountId} ${place}`).toString('base64url')

/** Returns the place; null if the cursor is of another feed or account, or is none. */
export function readCursor(of: string, accountId: string, cursor: string, form: RegExp): string | null {
  const [feed, owner, place = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const isOwn = feed === of && owner === accountId && rest.length === 0 && form.test(place)
  return isOwn && writeCursor(of, accountId, place) === cursor ? place : null
}

/** The COPY of some rows, and how its bytes become lines. @param rows a SELECT of cells, for NDJSON of these fields, with an order */
export const copyRows = (format: FeedFormat, rows: string, fields: readonly JsonField[]) =>
  format === 'csv'
    ? { copy: `copy (${rows}) to stdout with (${AS_CSV})`, lines: new CsvLines() }
    : { copy: `copy (${rows}) to stdout with (${AS_CELLS})`, lines: new JsonObjects(fields) }

/** The last line of NDJSON. */
export const lastLine =
  (cursor: string, completeBefore: string) =>
  (rows: number): string =>
    `${JSON.stringify({ cursor, rows, complete_before: completeBefore })}\n`
