import type { Database, Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { requestsPerSecond, responseTime } from '../load.ts'
import { interleaved, latency, type Measure, type Row, throughput } from '../measure.ts'
import { connected, reseedJobs } from '../seed.ts'

const MANY = 1_000_000
const DEEP = 900_000
const CONNECTIONS = 8
const { rate: LEAST_RATE, depth: MOST_DEEPER, statistics: MOST_SUMMED, edges: MOST_WITH_EDGES } = GOALS.graphqlJobs
const JSON_BODY = { 'content-type': 'application/json' }
/** Twelve fields of each job. */
const FIELDS =
  'id type endpointKey status isProhibited apiKeyId apiKeyName createdAt startedAt completedAt attempts errorCode'

/** Fields of a dashboard that lead to other objects or to the text. */
const EDGES =
  'tags apiKey { name } endpoint { __typename } ... on VoiceJob { voice language textExcerpt characters audio { url } }'

const pageOf = (after: string | null, fields = FIELDS): string =>
  JSON.stringify({
    query: `query ($after: String) { jobs(first: 50, after: $after) { edges { node { ${fields} } } } }`,
    variables: { after },
  })

/**
 * GraphQL's list of an account with 1,000,000 jobs next to a bare Fastify route that reads the same rows by plain pg, and a page behind
 * the 900,000th job next to the first one.
 */
export const graphqlJobs: Row = {
  name: 'graphql-jobs',
  what: 'GraphQL jobs(first: 50) with 12 fields, 1,000,000 jobs',
  reach: `>= ${LEAST_RATE} of a bare Fastify route with the same rows; the page at 900,000 <= ${MOST_DEEPER} x the first; jobStats <= ${MOST_SUMMED} x one aggregate`,
  run: async (environment) => {
    const database = await environment.database()
    const cursor = await filled(database.url, database.accountId)
    const service = await environment.serve('serve')
    const bare = await environment.floor('records-server', {
      DATABASE_URL: database.url,
      ACCOUNT_ID: database.accountId,
    })
    const headers = { ...JSON_BODY, authorization: `Bearer ${database.apiKey}` }
    const url = `${service.url}/graphql`
    const measures = [
      await rate(environment, url, headers, bare.url),
      await edges(environment, url, headers),
      await depth(environment, url, headers, cursor),
      await aggregate(environment, url, headers, database),
    ]
    await Promise.all([service.stop(), bare.stop()])
    return { name: 'graphql-jobs', measures, notes: [] }
  },
}

/** Returns the cursor of the job at `DEEP`. */
const filled = (url: string, accountId: string): Promise<string> =>
  connected(url, async (client) => {
    await reseedJobs(client, accountId, MANY)
    const { rows } = await client.query<{ id: string }>(
      'select id from job where account_id = $1 order by id desc limit 1 offset $2',
      [accountId, DEEP],
    )
    return rows[0]!.id
  })

async function rate(
  environment: Environment,
  url: string,
  headers: Record<string, string>,
  bare: string,
): Promise<Measure> {
  const common = { status: 200, seconds: environment.quick ? 2 : 4, connections: CONNECTIONS }
  const ours = () => requestsPerSecond({ ...common, url, headers, method: 'POST', body: pageOf(null) })
  const floor = () => requestsPerSecond({ ...common, url: bare })
  await interleaved(1, { ours, floor })
  const pairs = await interleaved(environment.quick ? 3 : 5, { ours, floor })
  return throughput('50 jobs, 12 fields', 'req/s', pairs, LEAST_RATE)
}

/** The page with its edges next to the page without. */
async function edges(environment: Environment, url: string, headers: Record<string, string>): Promise<Measure> {
  const sides = {
    ours: () => responseTime(url, headers, pageOf(null, `${FIELDS} ${EDGES}`)),
    floor: () => responseTime(url, headers, pageOf(null)),
  }
  await interleaved(10, sides)
  const pairs = await interleaved(environment.quick ? 50 : 200, sides)
  return latency('50 jobs with key, endpoint, audio and text, p50', pairs, MOST_WITH_EDGES)
}

async function depth(
  environment: Environment,
  url: string,
  headers: Record<string, string>,
  cursor: string,
): Promise<Measure> {
  const sides = {
    ours: () => responseTime(url, headers, pageOf(cursor)),
    floor: () => responseTime(url, headers, pageOf(null)),
  }
  await interleaved(10, sides)
  const pairs = await interleaved(environment.quick ? 50 : 200, sides)
  return latency(`cursor at ${DEEP} by the first page, p50`, pairs, MOST_DEEPER)
}

const STATS = JSON.stringify({ query: '{ jobStats(groupBy: [DAY, STATUS]) { day status jobs } }' })
const AGGREGATE = `select date_trunc('day', created_at at time zone 'UTC') as day, status, count(*)
  from job where account_id = $1 group by 1, 2 order by 1, 2`

async function aggregate(
  environment: Environment,
  url: string,
  headers: Record<string, string>,
  { url: databaseUrl, accountId }: Database,
): Promise<Measure> {
  return connected(databaseUrl, async (client) => {
    const floor = async () => {
      const started = performance.now()
      await client.query(AGGREGATE, [accountId])
      return performance.now() - started
    }
    const sides = { ours: () => responseTime(url, headers, STATS), floor }
    await interleaved(2, sides)
    const pairs = await interleaved(environment.quick ? 5 : 15, sides)
    return latency('jobStats by day and status, p50', pairs, MOST_SUMMED)
  })
}
