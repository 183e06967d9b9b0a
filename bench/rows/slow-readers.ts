import { type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { GOALS } from '../goals.ts'
import { atMost, quantile, type Row } from '../measure.ts'
import { seedJobs } from '../seed.ts'
import { latencies, post } from './pickup.ts'

const JOBS = 500_000
const READERS = 10
const BYTES_PER_SECOND = 10_240
const MS_PER_DAY = 86_400_000
const SAMPLE_EVERY_MS = 250
const { p95: MOST, snapshotSeconds: OLDEST_SECONDS } = GOALS.slowReaders
/** All readers' files are spilled by then, or the row fails. */
const SETTLE_DEADLINE_MS = 180_000

/**
 * How long a job waits for an idle worker while ten clients read an export of 500,000 jobs at 10 KB/s, next to the same wait
 * without them, in the same process; and the oldest snapshot that any of it held.
 */
export const slowReaders: Row = {
  name: 'slow-readers',
  what: 'submit to claimed, 10 exports read at 10 KB/s',
  reach: `p95 <= ${MOST} x without them; no snapshot older than ${OLDEST_SECONDS} s`,
  run: async (environment) => {
    const database = await environment.database()
    const { accountId, apiKey } = await environment.account('bench slow readers')
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('delete from job where account_id = $1', [accountId])
      await seedJobs(client, accountId, JOBS)
      const service = await environment.serve('start')
      const count = environment.quick ? 60 : 200
      const pickup = () => latencies(client, 'job', () => post(service.url, database.apiKey), count)
      await pickup()
      const alone = await pickup()
      const read = () => readSlowly(exportUrl(service.url), apiKey)
      const end = async (reader: IncomingMessage) => reader.destroy()
      await Promise.all(Array.from({ length: READERS }, () => environment.open(read, end)))
      const oldest = await oldestSnapshot(client)
      const among = await pickup()
      const [value, floor] = [quantile(among, 0.95), quantile(alone, 0.95)]
      const ratio = value / floor
      return {
        name: 'slow-readers',
        measures: [
          { what: 'p95', unit: 'ms', value, floor, ratio, reach: `<= ${MOST} x without`, reached: ratio <= MOST },
          atMost('oldest snapshot', 's', oldest, OLDEST_SECONDS),
        ],
        notes: [],
      }
    } finally {
      await client.end()
    }
  },
}

function exportUrl(url: string): string {
  const [from, to] = [Date.now() - 310 * MS_PER_DAY, Date.now() + MS_PER_DAY].map((ms) => new Date(ms).toISOString())
  return `${url}/api/v1/jobs/export?from=${from}&to=${to}`
}

/** An export of which a second's worth is taken every second. It is asked for again where others have been read for too long. */
async function readSlowly(url: string, apiKey: string): Promise<IncomingMessage> {
  const deadline = performance.now() + SETTLE_DEADLINE_MS
  for (;;) {
    const response = await answerOf(url, apiKey)
    const { statusCode, headers } = response
    if (statusCode === 200) {
      const timer = setInterval(() => response.read(Math.min(BYTES_PER_SECOND, response.readableLength)), 1000)
      return response.once('close', () => clearInterval(timer)).on('error', () => undefined)
    }
    response.destroy()
    if (statusCode !== 503 || performance.now() > deadline) throw new Error(`an export was answered with ${statusCode}`)
    await wait(Number(headers['retry-after']) * 1000)
  }
}

function answerOf(url: string, apiKey: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${apiKey}` }, agent: false }
    request(url, options, resolve).on('error', reject).end()
  })
}

/** Seconds; watched until no export holds one any more. */
async function oldestSnapshot(client: Client): Promise<number> {
  const deadline = performance.now() + SETTLE_DEADLINE_MS
  for (let oldest = 0; ; ) {
    const { rows } = await client.query<{ seconds: number | null }>(
      `select max(extract(epoch from now() - xact_start))::float8 as seconds from pg_stat_activity
       where query like 'copy%' and backend_xmin is not null and pid <> pg_backend_pid()`,
    )
    if (rows[0]?.seconds == null) return oldest
    oldest = Math.max(oldest, rows[0].seconds)
    if (performance.now() > deadline) throw new Error('the exports still read')
    await wait(SAMPLE_EVERY_MS)
  }
}
