import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../../src/db/database.ts'
import { WEBHOOK_KIND } from '../../../src/queue/job-kind.ts'
import type { Delivery } from '../../../src/queue/job-source.ts'
import { openRecordAttempt } from '../../../src/webhooks/delivery/record-attempt.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import type { Receiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000

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

/** The attempt of a delivery that is under way, and a place in the queue that it does not have. */
async function begun(id: string) {
  const { rows } = await service.runtime.db.pool.query<{
    account_id: string
    url: string
    round: number
    attempt: number
    body: Buffer
  }>('select account_id, url, round, attempt, body from webhook_delivery where id = $1', [id])
  const { account_id: accountId, url, round, attempt: number, body } = rows[0]!
  const headers = { id, timestamp: '', signature: '' }
  return {
    attempt: { deliveryId: id, accountId, url, headers, body, round, number },
    claimed: { id: randomUUID(), jobId: id, retryCount: 0 } as Delivery,
  }
}

/** SQL that refuses every statement in which this delivery succeeds. Sequences count them, and keep how many the largest of them ended. */
const refusing = (id: string): string => `
  drop sequence if exists refusals, most_refused;
  create sequence refusals;
  create sequence most_refused;
  create or replace function refuse_one() returns trigger language plpgsql as $$ begin
    if exists (select from ended where id = '${id}' and state = 'succeeded') then
      perform nextval('refusals'), setval('most_refused', greatest((select count(*) from ended), (select last_value from most_refused)));
      raise 'this one is refused';
    end if;
    return null;
  end $$;
  create or replace trigger refuse_one after update on webhook_delivery referencing new table as ended for each statement execute function refuse_one()`

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

describe('successes that are recorded together', () => {
  /** Two deliveries of one account whose receiver answers both at once. */
  async function sendTwo() {
    const path = `/together/${randomUUID()}`
    const answers: (() => void)[] = []
    receiver.on(path, (response) => void answers.push(() => response.writeHead(204).end()))
    const owner = await createOwner(service, receiver.url + path)
    const ids = [await owner.sendTest(), await owner.sendTest()] as const
    await receiver.waitFor(path, 2)
    return { owner, path, ids, answer: () => answers.splice(0).forEach((send) => void send()) }
  }

  test('do not wait for one whose row another transaction holds, and it is recorded once that has ended', async () => {
    const { owner, path, ids, answer } = await sendTwo()
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from webhook_delivery where id = $1 for update', [ids[0]])
    answer()
    expect(await owner.outcomeOf(ids[1])).toMatchObject({ state: 'succeeded' })
    const { rows } = await client.query<{ state: string }>('select state from webhook_delivery where id = $1', [ids[0]])
    expect(rows).toEqual([{ state: 'pending' }])
    await client.query('rollback')
    client.release()
    expect(await owner.outcomeOf(ids[0])).toMatchObject({ state: 'succeeded', attempts: [{ number: 1 }] })
    expect(receiver.received(path)).toHaveLength(2)
  })

  test('are recorded where PostgreSQL refuses one of them', async () => {
    const { owner, ids, answer } = await sendTwo()
    const { pool } = service.runtime.db
    await pool.query(refusing(ids[0]))
    const record = openRecordAttempt(service.runtime)
    const result = { outcome: 'succeeded', durationMs: 1, responseStatus: 204, response: null } as const
    const both = await Promise.all(ids.map(async (id) => ({ ...(await begun(id)), result })))
    const recorded = await Promise.allSettled(both.map(record))
    expect(recorded).toMatchObject([{ reason: { message: 'this one is refused' } }, { value: 'settled' }])
    // Both in one statement, then the refused one by itself: what a sequence counts is not rolled back.
    const { rows } = await pool.query(
      'select refusals.last_value as times, most_refused.last_value as most from refusals, most_refused',
    )
    expect(rows).toEqual([{ times: '2', most: '2' }])
    expect(await owner.delivery(ids[1])).toMatchObject({ state: 'succeeded', attempts: [{ number: 1 }] })
    expect(await owner.delivery(ids[0])).toMatchObject({ state: 'pending' })
    await pool.query(
      'drop trigger refuse_one on webhook_delivery; drop function refuse_one; drop sequence refusals, most_refused',
    )
    answer()
    expect(await owner.outcomeOf(ids[0])).toMatchObject({ state: 'succeeded', attempts: [{ number: 1 }] })
  })
})

test('a failure that is recorded again, since its answer was lost, queues one retry', async () => {
  const path = `/again/${randomUUID()}`
  const held: (() => void)[] = []
  receiver.on(path, (response) => void held.push(() => response.writeHead(204).end()))
  const owner = await createOwner(service, receiver.url + path)
  const id = await owner.sendTest()
  await receiver.waitFor(path, 1)
  const { pool } = service.runtime.db
  const record = openRecordAttempt({
    ...service.runtime,
    settings: { ...service.runtime.settings, webhookRetryDelays: [3600] },
  })
  const recorded = {
    ...(await begun(id)),
    result: { outcome: 'status_500', durationMs: 1, responseStatus: 500, response: null },
  } as const
  await Promise.all([record(recorded), record(recorded)])
  await record(recorded)
  const waiting = await pool.query(`select 1 from pgboss.job where data->>'jobId' = $1 and state = 'created'`, [id])
  expect(waiting.rowCount).toBe(1)
  for (const answer of held) answer()
  expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded' })
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
    for (let n = 0; n < 2; n++) await queue.enqueue(tx, WEBHOOK_KIND, [{ id, concurrencyKey: `twice ${id}` }])
  })
  expect(await owner.outcomeOf(id)).toMatchObject({ state: 'failed', outcome: 'status_500' })
  expect(receiver.received('/twice')).toHaveLength(2)
})
