import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const GPU = 'http://gpu'
const TIMEOUT_MS = 30_000

interface Given {
  readonly limit?: number
  readonly pools?: readonly string[]
  readonly kept?: number
  readonly rest?: number
  /** The caller's own. */
  readonly own?: readonly string[]
  readonly turn?: number
}

describe('a server is shared out', { timeout: 60_000 }, () => {
  let service: TestRuntime
  let pool: Pool
  let turn = 0
  beforeAll(async () => {
    service = await startTestRuntime()
    pool = service.runtime.db.pool as unknown as Pool
  })
  afterAll(() => service.close())
  beforeEach(() => pool.query('delete from worker'))

  const addWorker = (id: string, permits = 0, changes: { pools?: readonly string[]; silentSeconds?: number } = {}) =>
    pool.query(
      `insert into worker (id, host, version, pools, slots, in_flight, gpus, permits, heartbeat_at)
       values ($1, 'here', '0', $2, 1, 1, '[]', $3, now() - $4 * interval '1 second')`,
      [id, changes.pools ?? ['gpu'], permits > 0 ? { [GPU]: permits } : {}, changes.silentSeconds ?? 0],
    )
  const share = async (id: string, given: Given = {}) => {
    const { limit = 8, pools = ['gpu'], kept = 0, rest = 0, own = ['gpu'] } = given
    const asked = [{ name: GPU, limit, pools, shared: false, kept, rest }]
    const { rows } = await pool.query(`select fair, permits from share_servers($1, $2, $3, interval '5 seconds', $4)`, [
      id,
      given.turn ?? ++turn,
      own,
      JSON.stringify(asked),
    ])
    return rows[0]
  }
  const written = async () => {
    const { rows } = await pool.query(`select coalesce((permits->>$1)::integer, 0) as n from worker order by id`, [GPU])
    return rows.map(({ n }) => n as number)
  }

  test('to one worker whole, to several in equal parts, and what is left over to the oldest', async () => {
    await addWorker('a')
    expect(await share('a')).toEqual({ fair: 8, permits: 8 })
    await addWorker('b')
    await addWorker('c')
    expect(await share('a')).toEqual({ fair: 3, permits: 3 })
    expect(await share('b')).toEqual({ fair: 3, permits: 3 })
    expect(await share('c')).toEqual({ fair: 2, permits: 2 })
    expect(await written()).toEqual([3, 3, 2])
  })

  test('never beyond what the others still hold, the dead included until their jobs are rescued', async () => {
    await addWorker('a', 8)
    await addWorker('b')
    expect(await share('b')).toEqual({ fair: 4, permits: 0 })
    expect(await share('a', { kept: 6 })).toEqual({ fair: 4, permits: 6 })
    expect(await share('b')).toEqual({ fair: 4, permits: 2 })
    await pool.query(`update worker set heartbeat_at = now() - interval '6 seconds' where id = 'a'`)
    expect(await share('b', { kept: 2 })).toEqual({ fair: 8, permits: 2 })
    await pool.query(`update worker set permits = '{}' where id = 'a'`)
    expect(await share('b', { kept: 2 })).toEqual({ fair: 8, permits: 8 })
    // It wakes up with the permits that it had.
    expect(await share('a', { kept: 6 })).toEqual({ fair: 4, permits: 0 })
  })

  test('in a commit that waits for the disk only if permits change: the locks last until then', async () => {
    await addWorker('a')
    const client = await pool.connect()
    const waits = async () => {
      await client.query('begin; set local synchronous_commit = on')
      const asked = [{ name: GPU, limit: 8, pools: ['gpu'], shared: false, kept: 0, rest: 0 }]
      const values = ['a', ++turn, ['gpu'], JSON.stringify(asked)]
      await client.query(`select share_servers($1, $2, $3, interval '5 seconds', $4)`, values)
      const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit')
      await client.query('commit')
      return rows[0]?.synchronous_commit
    }
    expect([await waits(), await waits()]).toEqual(['on', 'off'])
    await addWorker('b')
    expect([await waits(), await waits()]).toEqual(['on', 'off'])
    client.release()
  })

  test('without a part for workers that take nothing new', async () => {
    await addWorker('a', 2, { pools: [] })
    await addWorker('b')
    await addWorker('c', 0, { pools: ['elsewhere'] })
    expect(await share('b')).toEqual({ fair: 8, permits: 6 })
    expect(await share('a', { own: [], kept: 2, rest: 2 })).toEqual({ fair: 2, permits: 2 })
  })

  test('to no more workers than there are places', async () => {
    for (const id of ['a', 'b', 'c']) await addWorker(id)
    for (const id of ['a', 'b']) await share(id, { limit: 2 })
    expect(await share('c', { limit: 2 })).toEqual({ fair: 0, permits: 0 })
  })

  test('in turn where there are more pools than places, so that no pool waits for ever', async () => {
    const pools = { a: ['gpu'], b: ['slow', 'gpu'], c: ['late'] }
    for (const [id, own] of Object.entries(pools)) await addWorker(id, 0, { pools: own })
    // A turn lasts ten seconds of the database's clock.
    const { rows } = await pool.query(`select pg_get_functiondef('share_servers'::regproc) as text`)
    const NOW = 'floor(extract(epoch FROM clock_timestamp()) / 10)::bigint'
    expect(rows[0].text).toContain(NOW)
    const inTurn = (n: number) => pool.query(rows[0].text.replace(NOW, String(n)))
    const fairIn = async (n: number) => {
      await inTurn(n)
      const fair: number[] = []
      for (const [id, own] of Object.entries(pools))
        fair.push((await share(id, { limit: 2, own, pools: ['gpu', 'slow', 'late'] })).fair)
      return fair
    }
    try {
      expect([await fairIn(0), await fairIn(1), await fairIn(2), await fairIn(3)]).toEqual([
        [1, 1, 0],
        [1, 0, 1],
        [0, 1, 1],
        [1, 1, 0],
      ])
    } finally {
      await pool.query(rows[0].text)
    }
  })

  test('under a lock of its own: no one waits for the lock of another server, nor a program that shares out all', async () => {
    await addWorker('a')
    const other = await pool.connect()
    const lock = async (name: string) => {
      await other.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    }
    const waits = async () => {
      const { rows } = await pool.query(`select from pg_stat_activity where wait_event = 'advisory'`)
      return rows.length === 1
    }
    try {
      await lock('sonant permits http://elsewhere')
      expect(await share('a', { limit: 3 })).toEqual({ fair: 3, permits: 3 })
      for (const name of [`sonant permits ${GPU}`, 'sonant permits']) {
        await lock(name)
        const shared = share('a', { limit: 5 })
        await until(waits, TIMEOUT_MS, `a wait for ${name}`)
        // The older program writes under its lock, and is seen.
        await pool.query(`insert into worker (id, host, version, pools, slots, in_flight, gpus, permits)
          values ('old', 'here', '0', '{}', 1, 1, '[]', '{"${GPU}": 4}') on conflict (id) do nothing`)
        await other.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
        expect(await shared).toEqual({ fair: 5, permits: 1 })
      }
    } finally {
      other.release(true)
    }
  })

  test('by the latest statement of a worker: one that comes late, or of no worker, changes nothing', async () => {
    await addWorker('a')
    await share('a', { turn: 1000 })
    expect(await share('a', { turn: 999, limit: 1 })).toBeUndefined()
    expect(await share('nobody')).toBeUndefined()
    expect(await written()).toEqual([8])
  })

  test('in whatever order workers come, go and renew: the permits are never more than the limit', async () => {
    const step = fc.record({ worker: fc.nat(4), lives: fc.boolean(), used: fc.nat(12) })
    const holds = async (limit: number, steps: { worker: number; lives: boolean; used: number }[]) => {
      await pool.query('delete from worker')
      const kept = new Map<string, number>()
      for (const { worker, lives, used } of steps) {
        const id = String(worker)
        if (!lives) {
          await pool.query('delete from worker where id = $1', [id])
          kept.delete(id)
          continue
        }
        if (!kept.has(id)) await addWorker(id)
        const { permits } = await share(id, { limit, kept: Math.min(used, kept.get(id) ?? 0) })
        kept.set(id, permits)
        expect((await written()).reduce((sum, held) => sum + held, 0)).toBeLessThanOrEqual(limit)
      }
    }
    const runs = fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 30 }), holds)
    await fc.assert(runs, { numRuns: 25 })
  })
})
