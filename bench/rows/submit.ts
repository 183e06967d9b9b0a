import { Client } from 'pg'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { type Load, requestsPerSecond } from '../load.ts'
import { interleaved, type Pair, type Row, throughput } from '../measure.ts'

const { rate: LEAST } = GOALS.submit
const TRUNCATIONS = 10

/**
 * Submissions per second over 32 connections, without a worker that takes the jobs (`sonant serve`). The floor is a bare Fastify route that
 * writes the same rows to the same tables in one transaction through as many connections; no key is checked and no
 * input validated there. Each round starts with these tables empty.
 */
export const submit: Row = {
  name: 'submit',
  what: 'POST voice, 32 connections',
  reach: `>= ${LEAST} of a bare Fastify route with the same two inserts`,
  run: async (environment) => {
    const pairs = await submitted(environment, {})
    return { name: 'submit', measures: [throughput('POST voice', 'req/s', pairs, LEAST)], notes: [] }
  },
}

/** The same, each with an Idempotency-Key of its own. */
export const submitIdempotent: Row = {
  name: 'submit-idempotent',
  what: 'POST voice with an Idempotency-Key, 32 connections',
  reach: `>= ${LEAST} of a bare Fastify route with the same three inserts`,
  run: async (environment) => {
    const pairs = await submitted(environment, { 'idempotency-key': 'order [<id>]' })
    const measures = [throughput('POST voice, Idempotency-Key', 'req/s', pairs, LEAST)]
    return { name: 'submit-idempotent', measures, notes: [] }
  },
}

async function submitted(environment: Environment, headers: Readonly<Record<string, string>>): Promise<Pair[]> {
  const { url, accountId, apiKey } = await environment.database()
  const service = await environment.serve('serve')
  const bare = await environment.floor('submit-server', { DATABASE_URL: url, ACCOUNT_ID: accountId })
  const measure = (load: Pick<Load, 'url' | 'headers'>) => measured(environment, url, load)
  const ours = {
    url: `${service.url}/api/v1/voice/tts`,
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
  }
  const floor = { url: bare.url, headers }
  await measure(ours)
  await measure(floor)
  const pairs = await interleaved(environment.quick ? 3 : 7, {
    ours: () => measure(ours),
    floor: () => measure(floor),
  })
  await emptied(url)
  await Promise.all([service.stop(), bare.stop()])
  return pairs
}

async function measured(environment: Environment, url: string, load: Pick<Load, 'url' | 'headers'>): Promise<number> {
  await emptied(url)
  return requestsPerSecond({
    url: load.url,
    method: 'POST',
    headers: { ...load.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { text: 'A sentence that nobody speaks.', voice: 'aria' } }),
    status: 202,
    idReplacement: load.headers !== undefined && 'idempotency-key' in load.headers,
    connections: 32,
    seconds: environment.quick ? 2 : 4,
  })
}

async function emptied(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await truncated(client, 'truncate idempotency_record, job, artifact')
    await truncated(client, 'truncate pgboss.job')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** The last requests of the round before may be under way: their locks and these may wait for each other. */
async function truncated(client: Client, statement: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await client.query(statement)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || tries === TRUNCATIONS) throw error
    }
}
