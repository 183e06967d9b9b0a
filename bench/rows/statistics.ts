import { openDatabase } from '../../src/db/database.ts'
import { foldJobRollUp } from '../../src/jobs/rollup/fold-job-rollup.ts'
import { openLog } from '../../src/values/log.ts'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { responseTime } from '../load.ts'
import { atMost, figure, interleaved, latency, type Measure, quantile, type Row } from '../measure.ts'
import { connected, reseedJobs, settle } from '../seed.ts'

const MANY = 10_000_000
const QUICK = 1_000_000
const { aggregate: MOST, ms: MAX_MS, listByKeyMs: MAX_LIST_MS } = GOALS.statistics
const MS_PER_DAY = 86_400_000
/** Before a question is measured: its statements and its answer are compiled by then. */
const WARM_UP = 10
const ROUNDS_BY_ITSELF = 60

/** An aggregate of the roll-up, by hand. */
interface Aggregate {
  readonly what: string
  readonly sql: string
}

/** A question in GraphQL, and the plainest aggregate of the roll-up's hours or days that answers it. */
interface Question {
  readonly what: string
  readonly query: string
  readonly plain: string
  /** One to read the answer next to as well, by which no goal is judged: it reads as few rows as there are, or all that the answer needs. */
  readonly other?: Aggregate
}

/** By dimensions without a time, which the service has totals of. */
function byDimensions(what: string, groups: string, fields: string, columns: string): Question {
  const sums = (span: string) =>
    `select ${columns}, sum(jobs), sum(credits) from job_rollup where account_id = $1 and span = '${span}' group by ${columns}`
  return {
    what: `jobStats by ${what}`,
    query: `{ jobStats(groupBy: [${groups}]) { ${fields} jobs credits } }`,
    plain: sums('day'),
    other: { what: 'its totals alone', sql: sums('all') },
  }
}

/** The jobs that wait at the end of each step are those of before the first one and what came since: the plain aggregate lacks the former. */
function series(days: number, span: 'day' | 'hour', type?: 'voice'): Question {
  const ofType = type === undefined ? '' : `, filter: {types: [${type.toUpperCase()}]}`
  const rows = `from job_event where account_id = $1 and breadth = '${type === undefined ? 'all' : 'type_status'}'${type === undefined ? '' : ` and type = '${type}'`}`
  const since = `now() - interval '${days} days'`
  // Acceptances have no duration: a filter leaves them out where they stand by themselves.
  const kinds = type === undefined ? `and kind <> 'accepted'` : ''
  const plain = `select at, kind, sum(wait_sum), sum(run_sum) ${rows} and span = '${span}' ${kinds} and at >= ${since} group by 1, 2`
  const before = `select null, kind, sum(jobs), 0 ${rows} and span = 'day' and kind in ('accepted', 'started', 'dropped') and at < ${since} group by 2`
  return {
    what: `jobSeries of ${days} days by ${span}${type === undefined ? '' : ', of one type'}`,
    query: `{ jobSeries(from: "${new Date(Date.now() - days * MS_PER_DAY).toISOString()}", step: ${span.toUpperCase()}${ofType}) { points {
      at accepted completed failed waiting audioSeconds waitMs { p50 p95 p99 } runMs { p50 p95 p99 } } } }`,
    plain,
    other: { what: 'that and what was before', sql: `${plain} union all ${before}` },
  }
}

