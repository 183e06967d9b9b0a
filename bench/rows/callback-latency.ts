import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { GOALS } from '../goals.ts'
import { atMost, quantile, type Row } from '../measure.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhook-fixture.ts'

const PERIOD_MS = 250
const { p50Ms: MOST_MS } = GOALS.callbackLatency

/**
 * Terminal state committed to first byte at a local TLS receiver, idle, four jobs a second, so that the connection stays open. The clock starts
 * at `completed_at`, which is when the job's last transaction began: the rest of that transaction, the payload snapshot and its signature included, is
 * part of ours. The floor is an undici POST of as many bytes over a kept-alive TLS connection, from the call to the same stamp.
 */
export const callbackLatency: Row = {
  name: 'callback-latency',
  what: 'job finished to first byte at the receiver, idle',
  reach: `p50 <= ${MOST_MS} ms`,
  run: async (environment) => {
    const fixture = await openWebhookFixture(environment)
    try {
      const service = await environment.serve('start', fixture.variables)
      const count = environment.quick ? 20 : 80
      await latencies(fixture, service.url, 5)
      const samples = await latencies(fixture, service.url, count)
      const floors = await floorLatencies(fixture, count)
      await service.stop()
      const [value, floor] = [quantile(samples.whole, 0.5), quantile(floors, 0.5)]
      const part = (what: string, ms: number) => `${what}: p50 ${ms.toFixed(1)} ms`
      return {
        name: 'callback-latency',
        measures: [atMost('p50', 'ms', value, MOST_MS, floor)],
        notes: [
          part('the job ends in its transaction: begun to delivery signed and created', quantile(samples.created, 0.5)),
          part('created to attempt begun (commit, wake-up, fetch)', quantile(samples.begun, 0.5)),
          `${part('attempt begun to first byte (its commit, judging the host, undici, TLS, receiver)', quantile(samples.sent, 0.5))}, of which undici, TLS and the receiver take ${floor.toFixed(1)} ms`,
        ],
      }
    } finally {
      await fixture.close()
    }
  },
}

async function latencies(fixture: WebhookFixture, url: string, count: number) {
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
  const arrived = await fixture.arrivals(count)
  const { rows } = await fixture.client.query<{ id: string; ended: number; created: number; begun: number }>(
    `select d.job_id as id, extract(epoch from j.completed_at)::float8 * 1000 as ended,
       extract(epoch from d.created_at)::float8 * 1000 as created, extract(epoch from a.started_at)::float8 * 1000 as begun
     from webhook_delivery d join job j on j.id = d.job_id join webhook_attempt a on a.delivery_id = d.id
     where d.job_id = any($1)`,
    [arrived.map(({ jobId }) => jobId)],
  )
  const times = new Map(rows.map((row) => [row.id, row]))
  return {
    whole: arrived.map(({ jobId, at }) => at - times.get(jobId)!.ended),
    created: rows.map(({ created, ended }) => created - ended),
    begun: rows.map(({ begun, created }) => begun - created),
    sent: arrived.map(({ jobId, at }) => at - times.get(jobId)!.begun),
  }
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
