import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../../src/db/database.ts'
import { WEBHOOK_KIND } from '../../../src/queue/job-kind.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import type { TestRuntime } from '../../setup/runtime.ts'
import type { Receiver } from '../../setup/servers/receiver.ts'
import { until } from '../../setup/wait.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/webhooks.ts'

const TIMEOUT_MS = 20_000

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  // One retry, and none after it.
  fixture = await openWebhookFixture({ webhooks: true, env: { WEBHOOK_RETRY_DELAYS: '0.1' } })
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

/** As if the worker that holds it had died: its lease is over and its place in the queue lost. */
async function abandon(id: string): Promise<void> {
  const { pool } = service.runtime.db
  await pool.query(`update webhook_delivery set next_attempt_at = now() - interval '2 minutes' where id = $1`, [id])
  await pool.query(`delete from pgboss.job where data->>'jobId' = $1`, [id])
  await tidyWebhooks(service.runtime)
}

describe('an attempt that was given up while it ran', () => {
  test('and is answered with 2xx after all ends the delivery: none follows the one under way', async () => {
    const answers: ((status: number) => void)[] = []
    receiver.on('/late', (response) => void answers.push((status) => response.writeHead(status).end()))
    const owner = await createOwner(service, `${receiver.url}/late`)
    const id = await owner.sendTest()
    await receiver.waitFor('/late', 1)
    await abandon(id)
    await receiver.waitFor('/late', 2)
    answers[0]!(204)
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', outcome: 'succeeded' })
    answers[1]!(500)
    const attempts = await until(
      async () => {
        const found = (await owner.delivery(id)).attempts
        return found.every(({ durationMs }) => durationMs !== null) ? found : undefined
      },
      TIMEOUT_MS,
      'both records',
    )
    expect(attempts).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'status_500' }])
    expect(await owner.delivery(id)).toMatchObject({ state: 'succeeded', outcome: 'succeeded', nextAttemptAt: null })
    expect(receiver.received('/late')).toHaveLength(2)
  })

  test('counts as one of those that the settings allow', async () => {
    const path = `/lost/${randomUUID()}`
    receiver.on(path, () => undefined)
    const owner = await createOwner(service, receiver.url + path)
    const id = await owner.sendTest()
    for (const nth of [1, 2]) {
      await receiver.waitFor(path, nth)
      await abandon(id)
    }
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'failed', outcome: 'interrupted' })
    expect(receiver.received(path)).toHaveLength(2)
  })
})

test('a delivery that is in the queue twice is sent once', async () => {
  receiver.on('/twice', (response) => void response.writeHead(500).end())
  const owner = await createOwner(service, `${receiver.url}/twice`)
  const { db, queue } = service.runtime
  const id = await owner.sendTest()
  await receiver.waitFor('/twice', 1)
  // As if two processes had found its place lost at the same moment.
  await inTransaction(db, async (tx) => {
    await tx.query('delete from pgboss.job where data->>$2 = $1', [id, 'jobId'])
    await tx.query('update webhook_delivery set next_attempt_at = now(), attempt = 1 where id = $1', [id])
    for (let n = 0; n < 2; n++) await queue.enqueueAgain(tx, WEBHOOK_KIND, id, { concurrencyKey: `twice ${id}` })
  })
  expect(await owner.outcomeOf(id)).toMatchObject({ state: 'failed', outcome: 'status_500' })
  expect(receiver.received('/twice')).toHaveLength(2)
})
