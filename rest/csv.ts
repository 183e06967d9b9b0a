import { pipeline } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { preferredEncoding } from '../src/http/accept-encoding.ts'
import type { CsvExport } from '../src/jobs/export/export-csv.ts'
import type { Answer, Call } from './operation.ts'

/** The least effort: the network is spared five sixths, and the database stays the slowest part. */
const GZIP = { level: constants.Z_BEST_SPEED }

/** A CSV file as a stream, compressed for clients that accept gzip (RFC 9110 section 12.5.3). It fails where its source fails. */
export function csvFile({ csv }: CsvExport, { headers, query }: Pick<Call, 'headers' | 'query'>, of = 'jobs'): Answer {
  const gzip = preferredEncoding(headers['accept-encoding'] as string | undefined, ['gzip']) === 'gzip'
  const parts = [of, query.from, query.to].filter((part) => part !== undefined)
  const filename = `${parts.join('-').replace(/[^\w.-]/g, '')}.csv`
  const described = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${filename}"`,
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  }
  // The callback has nothing left to do: either stream's end is the other's.
  return { status: 200, headers: described, body: gzip ? pipeline(csv, createGzip(GZIP), () => undefined) : csv }
}
