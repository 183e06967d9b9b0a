import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, escapeIdentifier, type Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { HungConnections, LossLog } from '../../../src/db/connections/hung-connections.ts'
import { Servers } from '../../../src/db/connections/servers.ts'
import { ServicePool } from '../../../src/db/connections/service-pool.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { withLock } from '../../../src/db/lock.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openNotifier } from '../../../src/db/postgres-notifier.ts'
import { Snapshot } from '../../../src/db/snapshot.ts'
import { isDatabaseDown } from '../../../src/errors/outages.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { type FaultProxy, startFaultProxy } from '../../setup/servers/fault-proxy.ts'
import { until } from '../../setup/wait.ts'

const POLL_MS = 100
/** Locks that any connection may hold while a long statement waits for them. */
const [LOCK, PASSING_LOCK] = [4711, 4712]
const LONG_STATEMENT = `select pg_advisory_lock(${LOCK}), 1 as answer`
/** A connection that hangs is ended before so many signs of life were due, or so many turns in which a lock is waited for. */
const [SIGNS_OF_LIFE, LOCK_TURNS] = [3, 12]
/** More than what ends a connection if it is denied. */
const UNKNOWNS = 5
const NOT_ANSWERED = 'Connection terminated: the server does not answer any more'
/** How the message begins that a client ends its connection with. */
const TERMINATE = 'X'.charCodeAt(0)

const NO_SERVER = 'postgresql://127.0.0.1:1/none'

let home: TestDatabase
let proxy: FaultProxy
let pool: Pool
let losses: LossLog
beforeAll(async () => {
  home = await createTestDatabase()
  proxy = await startFaultProxy(home.url)
  losses = new LossLog(openLog('silent'))
  pool = openPool(proxy.url)
})

function openPool(...urls: readonly string[]): Pool {
  const servers = new Servers(urls)
  const statements = { areNamed: true, afterBegin: null }
  const hung = new HungConnections(servers, losses, POLL_MS)
  const opened = new ServicePool(servers, {
    ...{ max: 3, connectionTimeoutMillis: 30_000, statements, hung },
    settings: `set application_name = 'watched'`,
  })
  return opened.on('error', () => undefined)
}

afterEach(() => {
  proxy.rule = () => null
})
afterAll(async () => {
  await pool?.end()
  await proxy?.close()
  await home?.drop()
})

/** Until the server was sent this so many times. */
async function sent(text: string, times: number): Promise<void> {
  let seen = 0
  proxy.rule = (bytes) => {
    if (bytes.includes(text)) seen++
    return null
  }
  await until(() => seen >= times, 60_000, 'signs of life')
}

