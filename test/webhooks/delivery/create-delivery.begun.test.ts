import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { inTransaction, type Tx } from '../../../src/db/database.ts'
import type { BossQueue } from '../../../src/queue/pgboss/boss-queue.ts'
import { newId } from '../../../src/values/id.ts'
import { type CreatedDelivery, createDelivery } from '../../../src/webhooks/delivery/create-delivery.ts'
import { startWebhookWorker, type WebhookWorker } from '../../../src/webhooks/delivery/webhook-worker.ts'
import type { Receiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'
import { until } from '../../setup/wait.ts'

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
const createBegun = (meanwhile?: () => Promise<void>) =>
  until(
    async () => {
      let made: CreatedDelivery | undefined
      await inTransaction(service.runtime.db, async (tx) => {
        made = await create(tx)
        if ((await stored(tx, made.id)).attempt === 0) throw new Error('not begun')
        await meanwhile?.()
      }).catch(() => {
        made?.abandoned()
        made = undefined
      })
      return made
    },
    60_000,
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
    abandoned()
    const { state, attempts } = await owner.outcomeOf(id)
    expect([state, attempts.map(({ number, outcome }) => [number, outcome])]).toEqual([
      'succeeded',
      [
        [1, 'interrupted'],
        [2, 'succeeded'],
      ],
    ])
  })

  test('is not taken back late, from the worker that has begun it since', async () => {
    const held: (() => void)[] = []
    receiver.on(path, (response) => void held.push(() => response.writeHead(204).end()))
    const giveUp = vi.spyOn(service.runtime.queue as BossQueue, 'giveUp')
    const { pool } = service.runtime.db
    const { id, abandoned } = await createBegun()
    giveUp.mockClear()
    // The attempt is taken back, the heartbeat runs out, and it is begun again under the same number.
    await pool.query(
      `with back as (update webhook_delivery set attempt = 0, next_attempt_at = now() where id = $1),
       erased as (delete from webhook_attempt where delivery_id = $1)
       update pgboss.job set state = 'retry', start_after = now(), heartbeat_on = null where data->>'jobId' = $1`,
      [id],
    )
    await receiver.waitFor(path)
    const begun = await stored(pool, id)
    expect(begun).toMatchObject({ attempt: 1, state: 'active', retry_count: 1, attempts: [1] })
    abandoned()
    expect(await giveUp.mock.results[0]!.value).toBe(false)
    giveUp.mockRestore()
    expect(await stored(pool, id)).toEqual(begun)
    held[0]!()
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded', attempts: [{ round: 1, number: 1 }] })
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('is given up once, though the answer to that is lost', async () => {
    const held: (() => void)[] = []
    receiver.on(path, (response) => void held.push(() => response.writeHead(204).end()))
    const giveUp = vi.spyOn(service.runtime.queue as BossQueue, 'giveUp')
    const { id, abandoned } = await createBegun()
    abandoned()
    await receiver.waitFor(path)
    const begun = await stored(service.runtime.db.pool, id)
    expect(await (service.runtime.queue as BossQueue).giveUp(...giveUp.mock.calls.at(-1)!)).toBe(false)
    giveUp.mockRestore()
    expect(await stored(service.runtime.db.pool, id)).toEqual(begun)
    held[0]!()
    expect(await owner.outcomeOf(id)).toMatchObject({ state: 'succeeded' })
  })

  test('leaves its place to others when it is rolled back', async () => {
    let begun = 0
    const rollBack = async () => {
      const made: CreatedDelivery[] = []
      await inTransaction(service.runtime.db, async (tx) => {
        for (let nth = 0; nth < 8; nth++) {
          made.push(await create(tx))
          if ((await stored(tx, made[nth]!.id)).attempt === 1) begun++
        }
        throw new Error('rolled back')
      }).catch(() => undefined)
      for (const { abandoned } of made) abandoned()
      return begun > 32
    }
    await until(rollBack, 60_000, 'more begun deliveries than a key has places')
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ state: 'succeeded' })
  })

  test('waits in the queue where its receiver’s places are taken', async () => {
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

  test('is released by a worker that stops meanwhile, and waits for its transaction', async () => {
    const order: string[] = []
    let stopped: Promise<unknown> | undefined
    const made = await createBegun(async () => {
      stopped = worker.stop().then(() => order.push('stopped'))
      await service.runtime.db.pool.query('select pg_sleep(0.2)')
      order.push('committed')
    })
    made.committed()
    await stopped
    expect(order).toEqual(['committed', 'stopped'])
    expect(await stored(service.runtime.db.pool, made.id)).toMatchObject({ attempt: 0, beats: false, attempts: null })
    expect(receiver.received(path)).toEqual([])
    worker = await startWebhookWorker(service.runtime)
    expect(await owner.outcomeOf(made.id)).toMatchObject({ state: 'succeeded', attempts: [{ round: 1, number: 1 }] })
  })
})
