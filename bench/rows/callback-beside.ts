import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { GOALS } from '../goals.ts'
import { quantile, type Row } from '../measure.ts'
import { openWebhookFixture, type WebhookFixture } from '../webhook-fixture.ts'

const PERIOD_MS = 50
const HANGING = 200
const { p95: MOST } = GOALS.callbackBeside

/**
 * A good receiver's p95, from the commit of a test webhook (its id's own time) to its first byte, at 20 a second: alone, and while 200
 * deliveries of another receiver on the same account hang.
 */
export const callbackBeside: Row = {
  name: 'callback-beside',
  what: 'a good receiver next to 200 deliveries to a hanging one',
  reach: `p95 <= ${MOST} x alone`,
  run: async (environment) => {
    // Its own: jobs of later rows end without a receiver.
    const account = await environment.account('bench callback-beside')
    const fixture = await openWebhookFixture(environment, account)
    // Another process, since limits are per host and port.
    const hanging = await openWebhookFixture(environment)
    try {
      const service = await environment.serve('start', fixture.variables)
      await fixture.client.query(
        `update api_key set scopes = '{generate:voice,job:read,account:admin}' where account_id = $1`,
        [account.accountId],
      )
      const count = environment.quick ? 60 : 200
      await latencies(fixture, service.url, 20)
      const alone = quantile(await latencies(fixture, service.url, count), 0.95)
      await setUrl(fixture, `${hanging.receiver.url}/hang`)
      await Promise.all(Array.from({ length: HANGING }, () => sendTest(fixture, service.url)))
      const beside = quantile(await latencies(fixture, service.url, count), 0.95)
      await fixture.client.query(
        `update webhook_delivery set state = 'failed', finished_at = now() where state = 'pending'`,
      )
      await service.stop()
      const ratio = beside / alone
      const measure = { what: 'p95', unit: 'ms', floor: alone, value: beside, ratio }
      return {
        name: 'callback-beside',
        measures: [{ ...measure, reach: `<= ${MOST} x floor`, reached: ratio <= MOST }],
        notes: [],
      }
    } finally {
      await fixture.close()
      await hanging.close()
    }
  },
}

const setUrl = (fixture: WebhookFixture, url: string) =>
  fixture.client.query('update account set webhook_url = $2 where id = $1', [fixture.database.accountId, url])

async function sendTest(fixture: WebhookFixture, url: string): Promise<string> {
  const { body } = await request(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.database.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { sendTestWebhook { ... on WebhookDelivery { id } } }' }),
  })
  const { data } = (await body.json()) as { data: { sendTestWebhook: { id?: string } } | null }
  if (data?.sendTestWebhook.id === undefined) throw new Error('a test webhook was refused')
  return data.sendTestWebhook.id
}

async function latencies(fixture: WebhookFixture, url: string, count: number): Promise<number[]> {
  await setUrl(fixture, `${fixture.receiver.url}/hook`)
  const begins = performance.now()
  await Promise.all(
    Array.from({ length: count }, async (_nothing, index) => {
      await wait(Math.max(0, begins + index * PERIOD_MS - performance.now()))
      await sendTest(fixture, url)
    }),
  )
  const arrived = await fixture.arrivals(count)
  const { rows } = await fixture.client.query<{ id: string; ms: number }>(
    'select id, extract(epoch from created_at)::float8 * 1000 as ms from webhook_delivery where id = any($1)',
    [arrived.map(({ id }) => id)],
  )
  const made = new Map(rows.map(({ id, ms }) => [id, ms]))
  return arrived.map(({ id, at }) => at - made.get(id)!)
}
