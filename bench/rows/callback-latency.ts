import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { callbackSteps } from '../callback-steps.ts'
import type { Environment } from '../environment.ts'
import type { Arrival } from '../floors/callback-receiver.ts'
import { GOALS } from '../goals.ts'
import { atMost, type Measure, quantile, type Row } from '../measure.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhook-fixture.ts'

const PERIOD_MS = 250
const WARM_UP = 5
const TIMING = fileURLToPath(new URL('../floors/callback-times.ts', import.meta.url))
const { p50Ms: MOST_MS } = GOALS.callbackLatency

/**
 * A job's end to the first byte at a local TLS receiver, idle, four jobs a second, so that the connection stays open. The clock starts
 * at `completed_at`, which is when the job was read for the payload: the signature and the transaction that ends it are part of ours. What
 * the way consists of is timed after that, inside of the same process. The floor is an undici POST of as many bytes over a kept-alive TLS connection, from the call to the same stamp.
 */
export const callbackLatency: Row = {
  name: 'callback-latency',
  what: 'job finished to first byte at the receiver, idle',
  reach: `p50 <= ${MOST_MS} ms`,
  run: async (environment) => {
    const fixture = await openWebhookFixture(environment)
    try {
      const count = environment.quick ? 20 : 80
      const samples = await latencies(environment, fixture, count)
      const floors = await floorLatencies(fixture, count)
      const [value, floor] = [quantile(samples, 0.5), quantile(floors, 0.5)]
      const steps = await stepsOf(environment, fixture, count)
      return { name: 'callback-latency', measures: [atMost('p50', 'ms', value, MOST_MS, floor), ...steps], notes: [] }
    } finally {
      await fixture.close()
    }
  },
}

async function latencies(environment: Environment, fixture: WebhookFixture, count: number): Promise<number[]> {
  const service = await environment.serve('start', fixture.variables)
  await deliver(fixture, service.url, WARM_UP)
  const arrived = await deliver(fixture, service.url, count)
  await service.stop()
  const { rows } = await fixture.client.query<{ id: string; ended: number }>(
    'select id, extract(epoch from completed_at)::float8 * 1000 as ended from job where id = any($1)',
    [arrived.map(({ jobId }) => jobId)],
  )
  const ended = new Map(rows.map((row) => [row.id, row.ended]))
  return arrived.map(({ jobId, at }) => at - ended.get(jobId)!)
}

/** The same jobs again, in a service that notes what it does when. */
async function stepsOf(environment: Environment, fixture: WebhookFixture, count: number): Promise<readonly Measure[]> {
  const directory = await environment.directory()
  const variables = { ...fixture.variables, NODE_OPTIONS: `--import=${TIMING}`, TIMES_DIR: directory }
  const service = await environment.serve('start', variables)
  await deliver(fixture, service.url, WARM_UP)
  const arrived = await deliver(fixture, service.url, count)
  await service.stop()
  return callbackSteps(
    directory,
    arrived.map(({ at }) => at),
  )
}

/** Job after job; when their callbacks came. */
async function deliver(fixture: WebhookFixture, url: string, count: number): Promise<Arrival[]> {
  for (let index = 0; index < count; index++) {
    const { statusCode, body } = await request(`${url}/api/v1/voice/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.database.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        inputs: { text: 'Hi', voice: 'aria', language: 'English' },
        webhook_url: `${fixture.receiver.url}/hook`,
      }),
    })
    await body.dump()
    if (statusCode !== 202) throw new Error(`a submission was answered with ${statusCode}`)
    await wait(PERIOD_MS)
  }
  return fixture.arrivals(count)
}

async function floorLatencies(fixture: WebhookFixture, count: number): Promise<number[]> {
  const body = JSON.stringify({ job_id: 'floor', status: 'completed', outputs: { audio: 'a'.repeat(250) } })
  const samples: number[] = []
  for (let index = 0; index < count + 1; index++) {
    const sent = performance.timeOrigin + performance.now()
    const options = { method: 'POST', body, headers: { 'webhook-id': 'floor' }, dispatcher: fixture.agent } as const
    await (await request(`${fixture.receiver.url}/hook`, options)).body.dump()
    const [arrival] = await fixture.arrivals(1)
    samples.push(arrival!.at - sent)
    await wait(PERIOD_MS / 5)
  }
  // The first one opened the connection.
  return samples.slice(1)
}
