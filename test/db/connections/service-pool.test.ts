import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HungConnections, LossLog } from '../../../src/db/connections/hung-connections.ts'
import { Servers } from '../../../src/db/connections/servers.ts'
import { ServicePool } from '../../../src/db/connections/service-pool.ts'
import { isDatabaseDown } from '../../../src/errors/outages.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { type FaultProxy, startFaultProxy } from '../../setup/servers/fault-proxy.ts'
import { until } from '../../setup/wait.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** A new connection begins with this. `keeping` stands for a full pooler: it accepts the login and holds this statement. */
const SETTINGS = `set application_name = 'begun'`
const NONE_WAS_FREE = 'timeout exceeded when trying to connect'

let home: TestDatabase
let silent: FaultProxy
let keeping: FaultProxy
let open: Pool[] = []
beforeAll(async () => {
  home = await createTestDatabase()
  silent = await startFaultProxy(home.url)
  silent.rule = () => 'silence'
  keeping = await startFaultProxy(home.url)
})
afterEach(async () => {
  keeping.heal()
  await Promise.all(open.map((pool) => pool.end()))
  open = []
})
afterAll(async () => {
  await Promise.all([silent?.close(), keeping?.close()])
  await home?.drop()
})

const keep = () => {
  keeping.rule = (bytes) => (bytes.includes(SETTINGS) ? 'silence' : null)
}

/** Opens a pool of one connection unless told otherwise. */
function openPool(urls: readonly string[], options: { max?: number; settings?: string } = {}): Pool {
  const servers = new Servers(urls)
  const pool = new ServicePool(servers, {
    ...{ max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, settings: null, ...options },
    ...{
      statements: { areNamed: true, afterBegin: null },
      hung: new HungConnections(servers, new LossLog(openLog('silent'))),
    },
  })
  pool.on('error', () => undefined)
  open.push(pool)
  return pool
}

const refused = (pool: Pool) => pool.connect().catch((error: Error) => error.message)

describe('a pool with several servers', () => {
  test('waits as long as with one for a connection where all are in use', async () => {
    const [several, single] = [openPool([home.url, home.url, home.url]), openPool([home.url])]
    const [held, other] = [await several.connect(), await single.connect()]
    const order: string[] = []
    const once = refused(several).then((message) => order.push(`several: ${message}`))
    const twice = refused(single)
      .then(() => refused(single))
      .then(() => order.push('one, for the second time'))
    await Promise.all([once, twice])
    held.release()
    other.release()
    expect(order).toEqual([`several: ${NONE_WAS_FREE}`, 'one, for the second time'])
  })

  test('asks the next one where a server does not answer, for what waited for its connection as well', async () => {
    const pool = openPool([silent.url, home.url])
    const answers = await Promise.all([1, 2, 3].map((n) => pool.query('select $1::int as n', [n])))
    expect(answers.map(({ rows }) => rows[0].n)).toEqual([1, 2, 3])
  })
})

describe('a pool whose new connections are accepted and then kept waiting', () => {
  test('gives those who wait another one that becomes free', async () => {
    const pool = openPool([keeping.url], { max: 3, settings: SETTINGS })
    const held = await pool.connect()
    const kept = keeping.cuts.silence
    keep()
    const answers = [1, 2].map((n) => pool.query('select $1::int as n', [n]))
    await until(() => keeping.cuts.silence === kept + 2, 10_000, 'two connections to be kept waiting')
    held.release()
    expect((await Promise.all(answers)).map(({ rows }) => rows[0].n)).toEqual([1, 2])
    expect([pool.totalCount, keeping.cuts.silence]).toEqual([3, kept + 2])
  })

  test('gives them one that becomes free later, and opens no second one for them', async () => {
    const pool = openPool([keeping.url], { max: 8, settings: SETTINGS })
    const held = await pool.connect()
    const kept = keeping.cuts.silence
    keep()
    const answers = [1, 2].map((n) => pool.query('select $1::int as n', [n]))
    await until(() => keeping.cuts.silence === kept + 2, 10_000, 'two connections to be kept waiting')
    // Beyond the second after which a caller takes another connection, and within the time of a connection.
    await held.query('select pg_sleep(1.4)')
    held.release()
    expect((await Promise.all(answers)).map(({ rows }) => rows[0].n)).toEqual([1, 2])
    expect(keeping.cuts.silence).toBe(kept + 2)
  })

  test('says within the time of a connection that none is free, asks the next server where there is one, and opens anew', async () => {
    const [single, several] = [[keeping.url], [keeping.url, home.url]].map((urls) =>
      openPool(urls, { max: 2, settings: SETTINGS }),
    ) as [Pool, Pool]
    keep()
    const [error, answer] = await Promise.all([
      single.query('select').catch((reason: Error) => reason),
      several.query('select 2 as n'),
    ])
    expect([isDatabaseDown(error), (error as Error).message]).toEqual([true, NONE_WAS_FREE])
    expect(answer.rows).toEqual([{ n: 2 }])
    keeping.rule = () => null
    expect((await single.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  })
})