const QUESTIONS: readonly Question[] = [
  {
    what: 'jobStats by day',
    query: '{ jobStats(groupBy: [DAY]) { day jobs credits } }',
    plain: `select at, sum(jobs), sum(credits) from job_rollup where account_id = $1 and span = 'day' group by 1 order by 1`,
    other: {
      what: 'sums of events',
      sql: `select at, sum(jobs), sum(credits) from job_event
        where account_id = $1 and breadth = 'all' and span = 'day' and kind = 'accepted' group by 1 order by 1`,
    },
  },
  {
    what: 'jobStats by hour',
    query: '{ jobStats(groupBy: [HOUR]) { hour jobs credits characters audioSeconds } }',
    plain: `select at, sum(jobs), sum(credits), sum(characters), sum(audio_ms) from job_event
      where account_id = $1 and breadth = 'all' and span = 'hour' and kind = 'accepted' group by 1 order by 1`,
  },
  byDimensions('type and status', 'TYPE, STATUS', 'type status', 'type, status'),
  byDimensions('key', 'API_KEY', 'apiKeyId', 'api_key_id'),
  byDimensions('error code', 'ERROR_CODE', 'errorCode', 'error_code'),
  byDimensions('endpoint', 'ENDPOINT', 'endpointKey', 'endpoint_key'),
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
  series(90, 'day', 'voice'),
  series(90, 'hour', 'voice'),
  series(7, 'hour'),
  series(30, 'hour'),
]

/** Statistics over all jobs of an account next to one hand-written aggregate of the roll-up, and its list by key. */
export const statistics: Row = {
  name: 'statistics',
  what: 'jobStats over a year and jobSeries, 10,000,000 jobs (quick: 1,000,000)',
  reach: `<= ${MOST} x one aggregate of the roll-up and <= ${MAX_MS} ms; the list by key <= ${MAX_LIST_MS} ms`,
  run: async (environment) => {
    const { url, accountId, apiKey } = await environment.database()
    await connected(url, (client) => reseedJobs(client, accountId, environment.quick ? QUICK : MANY))
    const db = openDatabase(url, openLog('warn'))
    const folded = performance.now()
    await foldJobRollUp(db).finally(() => db.close())
    const seconds = ((performance.now() - folded) / 1000).toFixed(1)
    await connected(url, settle)
    const service = await environment.serve('serve')
    const headers = { authorization: `Bearer ${apiKey}` }
    const ask = (query: string) =>
      responseTime(
        `${service.url}/graphql`,
        { ...headers, 'content-type': 'application/json' },
        JSON.stringify({ query }),
      )
    // A request that reads nothing: its time is part of each figure below.
    const nothing: number[] = []
    for (let n = 0; n < ROUNDS_BY_ITSELF; n++) nothing.push(await ask('{ __typename }'))
    const measures: Measure[] = [
      figure('a request that reads nothing, p50', 'ms', quantile(nothing.slice(WARM_UP), 0.5)),
    ]
    for (const question of QUESTIONS) {
      measures.push(...(await compare(environment, url, accountId, question, () => ask(question.query))))
    }
    const key = `key_${accountId.slice(5, 30)}1`
    const times: number[] = []
    for (let n = 0; n < 40; n++) times.push(await responseTime(`${service.url}/api/v1/jobs?api_key_id=${key}`, headers))
    measures.push(atMost('the list by key, p50', 'ms', quantile(times.slice(10), 0.5), MAX_LIST_MS))
    await service.stop()
    return { name: 'statistics', measures, notes: [`folded in ${seconds} s`] }
  },
}

async function compare(
  environment: Environment,
  url: string,
  accountId: string,
  { what, plain, other }: Question,
  ours: () => Promise<number>,
): Promise<Measure[]> {
  return connected(url, async (client) => {
    const timed = (sql: string) => async () => {
      const started = performance.now()
      await client.query(sql, [accountId])
      return performance.now() - started
    }
    const pairsWith = async (sql: string) => {
      await interleaved(WARM_UP, { ours, floor: timed(sql) })
      return interleaved(environment.quick ? 9 : 25, { ours, floor: timed(sql) })
    }
    const measure = latency(`${what}, p50`, await pairsWith(plain), MOST)
    const measures = [measure, atMost(`${what}, p50 alone`, 'ms', measure.value, MAX_MS)]
    if (other === undefined) return measures
    const pairs = latency('', await pairsWith(other.sql), MOST)
    return [...measures, figure(`${what}, p50, next to ${other.what}`, 'ms', pairs.value, pairs.floor)]
  })
}
