import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { KeyedLimiter } from '../../../src/concurrency/keyed-limiter.ts'
import { inTransaction } from '../../../src/db/database.ts'
import type { JobKind } from '../../../src/queue/job-kind.ts'
import type { JobSource } from '../../../src/queue/job-source.ts'
import { keyedSource } from '../../../src/queue/pgboss/keyed-source.ts'
import { newId } from '../../../src/values/id.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const FREE = 1000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

let kinds = 0

/** A queue of its own with a source over it; `isResponsive` says which receivers answer. */
async function openKeyed(
  isResponsive: (receiver: string) => boolean,
  options: Partial<Omit<Parameters<typeof keyedSource>[0], 'log'>> = {},
) {
  const { boss, queue, db, workerId, log } = service.runtime
  const kind: JobKind = { queue: `keyed.${++kinds}` }
  await queue.prepare(kind)
  const limiter = new KeyedLimiter({ perAccount: 64, perReceiver: 32 }, { perAccount: 64, perKey: 4, isResponsive })
  const source = keyedSource({ boss, queue, kind, limiter, workerId, log, ...options })
  const taken: string[] = []
  const take = async () => {
    const { deliveries, more } = await source.take(FREE, [])
    taken.push(...deliveries.map(({ concurrencyKey }) => concurrencyKey!))
    return { deliveries, more }
  }
  return {
    source,
    taken,
    take,
    /** As a dispatcher does: until there is nothing more to look for. */
    takeAll: async () => {
      const all = []
      for (let more = true; more; ) {
        const next = await take()
        all.push(...next.deliveries)
        more = next.more
      }
      return all
    },
    add: (concurrencyKey: string, count: number) =>
      inTransaction(db, async (tx) => {
        for (let nth = 0; nth < count; nth++) await queue.enqueue(tx, kind, [{ id: newId('msg'), concurrencyKey }])
      }),
    states: async () => {
      const text = `select state, count(*)::int as n from pgboss.job where name = $1 group by 1 order by 1`
      const { rows } = await db.pool.query(text, [kind.queue])
      return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
    },
  }
}

const releaseAll = (source: JobSource, deliveries: Awaited<ReturnType<JobSource['take']>>['deliveries']) =>
  deliveries.map((delivery) => source.left(delivery, FREE)).includes(true)

describe('keyedSource', () => {
  test('takes few jobs of a receiver of which nothing is known, and leaves the rest in the queue untouched', async () => {
    const { add, takeAll, states } = await openKeyed(() => false)
    await add('a r', 20)
    expect(await takeAll()).toHaveLength(4)
    expect(await states()).toEqual({ active: 4, created: 16 })
  })

  test('takes others besides a full key, also such as come later', async () => {
    const { source, add, takeAll, taken } = await openKeyed(() => false)
    await add('a r1', 20)
    await add('b r2', 2)
    expect(await takeAll()).toHaveLength(6)
    await add('c r3', 1)
    source.invalidate?.()
    await takeAll()
    expect(taken.slice(4)).toEqual(['b r2', 'b r2', 'c r3'])
  })

  test('does not look past a key again where nothing else waited, until something new may have come', async () => {
    const { source, add, take, takeAll } = await openKeyed(() => true)
    await add('a r1', 80)
    const first = await takeAll()
    expect(first.length).toBeGreaterThan(16)
    expect(releaseAll(source, first)).toBe(true)
    // It brings a whole batch of that key again, and knows that there is nothing besides it.
    const next = await take()
    expect(next.deliveries).toHaveLength(16)
    const last = await take()
    expect([last.deliveries.length, last.more]).toEqual([16, false])
    // Neither does a look that was asked for meanwhile, as each end of a job asks for one.
    const fetch = vi.spyOn(service.runtime.boss, 'fetch')
    expect(await take()).toEqual({ deliveries: [], more: false })
    expect(fetch).not.toHaveBeenCalled()
    fetch.mockRestore()
    await add('b r2', 1)
    source.invalidate?.()
    expect((await takeAll()).map(({ concurrencyKey }) => concurrencyKey)).toEqual(['b r2'])
  })

  test('what finds no capacity is released as if it had never been taken', async () => {
    let responsive = true
    const { source, add, takeAll, states } = await openKeyed(() => responsive)
    await add('a r1', 40)
    const first = await takeAll()
    releaseAll(source, first)
    responsive = false
    const second = await takeAll()
    expect(second).toHaveLength(4)
    const { active, created, retry } = await states()
    expect([active, created + retry]).toEqual([first.length + 4, 40 - first.length - 4])
    expect(second.every(({ retryCount }) => retryCount === 0)).toBe(true)
  })

  test('brings what it has accepted, where the rest cannot be released: its key stays open', async () => {
    const limiter = new KeyedLimiter({ perAccount: 64, perReceiver: 32 })
    const broken = { ...service.runtime.queue, release: () => Promise.reject(new Error('the database is away')) }
    const { source, add, take } = await openKeyed(() => true, { limiter, queue: broken })
    await add('a r', 80)
    let left = 3
    const { tryAcquire } = KeyedLimiter.prototype
    vi.spyOn(limiter, 'tryAcquire').mockImplementation((key) => left-- > 0 && tryAcquire.call(limiter, key))
    const { deliveries, more } = await take()
    expect([deliveries.length, more]).toEqual([3, true])
    for (const delivery of deliveries) source.left(delivery, FREE)
    vi.restoreAllMocks()
    expect(limiter.full()).toEqual([])
    expect((await take()).deliveries).toHaveLength(16)
  })
})
