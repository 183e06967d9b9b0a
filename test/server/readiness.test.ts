import { expect, test } from 'vitest'
import { Readiness } from '../../src/server/readiness.ts'

/** A process whose parts are as they are given, and whose worker has written a heartbeat so many seconds ago. */
function processWith({ readOnly = false, fails = false, connected = true, isLoaded = true, beat = 0, storage = 'ok' }) {
  const query = async () => {
    if (fails) throw new Error('Connection terminated')
    return { rows: [{ readOnly }] }
  }
  const storeWatch = { check: async () => storage }
  const parts = { db: { pool: { query } }, notifier: { connected }, catalog: { isLoaded }, storeWatch }
  const readiness = new Readiness(parts as never)
  readiness.follow(() => beat)
  return readiness
}

const FIT = {
  status: 'ok',
  database: 'ok',
  bus: 'ok',
  catalog: 'ok',
  process: 'ok',
  storage: 'ok',
  worker: 'ok',
  engines: 'unknown',
}

test('a process whose parts are all fit for work is ready', async () => {
  expect(await processWith({ beat: 4.9 }).report()).toEqual(FIT)
})

test.each([
  ['a database that takes no writes', { readOnly: true }, { database: 'read-only' }],
  ['a database that does not answer', { fails: true }, { database: 'away' }],
  ['a bus that is cut off', { connected: false }, { bus: 'away' }],
  ['a catalog that was never read', { isLoaded: false }, { catalog: 'empty' }],
  ['a store that is full', { storage: 'full' }, { storage: 'full' }],
  ['a worker whose last heartbeat was 5 s ago', { beat: 5 }, { worker: 'silent' }],
])('%s makes the process unready, and is named', async (_what, parts, named) => {
  expect(await processWith(parts).report()).toEqual({ ...FIT, status: 'unready', ...named })
})

test('a process that drains is unready, and one without a worker says nothing of one', async () => {
  const readiness = processWith({})
  readiness.drain()
  expect(await readiness.report()).toEqual({ ...FIT, status: 'unready', process: 'draining' })
  const { worker: _none, ...fit } = FIT
  const parts = {
    db: { pool: { query: async () => ({ rows: [{ readOnly: false }] }) } },
    notifier: { connected: true },
    storeWatch: { check: async () => 'ok' },
  }
  expect(await new Readiness({ ...parts, catalog: { isLoaded: true } } as never).report()).toEqual(fit)
})
