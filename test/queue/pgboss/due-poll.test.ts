import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../../src/db/database.ts'
import type { BossQueue } from '../../../src/queue/pgboss/boss-queue.ts'
import { newId } from '../../../src/values/id.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

test('a queue is due once something in it may be taken, or where its watcher says so, and not before', async () => {
  const { db, queue } = service.runtime
  const kinds = { empty: { queue: 'due.empty' }, later: { queue: 'due.later' }, failed: { queue: 'due.failed' } }
  const called = { empty: 0, later: 0, failed: 0 }
  const laterIsDue = Promise.withResolvers<void>()
  for (const kind of Object.values(kinds)) await queue.prepare(kind)
  const watch = (name: keyof typeof kinds) =>
    queue.watchDue(kinds[name], {
      isDue: () => name === 'failed',
      onDue: () => {
        called[name]++
        if (name === 'later') laterIsDue.resolve()
      },
    })
  const watches = [watch('empty'), watch('later'), watch('failed')]
  // It is called at every look, the others at none of these.
  await until(() => called.failed > 1, 60_000, 'two looks')
  await inTransaction(db, (tx) => queue.enqueue(tx, kinds.later, [{ id: newId('msg'), delaySeconds: 1 }]))
  const waiting = `select start_after <= clock_timestamp() as due from pgboss.job where name = $1`
  await laterIsDue.promise
  expect((await db.pool.query(waiting, [kinds.later.queue])).rows).toEqual([{ due: true }])
  expect(called.empty).toBe(0)
  // It came at the looks before, when nothing else did.
  expect(called.failed).toBeGreaterThan(called.later)
  for (const end of watches) end()
})

test('a job whose transaction commits long after it became due is found, however late', async () => {
  const { db, queue } = service.runtime
  const kind = { queue: 'due.late' }
  await queue.prepare(kind)
  let isFound = false
  let looks = 0
  const unwatch = queue.watchDue(kind, {
    isDue: () => {
      looks++
      return false
    },
    onDue: () => {
      isFound = true
    },
  })
  const tx = await db.pool.connect()
  try {
    await tx.query(BEGIN_HELD)
    // As if it had waited nine seconds more: polls leave ten seconds for a transaction to begin to write.
    await queue.enqueue(tx, kind, [{ id: newId('msg') }])
    await tx.query(`update pgboss.job set start_after = now() - interval '9 s' where name = $1`, [kind.queue])
    const before = looks
    await until(() => looks > before + 7, 60_000, 'some looks')
    expect(isFound).toBe(false)
    await tx.query('commit')
    await until(() => isFound, 60_000, 'the job')
  } finally {
    tx.release()
    unwatch()
  }
})

test('a job that waits again after an outage, as on a standby that missed the claim, is found', async () => {
  const { db } = service.runtime
  const queue = service.runtime.queue as BossQueue
  const kind = { queue: 'due.again' }
  await queue.prepare(kind)
  let [looks, isFound] = [0, false]
  const unwatch = queue.watchDue(kind, {
    isDue: () => {
      looks++
      return false
    },
    onDue: () => {
      isFound ||= queue.dueSince(kind) !== null
    },
  })
  await until(() => queue.dueSince(kind) !== null, 60_000, 'a time before which nothing waits')
  await inTransaction(db, async (tx) => {
    await queue.enqueue(tx, kind, [{ id: newId('msg') }])
    await tx.query(`update pgboss.job set start_after = now() - interval '1 minute' where name = $1`, [kind.queue])
  })
  const before = looks
  await until(() => looks > before + 3, 60_000, 'some looks')
  expect(isFound).toBe(false)
  await db.pool.query('alter function due_queues(text[], timestamptz[]) rename to away')
  await until(() => queue.dueSince(kind) === null, 60_000, 'the outage to be noticed')
  await db.pool.query('alter function away(text[], timestamptz[]) rename to due_queues')
  await until(() => isFound, 60_000, 'the job')
  unwatch()
})
