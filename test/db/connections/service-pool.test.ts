import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HungConnections } from '../../../src/db/connections/hung-connections.ts'
import { LossLog } from '../../../src/db/connections/loss-log.ts'
import { Servers } from '../../../src/db/connections/servers.ts'
import { ServicePool } from '../../../src/db/connections/service-pool.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { type FaultProxy, startFaultProxy } from '../../setup/servers/fault-proxy.ts'

const CONNECT_TIMEOUT_MS = 2_000

let home: TestDatabase
let silent: FaultProxy
let open: Pool[] = []
beforeAll(async () => {
  home = await createTestDatabase()
  silent = await startFaultProxy(home.url)
  silent.rule = () => 'silence'
})
afterEach(async () => {
  await Promise.all(open.map((pool) => pool.end()))
  open = []
})
afterAll(async () => {
  await silent?.close()
  await home?.drop()
})

/** Of a single connection. */
function openPool(urls: readonly string[]): Pool {
  const servers = new Servers(urls)
  const pool = new ServicePool(servers, {
    ...{ max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, settings: null },
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
    expect(order).toEqual(['several: timeout exceeded when trying to connect', 'one, for the second time'])
  })

  test('asks the next one where a server does not answer, for what waited for its connection as well', async () => {
    const pool = openPool([silent.url, home.url])
    const answers = await Promise.all([1, 2, 3].map((n) => pool.query('select $1::int as n', [n])))
    expect(answers.map(({ rows }) => rows[0].n)).toEqual([1, 2, 3])
  })
})
