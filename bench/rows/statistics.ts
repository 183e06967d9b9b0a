import { openDatabase } from '../../src/db/database.ts'
import { foldJobRollUp } from '../../src/jobs/rollup/fold-job-rollup.ts'
import { openLog } from '../../src/values/log.ts'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { responseTime } from '../load.ts'
import { atMost, interleaved, latency, type Measure, quantile, type Row } from '../measure.ts'
import { connected, reseedJobs } from '../seed.ts'

const MANY = 10_000_000
const QUICK = 1_000_000
const { aggregate: MOST, ms: MAX_MS, listByKeyMs: MAX_LIST_MS } = GOALS.statistics
const MS_PER_DAY = 86_400_000

/** A question in GraphQL, and the plainest aggregate of the roll-up that answers it. */
interface Question {
  readonly what: string
  readonly query: string
  readonly plain: string
}

const QUESTIONS: readonly Question[] = [
  {
    what: 'jobStats by day',
    query: '{ jobStats(groupBy: [DAY]) { day jobs credits } }',
    plain: `select at, sum(jobs), sum(credits) from job_rollup where account_id = $1 and span = 'day' group by 1 order by 1`,
  },
  {
    what: 'jobStats by hour',
    query: '{ jobStats(groupBy: [HOUR]) { hour jobs credits characters audioSeconds } }',
    plain: `select at, sum(jobs), sum(credits), sum(characters), sum(audio_ms) from job_event
      where account_id = $1 and breadth = 'all' and span = 'hour' and kind = 'accepted' group by 1 order by 1`,
  },
  {
    what: 'jobStats by type and status',
    query: '{ jobStats(groupBy: [TYPE, STATUS]) { type status jobs } }',
    plain: `select type, status, sum(jobs) from job_rollup where account_id = $1 and span = 'day' group by 1, 2`,
  },
  {
    what: 'jobStats by day with percentiles',
    query: '{ jobStats(groupBy: [DAY]) { day jobs runMs { p50 p95 p99 } } }',
    plain: `select at, sum(run_sum) from job_event
      where account_id = $1 and breadth = 'all' and span = 'day' and kind = 'accepted' group by 1`,
  },
  {
    what: 'jobStats by day, type and status with percentiles',
    query: '{ jobStats(groupBy: [DAY, TYPE, STATUS]) { day type status jobs runMs { p50 p95 p99 } } }',
    plain: `select at, type, status, sum(run_sum) from job_event
      where account_id = $1 and breadth = 'type_status' and span = 'day' and kind = 'accepted' group by 1, 2, 3`,
  },
  {
    what: 'jobStats by day and endpoint with percentiles',
    query: '{ jobStats(groupBy: [DAY, ENDPOINT]) { day endpointKey jobs runMs { p50 p95 p99 } } }',
    plain: `select at, endpoint_key, sum(jobs), sum(run_sum) from job_rollup where account_id = $1 and span = 'day' group by 1, 2`,
  },
  ...(['day', 'hour'] as const).map((span) => ({
    what: `jobSeries of 90 days by ${span}, of one type`,
    query: `{ jobSeries(from: "${new Date(Date.now() - 90 * MS_PER_DAY).toISOString()}", step: ${span.toUpperCase()}, filter: {types: [VOICE]}) {
      points { at accepted completed failed waiting audioSeconds waitMs { p50 p95 p99 } runMs { p50 p95 p99 } } } }`,
    plain: `select at, kind, sum(wait_sum), sum(run_sum) from job_event where account_id = $1 and breadth = 'type_status' and span = '${span}'
      and type = 'voice' and at >= now() - interval '90 days' group by 1, 2`,
  })),
  ...[7, 30].map((days) => ({
    what: `jobSeries of ${days} days by hour`,
    query: `{ jobSeries(from: "${new Date(Date.now() - days * MS_PER_DAY).toISOString()}", step: HOUR) { points {
      at accepted completed failed waiting audioSeconds waitMs { p50 p95 p99 } runMs { p50 p95 p99 } } } }`,
    plain: `select at, kind, sum(wait_sum), sum(run_sum) from job_event
      where account_id = $1 and breadth = 'all' and span = 'hour' and kind <> 'accepted' and at >= now() - interval '${days} days'
      group by 1, 2`,
  })),
]

/** Statistics over all jobs of an account next to one hand-written aggregate of the roll-up, and its list by key. */
export const statistics: Row = {
  name: 'statistics',
  what: 'jobStats over 300 days and jobSeries, 10,000,000 jobs (quick: 1,000,000)',
  reach: `<= ${MOST} x one aggregate of the roll-up and <= ${MAX_MS} ms; the list by key <= ${MAX_LIST_MS} ms`,
  run: async (environment) => {
    const { url, accountId, apiKey } = await environment.database()
    await connected(url, (client) => reseedJobs(client, accountId, environment.quick ? QUICK : MANY))
    const db = openDatabase(url, openLog('warn'))
    const folded = performance.now()
    await foldJobRollUp(db).finally(() => db.close())
    const seconds = ((performance.now() - folded) / 1000).toFixed(1)
    await connected(url, (client) => client.query('vacuum analyze job_rollup, job_rollup_delta, job_event'))
    const service = await environment.serve('serve')
    const headers = { authorization: `Bearer ${apiKey}` }
    const measures: Measure[] = []
    for (const question of QUESTIONS) {
      const ours = () =>
        responseTime(
          `${service.url}/graphql`,
          { ...headers, 'content-type': 'application/json' },
          JSON.stringify({ query: question.query }),
        )
      measures.push(...(await compare(environment, url, accountId, question, ours)))
    }
    const key = `key_${accountId.slice(5, 30)}1`
    const times: number[] = []
    for (let n = 0; n < 40; n++) times.push(await responseTime(`${service.url}/api/v1/jobs?api_key_id=${key}`, headers))
    measures.push(atMost('the list by key, p50', 'ms', quantile(times.slice(10), 0.5), MAX_LIST_MS))
    await service.stop()
    return { name: 'statistics', measures, notes: [`folded in ${seconds} s`] }
  },
}

const compare = (
  environment: Environment,
  url: string,
  accountId: string,
  { what, plain }: Question,
  ours: () => Promise<number>,
): Promise<Measure[]> =>
  connected(url, async (client) => {
    const floor = async () => {
      const started = performance.now()
      await client.query(plain, [accountId])
      return performance.now() - started
    }
    await interleaved(3, { ours, floor })
    const pairs = await interleaved(environment.quick ? 9 : 25, { ours, floor })
    const measure = latency(`${what}, p50`, pairs, MOST)
    return [measure, atMost(`${what}, p50 alone`, 'ms', measure.value, MAX_MS)]
  })