describe('connections that hang', () => {
  test('are ended once the server is at work on nothing of theirs, and those with a long statement are not', async () => {
    proxy.rule = (bytes) => (bytes.includes('never arrives') ? 'silence' : null)
    const holder = new Client(home.url)
    await holder.connect()
    await holder.query('select pg_advisory_lock($1)', [LOCK])
    const long = pool.query<{ answer: number }>(LONG_STATEMENT)
    const lost = await Promise.all(
      [1, 2].map((n) => pool.query(`select 'never arrives', ${n}`).catch((error) => error)),
    )
    expect(lost.map((error) => [isDatabaseDown(error), error.message])).toEqual(Array(2).fill([true, NOT_ANSWERED]))
    expect(losses.total).toBe(2)
    // It has been under way for longer than they were.
    await holder.end()
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

  test.each([
    ['what it is at work on', 'pg_stat_activity', 'off', []],
    ['whether it takes writes', 'pg_is_in_recovery', 'on', []],
    ['whether it takes writes, and no other server is there', 'pg_is_in_recovery', 'on', [NO_SERVER]],
  ])(
    'are not ended while logins are accepted and no answer says %s, as by a pooler that has no connection free',
    async (_what, question, readOnly, others) => {
      const asking = openPool(proxy.url, ...others)
      onTestFinished(() => asking.end())
      await asking.query('select')
      const holder = new Client(home.url)
      await holder.connect()
      const name = escapeIdentifier(new URL(home.url).pathname.slice(1))
      await holder.query(`alter database ${name} set default_transaction_read_only = ${readOnly}`)
      await holder.query('select pg_advisory_lock($1)', [PASSING_LOCK])
      const kept = proxy.cuts.silence
      proxy.rule = (bytes) => (bytes.includes(question) ? 'silence' : null)
      const long = asking.query<{ answer: number }>(`select pg_advisory_xact_lock(${PASSING_LOCK}), 1 as answer`)
      const lost = long.catch((reason) => reason)
      await Promise.race([lost, until(() => proxy.cuts.silence >= kept + UNKNOWNS, 60_000, 'unanswered questions')])
      await holder.query(`alter database ${name} set default_transaction_read_only = off`)
      await holder.end()
      expect((await long).rows).toEqual([expect.objectContaining({ answer: 1 })])
    },
  )

  test('are ended where they hear notifications and nothing comes from the server, and hear again on a new one', async () => {
    const notifier = await openNotifier(new Servers([proxy.url]), openLog('silent'), { pollMs: POLL_MS })
    const [heard, resync] = [vi.fn(), vi.fn()]
    await notifier.listen('quiet', heard, resync)
    // Quiet for longer than a connection that hangs is left, and not lost.
    await sent('select\0', SIGNS_OF_LIFE)
    expect(resync).not.toHaveBeenCalled()
    proxy.rule = (bytes) => {
      if (!bytes.includes('select\0')) return null
      proxy.rule = () => null
      return 'silence'
    }
    await until(() => resync.mock.calls.length > 0, 60_000, 'another connection')
    await pool.query(`select pg_notify('quiet', 'again')`)
    await until(() => heard.mock.calls.length > 0, 60_000, 'the notification')
    expect([heard.mock.calls, resync.mock.calls]).toEqual([[['again']], [[]]])
    await notifier.close()
  })

  test('are ended where they hold a lock: what runs under it is said to have lost it, and others get it', async () => {
    const db = { direct: new Servers([proxy.url]) }
    let lost: Promise<unknown> = Promise.resolve()
    const first = async () => {
      lost = withLock(db, 'silent', () => new Promise(() => (proxy.rule = () => 'silence')), POLL_MS)
      await sent('pg_advisory_lock', LOCK_TURNS)
      return 'the first'
    }
    expect(await withLock(db, 'silent', first, POLL_MS)).toBe('the first')
    const error = (await lost.catch((reason: Error) => reason)) as Error
    expect([isDatabaseDown(error), error.message]).toEqual([true, 'Connection terminated: the lock "silent" was lost'])
    proxy.rule = () => null
    expect(await withLock(db, 'silent', async () => 'others')).toBe('others')
  })

  test('are ended where they are of their own: while a statement runs, a long one excepted, and while they are closed', async () => {
    const hung = new HungConnections(new Servers([proxy.url]), losses, POLL_MS)
    const [lost, left, long] = await Promise.all([1, 2, 3].map(() => hung.connect({})))
    const holder = new Client(home.url)
    await holder.connect()
    await holder.query('select pg_advisory_lock($1)', [LOCK])
    const answer = long!.query<{ answer: number }>(LONG_STATEMENT)
    proxy.rule = (bytes) => (bytes.includes('never arrives') || bytes[0] === TERMINATE ? 'silence' : null)
    const [error] = await Promise.all([lost!.query(`select 'never arrives'`).catch((reason) => reason), left!.end()])
    expect([isDatabaseDown(error), error.message]).toEqual([true, NOT_ANSWERED])
    await holder.end()
    expect((await answer).rows).toEqual([expect.objectContaining({ answer: 1 })])
    proxy.rule = () => null
    await long!.end()
    hung.close()
  })

  test('are ended where rows are copied, and not while the reader of the rows is slow', async () => {
    const hung = new HungConnections(new Servers([proxy.url]), losses, POLL_MS)
    const [slow, lost] = await Promise.all([1, 2].map(() => Snapshot.open({ watched: hung })))
    const rows = slow!.copy(`copy (select repeat('x', 1000) from generate_series(1, 20000)) to stdout`)
    await once(rows, 'readable')
    proxy.rule = (bytes) => (bytes.includes('never arrives') ? 'silence' : null)
    const error = await lost!
      .copy(`copy (select 'never arrives') to stdout`)
      .toArray()
      .catch((reason) => reason)
    expect([isDatabaseDown(error), error.message]).toEqual([true, NOT_ANSWERED])
    rows.resume()
    await once(rows, 'end')
    await slow!.commit()
    expect(rows.rowCount).toBe(20_000)
    slow!.close()
    hung.close()
  })

  test('are ended where a migration runs, which another run then goes on with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sonant-migrations-'))
    await mkdir(join(folder, '1_first'))
    await writeFile(join(folder, '1_first', 'migration.sql'), `create table kept (n int); select 'never arrives'`)
    const other = await createTestDatabase()
    const hanging = await startFaultProxy(other.url)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const db = openDatabase(hanging.url, openLog('silent'))
    const migrating = () => migrate(db, openLog('silent'), { folder })
    try {
      hanging.rule = (bytes) => (bytes.includes('never arrives') ? 'silence' : null)
      let error: Error | undefined
      const run = migrating().catch((reason) => (error = reason))
      await until(() => vi.advanceTimersByTime(5_000) && error, 60_000, 'the migration to end')
      await run
      expect([isDatabaseDown(error), error?.message]).toEqual([true, NOT_ANSWERED])
      // Not healed: that ends idle connections, too, one of which might be taken before its end has come.
      hanging.rule = () => null
      await migrating()
      expect((await db.pool.query('select from kept')).rowCount).toBe(0)
    } finally {
      vi.useRealTimers()
      await db.close()
      await hanging.close()
      await other.drop()
      await rm(folder, { recursive: true })
    }
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
