import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
const BURST = 20

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** The version of the row tells one write from two. */
const rowOf = async (keyId: string) => {
  const { rows } = await service.runtime.db.pool.query<{ version: string; used: Date | null }>(
    'select xmin::text as version, last_used_at as used from api_key where id = $1',
    [keyId],
  )
  return rows[0]!
}
const request = (key: string) => call(`${service.url}/api/v1/account`, { key })
const burst = (key: string) => Promise.all(Array.from({ length: BURST }, () => request(key)))

describe('the last use of a key', () => {
  test('is noted once for a minute of requests, and again for the next', async () => {
    const { key, keyId } = await service.createCaller()
    expect((await rowOf(keyId)).used).toBeNull()
    await burst(key)
    await until(async () => (await rowOf(keyId)).used !== null, TIMEOUT_MS, 'the first use')
    const first = await rowOf(keyId)
    expect(Math.abs(Date.now() - first.used!.getTime())).toBeLessThan(TIMEOUT_MS)
    await burst(key)
    // The statement that writes this key's use would write the other's too.
    const other = await service.createCaller()
    await request(other.key)
    await until(async () => (await rowOf(other.keyId)).used !== null, TIMEOUT_MS, 'the use of another key')
    expect(await rowOf(keyId)).toEqual(first)
    await service.runtime.db.pool.query(`update api_key set last_used_at = now() - interval '61 s' where id = $1`, [
      keyId,
    ])
    await request(key)
    await until(async () => (await rowOf(keyId)).used! >= first.used!, TIMEOUT_MS, 'the next use')
  })

  test('keeps no request waiting while it cannot be written', async () => {
    const { key, keyId } = await service.createCaller()
    const holder = new Client({ connectionString: service.runtime.db.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from api_key where id = $1 for update', [keyId])
    const waiting = async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update api_key%'`
      return (await service.runtime.db.pool.query(text)).rowCount === 1
    }
    await burst(key)
    await until(waiting, TIMEOUT_MS, 'the write to wait')
    expect(new Set((await burst(key)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await rowOf(keyId)).used).toBeNull()
    await holder.query('rollback')
    await holder.end()
    await until(async () => (await rowOf(keyId)).used !== null, TIMEOUT_MS, 'the use')
  })
})
