import { Client } from 'pg'
import { delayCommits } from '../backlog.ts'
import type { Environment, Service } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { requestsPerSecond } from '../load.ts'
import { figure, interleaved, median, type Row, throughput } from '../measure.ts'

const { rate: LEAST } = GOALS.fleetSubmit
/** A commit's wait on a network volume, or with a synchronous standby in another zone. */
const COMMIT_MS = 5
const CONNECTIONS = 32
const PROCESSES = 4

/**
 * Submissions per second over 32 connections through four API processes where each commit waits longer (`commit_delay`). The floor is one
 * API process with as many connections on the same database, and beside it the same bare route as in `submit`.
 */
export const fleetSubmit: Row = {
  name: 'fleet-submit',
  what: `POST voice through ${PROCESSES} API processes where each commit waits ${COMMIT_MS} ms longer, next to one`,
  reach: `>= ${LEAST} x floor`,
  run: async (environment) => {
    const { url, accountId, apiKey } = await environment.database()
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await delayCommits(client, COMMIT_MS)
      const services: Service[] = []
      for (let n = 0; n < PROCESSES; n++) services.push(await environment.serve('serve'))
      const bare = await environment.floor('submit-server', { DATABASE_URL: url, ACCOUNT_ID: accountId })
      const authorization = `Bearer ${apiKey}`
      const addresses = services.map((service) => `${service.url}/api/v1/voice/tts`)
      const through = (urls: readonly string[]) => submittedThrough(environment, client, urls, { authorization })
      const sides = { ours: () => through(addresses), floor: () => through(addresses.slice(0, 1)) }
      for (const warmUp of Object.values(sides)) await warmUp()
      const pairs = await interleaved(environment.quick ? 2 : 5, sides)
      const route = await submittedThrough(environment, client, [bare.url], {})
      const one = median(pairs.map(({ floor }) => floor))
      const measures = [
        throughput(`${PROCESSES} API processes, next to one`, 'req/s', pairs, LEAST),
        figure('one API process, next to a bare route', 'req/s', one, route),
      ]
      return { name: 'fleet-submit', measures, notes: [] }
    } finally {
      await delayCommits(client, 0)
      await client.end()
    }
  },
}

async function submittedThrough(
  environment: Environment,
  client: Client,
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  await client.query('truncate idempotency_record, job, artifact')
  await client.query('truncate pgboss.job')
  const rates = await Promise.all(
    urls.map((url) =>
      requestsPerSecond({
        url,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ inputs: { text: 'A sentence that nobody speaks.', voice: 'aria' } }),
        status: 202,
        connections: CONNECTIONS / urls.length,
        seconds: environment.quick ? 3 : 5,
      }),
    ),
  )
  return rates.reduce((sum, rate) => sum + rate, 0)
}
