import { pipeline } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { preferredEncoding } from '../src/http/served-file.ts'
import type { CsvExport } from '../src/jobs/export/export-csv.ts'
import type { Answer, Call } from './operation.ts'

const GZIP = { level: constants.Z_BEST_SPEED }

/** A CSV stream, compressed if the client accepts gzip (RFC 9110 section 12.5.3). */
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
  return { status: 200, headers: described, body: gzip ? pipeline(csv, createGzip(GZIP), () => undefined) : csv }
}
