import { Socket } from 'node:net'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { HungConnections } from '../../../src/db/connections/hung-connections.ts'
import { LossLog } from '../../../src/db/connections/loss-log.ts'
import { Servers } from '../../../src/db/connections/servers.ts'
import { ServicePool } from '../../../src/db/connections/service-pool.ts'
import { withLock } from '../../../src/db/lock.ts'
import { openNotifier } from '../../../src/db/postgres-notifier.ts'
import { isDatabaseDown } from '../../../src/errors/database-down.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { type FaultProxy, startFaultProxy } from '../../setup/servers/fault-proxy.ts'
import { until } from '../../setup/wait.ts'

const LOOK_EVERY_MS = 100
/** Longer than a connection that hangs is left. */
const LONG_STATEMENT = 'select pg_sleep(2), 1 as answer'

let home: TestDatabase
let proxy: FaultProxy
let pool: Pool
let losses: LossLog
beforeAll(async () => {
  home = await createTestDatabase()
  proxy = await startFaultProxy(home.url)
  const servers = new Servers([proxy.url])
  losses = new LossLog(openLog('silent'))
  const statements = { areNamed: true, afterBegin: null }
  const hung = new HungConnections(servers, losses, LOOK_EVERY_MS)
  pool = new ServicePool(servers, {
    ...{ max: 3, connectionTimeoutMillis: 5000, statements, hung },
    settings: `set application_name = 'watched'`,
  })
  pool.on('error', () => undefined)
})
afterEach(() => {
  proxy.rule = () => null
})
afterAll(async () => {
  await pool?.end()
  await proxy?.close()
  await home?.drop()
})

describe('connections that hang', () => {
  test('are ended once the server is at work on nothing of theirs, and those with a long statement are not', async () => {
    proxy.rule = (bytes) => (bytes.includes('never arrives') ? 'silence' : null)
    const long = pool.query<{ answer: number }>(LONG_STATEMENT)
    const lost = await Promise.all(
      [1, 2].map((n) => pool.query(`select 'never arrives', ${n}`).catch((error) => error)),
    )
    expect(lost.map((error) => [isDatabaseDown(error), error.message])).toEqual(
      Array(2).fill([true, 'Connection terminated: the server does not answer any more']),
    )
    expect(losses.total).toBe(2)
    expect((await long).rows).toEqual([expect.objectContaining({ answer: 1 })])
    expect(pool.totalCount).toBe(1)
  })

  test('are ended where the server cannot be reached at all, and replaced as soon as it can', async () => {
    await pool.query('select 1')
    proxy.rule = () => 'silence'
    const error = await pool.query('select 2').catch((reason) => reason)
    expect(isDatabaseDown(error)).toBe(true)
    proxy.rule = () => null
    expect((await pool.query('select 3 as answer')).rows).toEqual([{ answer: 3 }])
  })

  test('are ended where they hear notifications and nothing comes from the server, and hear again on a new one', async () => {
    const notifier = await openNotifier(new Servers([proxy.url]), openLog('silent'), { lookEveryMs: LOOK_EVERY_MS })
    const [heard, resync] = [vi.fn(), vi.fn()]
    await notifier.listen('quiet', heard, resync)
    // Quiet for longer than a connection that hangs is left, and not lost.
    await pool.query('select pg_sleep(0.5)')
    expect(resync).not.toHaveBeenCalled()
    proxy.rule = (bytes) => {
      if (!bytes.includes('select\0')) return null
      proxy.rule = () => null
      return 'silence'
    }
    await until(() => resync.mock.calls.length > 0, 5000, 'another connection')
    await pool.query(`select pg_notify('quiet', 'again')`)
    await until(() => heard.mock.calls.length > 0, 5000, 'the notification')
    expect([heard.mock.calls, resync.mock.calls]).toEqual([[['again']], [[]]])
    await notifier.close()
  })

  test('are ended where they hold a lock: what runs under it is said to have lost it, and others get it', async () => {
    const db = { direct: new Servers([proxy.url]) }
    let lost: Promise<unknown> = Promise.resolve()
    const first = async () => {
      lost = withLock(db, 'silent', () => new Promise(() => (proxy.rule = () => 'silence')), LOOK_EVERY_MS)
      return (await pool.query('select pg_sleep(0.5)')).rowCount
    }
    expect(await withLock(db, 'silent', first, LOOK_EVERY_MS)).toBe(1)
    const error = (await lost.catch((reason: Error) => reason)) as Error
    expect([isDatabaseDown(error), error.message]).toEqual([true, 'Connection terminated: the lock "silent" was lost'])
    proxy.rule = () => null
    expect(await withLock(db, 'silent', async () => 'others')).toBe('others')
  })

  test('are asked for signs of life by TCP while no statement runs', async () => {
    const kept = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const client = await new Servers([proxy.url]).connect({})
    await client.end()
    const pooled = await Promise.all([1, 2, 3].map(() => pool.connect()))
    for (const one of pooled) one.release()
    expect(kept.mock.calls.length).toBeGreaterThan(1)
    expect(new Set(kept.mock.calls.map((call) => call.join(' ')))).toEqual(new Set(['true 10000']))
    kept.mockRestore()
  })
})
