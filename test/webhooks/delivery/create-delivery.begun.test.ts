import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction, type Tx } from '../../../src/db/database.ts'
import { newId } from '../../../src/values/id.ts'
import { type CreatedDelivery, createDelivery } from '../../../src/webhooks/delivery/create-delivery.ts'
import { startWebhookWorker, type WebhookWorker } from '../../../src/webhooks/delivery/webhook-worker.ts'
import type { TestRuntime } from '../../setup/runtime.ts'
import type { Receiver } from '../../setup/servers/receiver.ts'
import { until } from '../../setup/wait.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../../setup/webhooks.ts'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime
let worker: WebhookWorker

beforeAll(async () => {
  fixture = await openWebhookFixture()
  ;({ receiver, service } = fixture)
  worker = await startWebhookWorker(service.runtime)
})
afterAll(async () => {
  await worker?.stop()
  await fixture?.close()
})

let owner: Owner
let path = ''
beforeEach(async () => {
  path = `/begun/${newId('job')}`
  owner = await createOwner(service, receiver.url + path)
})

const create = (tx: Tx): Promise<CreatedDelivery> => {
  const subject = { accountId: owner.account, kind: 'test', jobId: newId('job') } as const
  return createDelivery(service.runtime, tx, subject, receiver.url + path)
}

const stored = async (db: Pick<Tx, 'query'>, id: string) => {
  const { rows } = await db.query(
    `select d.attempt, d.next_attempt_at > now() + interval '10 seconds' as leased, q.state, q.retry_count,
       q.heartbeat_on is not null as beats, (select array_agg(number) from webhook_attempt where delivery_id = d.id) as attempts
     from webhook_delivery d left join pgboss.job q on q.data->>'jobId' = d.id where d.id = $1`,
    [id],
  )
  return rows[0]
}

/** While the worker looks into the queue, a delivery waits there like any other: such a transaction is rolled back here. */
const createBegun = () =>
  until(
    async () => {
      let made: CreatedDelivery | undefined
      await inTransaction(service.runtime.db, async (tx) => {
        made = await create(tx)
        if ((await stored(tx, made.id)).attempt === 0) throw new Error('not begun')
      }).catch(() => {
        made?.abandoned()
        made = undefined
      })
      return made
    },
    10_000,
    'a delivery that was created begun',
  )

describe('a delivery that its own process would attempt at once', () => {
  test('is created with that attempt, as if it had come out of the queue, and sent once it is committed', async () => {
    const { id, committed } = await createBegun()
    const taken = { attempt: 1, leased: true, state: 'active', retry_count: 0, beats: true, attempts: [1] }
    expect(await stored(service.runtime.db.pool, id)).toEqual(taken)
    expect(receiver.received(path)).toEqual([])
    committed()
    await receiver.waitFor(path)
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', attempts: [{ round: 1, number: 1 }] })
    expect(await stored(service.runtime.db.pool, id)).toMatchObject({ attempt: 1, state: null })
  })

  test('costs no attempt where the answer to its commit was lost, and is sent once', async () => {
    const { id, abandoned } = await createBegun()
    abandoned()
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', attempts: [{ round: 1, number: 1 }] })
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('comes again where the process died between its commit and its first byte', async () => {
    const { id, abandoned } = await createBegun()
    await service.runtime.db.pool.query(
      `with late as (update webhook_delivery set next_attempt_at = now() where id = $1)
       update pgboss.job set heartbeat_on = now() - interval '1 minute' where data->>'jobId' = $1`,
      [id],
    )
    await service.runtime.boss.supervise('webhook')
    const { state, attempts } = await owner.outcomeOf(id)
    expect([state, attempts.map(({ number, outcome }) => [number, outcome])]).toEqual([
      'succeeded',
      [
        [1, 'interrupted'],
        [2, 'succeeded'],
      ],
    ])
    // Of what has been sent since, nothing is released.
    abandoned()
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('waits in the queue where its receiver’s places are taken, and leaves its own to others when it is rolled back', async () => {
    const answers: (() => void)[] = []
    receiver.on(path, (response) => void answers.push(() => response.writeHead(204).end()))
    const sent = []
    for (let nth = 0; nth < 16; nth++) {
      const { id, committed } = await createBegun()
      committed()
      sent.push(id)
      await receiver.waitFor(path, nth + 1)
    }
    await inTransaction(service.runtime.db, async (tx) => {
      const { id } = await create(tx)
      expect(await stored(tx, id)).toMatchObject({ attempt: 0, state: 'created', attempts: null })
      throw new Error('rolled back')
    }).catch((error: Error) => expect(error.message).toBe('rolled back'))
    for (const answer of answers) answer()
    for (const id of sent) await owner.outcomeOf(id)
  })
})
