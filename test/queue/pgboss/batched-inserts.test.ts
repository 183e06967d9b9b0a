import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { INSERT_JOB, INSERT_JOB_ONCE, INSERT_JOB_WITHIN_BALANCE } from '../../../src/jobs/lifecycle/queue-job.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import { queueId } from '../../../src/queue/pgboss/enqueue.ts'
import { newId } from '../../../src/values/id.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const KIND = voiceKind('probe')

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  await service.runtime.db.pool.query('create table probe_owner (id text primary key)')
  await service.runtime.db.pool.query('create table probe (id text primary key, owner text references probe_owner)')
  await service.runtime.queue.prepare(KIND)
})
afterAll(() => service.close())

const rows = async (sql: string, values: unknown[]) =>
  (await service.runtime.db.pool.query<{ id: string }>(sql, values)).rows.map(({ id }) => id)
const owner = async (id: string) => {
  await service.runtime.db.pool.query('insert into probe_owner values ($1)', [id])
  return id
}
const jobIds = (count: number) => Array.from({ length: count }, () => newId('job', service.runtime.now())).toSorted()
const add = (id: string, ownerId: string) => {
  const text = (condition: string) =>
    `insert into probe select * from unnest($1::text[], $2::text[]) as row (id, owner) where ${condition} returning id as queued`
  return service.runtime.queue.enqueueWith(service.runtime.db, { name: 'probe', text, row: [id, ownerId] }, KIND, id)
}
const stored = (ids: readonly string[]) => rows('select id from probe where id = any($1) order by id', [ids])
const queued = (ids: readonly string[]) =>
  rows('select id from pgboss.job where id = any($1::uuid[]) order by id', [ids.map(queueId)])

describe('rows that are queued at the same time', () => {
  test('are committed by one statement, each with its row in the queue', async () => {
    const mine = await owner('one')
    const ids = jobIds(8)
    const query = vi.spyOn(pg.Client.prototype, 'query')
    await Promise.all(ids.map((id) => add(id, mine)))
    const sent = query.mock.calls.filter(([statement]: unknown[]) =>
      String((statement as { name?: string }).name).startsWith('probe '),
    )
    query.mockRestore()
    expect(sent).toHaveLength(1)
    expect(await stored(ids)).toEqual(ids)
    expect(await queued(ids)).toEqual(ids.map(queueId))
  })

  test('are committed without one that PostgreSQL refuses, which fails with its own error and is not queued', async () => {
    const mine = await owner('two')
    const ids = jobIds(4)
    const outcomes = await Promise.allSettled(ids.map((id, n) => add(id, n === 1 ? 'unknown' : mine)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { code: '23503' } })
    const good = ids.filter((_, n) => n !== 1)
    expect(await stored(ids)).toEqual(good)
    expect(await queued(ids)).toEqual(good.map(queueId))
  })

  test('are those that their insertion chooses: of the others none is queued, and their callers hear it', async () => {
    const mine = await owner('chosen')
    const ids = jobIds(4)
    const chosen = ids.filter((_, n) => n % 2 === 0)
    const outcomes = await Promise.all(
      ids.map((id) => {
        const insert = {
          name: 'chosen_probe',
          with: `row as materialized (select * from unnest($1::text[], $2::text[], $3::boolean[]) as row (id, owner, is_chosen)),
            wanted as (select id from row where is_chosen)`,
          chosen: 'wanted',
          text: (condition: string) =>
            `insert into probe select id, owner from row where id in (select id from wanted) and ${condition} returning id as queued`,
          row: [id, mine, chosen.includes(id)],
        }
        return service.runtime.queue.enqueueWith(service.runtime.db, insert, KIND, id)
      }),
    )
    expect(outcomes).toEqual(ids.map((id) => chosen.includes(id)))
    expect(await stored(ids)).toEqual(chosen)
    expect(await queued(ids)).toEqual(chosen.map(queueId))
  })

  test('are there once where the connection was lost with the answer to their commit', async () => {
    const mine = await owner('three')
    const ids = jobIds(3)
    const { pool } = service.runtime.db
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
    const lost = vi.spyOn(pool, 'query').mockImplementationOnce(async (...given: unknown[]) => {
      await query(...given)
      throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    })
    await Promise.all(ids.map((id) => add(id, mine)))
    lost.mockRestore()
    expect(await stored(ids)).toEqual(ids)
    expect(await queued(ids)).toEqual(ids.map(queueId))
  })

  test('are committed while one of them waits for a lock; that one is when the lock is gone', async () => {
    const [locked, free] = [await owner('locked'), await owner('free')]
    const ids = jobIds(3)
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from probe_owner where id = $1 for update', [locked])
    const adding = ids.map((id, n) => add(id, n === 0 ? locked : free))
    await Promise.all(adding.slice(1))
    expect(await stored(ids)).toEqual(ids.slice(1))
    await client.query('commit')
    client.release()
    await adding[0]
    expect(await stored(ids)).toEqual(ids)
  })
})

test('the statements of jobs have names that PostgreSQL keeps whole, whatever the pool is called', () => {
  const { queue } = voiceKind('p'.repeat(32))
  for (const { name } of [INSERT_JOB, INSERT_JOB_ONCE, INSERT_JOB_WITHIN_BALANCE])
    expect(`${name} ${queue}`.length).toBeLessThanOrEqual(63)
})
