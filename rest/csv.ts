import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { preferredEncoding } from '../src/http/served-file.ts'
import type { CsvExport } from '../src/jobs/export/export-csv.ts'
import type { Feed } from '../src/jobs/export/feed.ts'
import type { Answer, Call } from './operation.ts'

const GZIP = { level: constants.Z_BEST_SPEED }

const CSV_TYPE = 'text/csv; charset=utf-8; header=present'
const FEED_TYPES = { csv: [CSV_TYPE, 'csv'], ndjson: ['application/x-ndjson; charset=utf-8', 'ndjson'] } as const

type Asked = Pick<Call, 'headers' | 'query'>

/** A CSV stream, compressed if the client accepts gzip (RFC 9110 section 12.5.3). */
export const csvFile = ({ csv }: CsvExport, asked: Asked, of = 'jobs'): Answer =>
  file(csv, asked, CSV_TYPE, [[of, asked.query.from, asked.query.to], 'csv'])

/** A CSV has no last line that tells its cursor, so the head of the answer does. */
export const feedFile =
  (...name: string[]) =>
  ({ csv, format, cursor, completeBefore }: Feed, asked: Asked): Answer => {
    const [type, extension] = FEED_TYPES[format]
    const answer = file(csv, asked, type, [[...name, completeBefore], extension])
    const told = { 'x-sonant-next-cursor': cursor, 'x-sonant-complete-before': completeBefore }
    return { ...answer, headers: { ...answer.headers, ...told } }
  }

type Name = readonly [parts: readonly unknown[], extension: string]

function file(stream: Readable, { headers }: Asked, type: string, [parts, extension]: Name): Answer {
  const gzip = preferredEncoding(headers['accept-encoding'] as string | undefined, ['gzip']) === 'gzip'
  const given = parts.filter((part) => part !== undefined)
  const filename = `${given.join('-').replace(/[^\w.-]/g, '')}.${extension}`
  const described = {
    'content-type': type,
    'content-disposition': `attachment; filename="${filename}"`,
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  }
  return { status: 200, headers: described, body: gzip ? pipeline(stream, createGzip(GZIP), () => undefined) : stream }
}
