import { Client } from 'pg'
import { request } from 'undici'
import { GOALS } from '../goals.ts'
import { interleaved, type Row, throughput } from '../measure.ts'
import { seedJobs } from '../seed.ts'

const JOBS = 1_000_000
/** The export takes at most 500,000 jobs: the newest of the year. */
const EXPORT_DAYS = 180
const MS_PER_DAY = 86_400_000
const LF = 0x0a

/** Speech of each voice job, so that the feed has something to look up. */
const SPEECH = `
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
  select 'art' || substr(id, 4), id, 'audio', id || '/1/audio.wav', 'audio/wav', 44, decode(repeat('00', 32), 'hex'), 1200
  from job where account_id = $1 and type = 'voice' and status = 'completed'`

/** The feed of changes from its beginning, beside the export of one process; rows a second. */
export const dataJobs: Row = {
  name: 'data-jobs',
  what: 'GET data/jobs, 1,000,000 jobs from the beginning, beside GET jobs/export',
  reach: `>= ${GOALS.dataJobs.rate} x the export's rows a second`,
  run: async (environment) => {
    const { url } = await environment.database()
    const { accountId, apiKey } = await environment.account('bench data jobs')
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('delete from job where account_id = $1', [accountId])
      await seedJobs(client, accountId, JOBS)
      await client.query(SPEECH, [accountId])
      await client.query('vacuum analyze job, artifact')
    } finally {
      await client.end()
    }
    const service = await environment.serve('serve')
    const now = Date.now()
    const [from, to] = [now - EXPORT_DAYS * MS_PER_DAY, now + MS_PER_DAY].map((ms) => new Date(ms).toISOString())
    const floor = () => rowsASecond(`${service.url}/api/v1/jobs/export?from=${from}&to=${to}`, apiKey)
    const measures = []
    for (const format of ['csv', 'ndjson']) {
      const ours = () => rowsASecond(`${service.url}/api/v1/data/jobs?format=${format}`, apiKey)
      const pairs = await interleaved(environment.quick ? 2 : 5, { ours, floor })
      measures.push(throughput(`${format}, all columns`, 'rows/s', pairs, GOALS.dataJobs.rate))
    }
    await service.stop()
    return { name: 'data-jobs', measures, notes: [] }
  },
}

/** Each text of these jobs is one line. */
async function rowsASecond(address: string, apiKey: string): Promise<number> {
  const started = performance.now()
  const { statusCode, body } = await request(address, { headers: { authorization: `Bearer ${apiKey}` } })
  if (statusCode !== 200) throw new Error(`${address} was answered with ${statusCode}`)
  let lines = 0
  for await (const chunk of body)
    for (let at = (chunk as Buffer).indexOf(LF); at !== -1; at = (chunk as Buffer).indexOf(LF, at + 1)) lines++
  return (lines - 1) / ((performance.now() - started) / 1000)
}
