import { queueId } from '../../src/queue/pgboss/enqueue.ts'
import { newId } from '../../src/values/id.ts'
import type { Arrival } from '../floors/callback-receiver.ts'
import { GOALS } from '../goals.ts'
import { interleaved, type Row, throughput } from '../measure.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhook-fixture.ts'

/** Attempts at once to one receiver, as src/webhooks/delivery/start-webhook-worker.ts limits them. */
const CONNECTIONS = 16
const WAITING = 5000
const { rate: LEAST } = GOALS.callbackRate
const BODY = JSON.stringify({ job_id: 'job_bench', status: 'completed', outputs: { audio: 'a'.repeat(250) } })

/**
 * Deliveries per second out of 5,000 that wait for one fast receiver when a worker starts, each with its claim and its record in the
 * database. The floor is undici alone, posting as many of the same bytes over as many connections. Both are timed at the receiver, from
 * the first arrival to the last.
 */
export const callbackRate: Row = {
  name: 'callback-rate',
  what: 'deliveries/s, 5,000 waiting, one fast receiver',
  reach: `>= ${LEAST} of undici alone`,
  run: async (environment) => {
    const fixture = await openWebhookFixture(environment)
    try {
      const count = environment.quick ? 2000 : WAITING
      const sides = {
        ours: async () => {
          await queueDeliveries(fixture, count)
          const worker = await environment.serve('work', fixture.variables)
          const arrived = await fixture.arrivals(count)
          await worker.stop()
          return rateOf(arrived)
        },
        floor: async () => {
          const variables = { ...fixture.variables, RECEIVER_URL: fixture.receiver.url, COUNT: String(count), BODY }
          const poster = await environment.floor('callback-poster', { ...variables, CONNECTIONS: String(CONNECTIONS) })
          const arrived = await fixture.arrivals(count)
          await poster.stop()
          return rateOf(arrived)
        },
      }
      const pairs = await interleaved(environment.quick ? 1 : 3, sides)
      return { name: 'callback-rate', measures: [throughput('deliveries', 'per s', pairs, LEAST)], notes: [] }
    } finally {
      await fixture.close()
    }
  },
}

function rateOf(arrivals: readonly Arrival[]): number {
  const times = arrivals.map(({ at }) => at).toSorted((a, b) => a - b)
  return (times.length - 1) / ((times.at(-1)! - times[0]!) / 1000)
}

/** As a service that was stopped leaves them: created just now, and queued. */
async function queueDeliveries(fixture: WebhookFixture, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('msg'))
  const url = `${fixture.receiver.url}/hook`
  await fixture.client.query('begin')
  await fixture.client.query(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, next_attempt_at)
     select id, $2, 'test', 'job_bench', $3, extract(epoch from now())::bigint + 120, $4, $5, now(), now()
     from unnest($1::text[]) as id`,
    [ids, fixture.database.accountId, url, `v1,${'A'.repeat(43)}=`, Buffer.from(BODY)],
  )
  await fixture.client.query(
    `insert into pgboss.job (id, name, data, retry_limit, retry_delay, expire_seconds, heartbeat_seconds, policy, group_id)
     select queue_id, 'webhook', jsonb_build_object('jobId', id, 'lane', $3::text), 1000, 1, 82800, 10, 'standard', $3
     from unnest($1::text[], $2::uuid[]) as t (id, queue_id)`,
    [ids, ids.map(queueId), `${fixture.database.accountId} ${new URL(url).host}`],
  )
  await fixture.client.query('commit')
  await fixture.client.query('analyze pgboss.job')
}
