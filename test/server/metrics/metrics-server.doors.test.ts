import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withLock } from '../../../src/db/lock.ts'
import { exportJobs } from '../../../src/jobs/export/export-jobs.ts'
import { idAt } from '../../setup/jobs/jobs.ts'
import type { Receiver } from '../../setup/servers/receiver.ts'
import type { TestRuntime } from '../../setup/service/runtime.ts'
import { type Scraped, scrape, scrapedWhen } from '../../setup/service/scraped.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'

const ROWS = 300
/** More than what waits in memory and in the sockets' buffers for a reader. */
const ROW_BYTES = 32_000

let fixture: WebhookFixture
let service: TestRuntime
let receiver: Receiver
beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: true, env: { METRICS_PORT: '0', LOG_LEVEL: 'silent' } })
  ;({ service, receiver } = fixture)
})
afterAll(() => fixture?.close())

const shown = (fits: (now: Scraped) => boolean, what: string) => scrapedWhen(service.metricsUrl, fits, what)

test('subscriptions are counted while they are open, by what they came over', async () => {
  const { key } = await service.createCaller()
  const [socket, events] = [openSocketClient(service.url, key), openEventClient(service.url, key)]
  const FOLLOW = 'subscription { accountUpdated { credits } }'
  const open = [socket.subscribe(FOLLOW), socket.subscribe(FOLLOW), events.subscribe(FOLLOW)]
  const counts = ({ value }: Scraped) =>
    ['ws', 'sse'].map((transport) => value('graphql_subscriptions', { transport })).join()
  await shown((now) => counts(now) === '2,1', 'three subscriptions')
  open[0]?.end()
  open[2]?.end()
  await shown((now) => counts(now) === '1,0', 'one subscription')
  await Promise.all([socket.dispose(), events.dispose()])
  await shown((now) => counts(now) === '0,0', 'no subscription')
})

describe('webhook deliveries', () => {
  let owner: Owner
  const ENDED = 'webhook_deliveries_total'
  const ATTEMPTS = 'webhook_attempt_duration_seconds_count'
  beforeAll(async () => {
    owner = await createOwner(service, `${receiver.url}/metered`)
  })

  test('are counted once they have ended, their attempts each, and the lag of the first alone', async () => {
    receiver.on('/metered', (response, _request, nth) => response.writeHead(nth === 1 ? 503 : 204).end())
    await owner.outcomeOf(await owner.sendTest())
    const now = await shown(({ value }) => value(ENDED) === 1, 'the end of the delivery')
    expect(now.samples(ENDED).map(({ labels, value }) => [labels.outcome, value])).toEqual([['succeeded', 1]])
    expect(Object.fromEntries(now.samples(ATTEMPTS).map(({ labels, value }) => [labels.outcome, value]))).toEqual({
      status_503: 1,
      succeeded: 1,
    })
    expect(now.value('webhook_first_attempt_lag_seconds_count')).toBe(1)
    expect(now.value('webhook_attempt_duration_seconds_sum')).toBeGreaterThan(0)
  })

  test('that fail for good are counted by the outcome of their last attempt', async () => {
    receiver.on('/metered', (response) => response.writeHead(300).end())
    await owner.outcomeOf(await owner.sendTest())
    const now = await shown(({ value }) => value(ENDED) === 2, 'the end of the delivery')
    expect(now.value(ENDED, { outcome: 'status_300' })).toBe(1)
    expect(now.value(ATTEMPTS, { outcome: 'status_300' })).toBe(4)
    expect(now.value('webhook_first_attempt_lag_seconds_count')).toBe(2)
  })
})

describe('exports', () => {
  let read: () => Promise<Awaited<ReturnType<typeof exportJobs>>>
  beforeAll(async () => {
    const account = await service.createAccount()
    await service.runtime.db.pool.query(
      `insert into job (id, account_id, type, endpoint_key, inputs, created_at, reason)
       select $1 || lpad(n::text, 16, '0'), $2, 'companion_chat', 'chat.companion', '{}', '2026-02-02', repeat(md5(n::text), $3)
       from generate_series(1, $4::int) n`,
      [idAt(new Date('2026-02-02')).slice(0, 14), account, ROW_BYTES / 32, ROWS],
    )
    const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 1n })
    read = () => exportJobs(ctx, { from: new Date('2026-02-01'), to: new Date('2026-03-01') })
  })

  test('are open, and what their readers leave is on disk, until they have been read; their rows are counted', async () => {
    const { csv } = await read()
    const held = await shown(({ value }) => value('spill_bytes') > 0, 'bytes on disk')
    expect([held.value('exports_open'), held.value('exports_total'), held.value('export_rows_total')]).toEqual([
      1, 0, 0,
    ])
    expect((await buffer(csv)).length).toBeGreaterThan(ROWS * ROW_BYTES)
    const now = await shown(({ value }) => value('exports_open') === 0, 'the end of the export')
    expect(now.samples('exports_total').map(({ labels, value }) => [labels.outcome, value])).toEqual([['completed', 1]])
    expect([now.value('export_rows_total'), now.value('spill_bytes')]).toEqual([ROWS, 0])
  })

  test('that their reader leaves are counted as such', async () => {
    const { csv } = await read()
    csv.destroy()
    const now = await shown(({ value }) => value('exports_total') === 2, 'the end of the export')
    expect(now.value('exports_total', { outcome: 'abandoned' })).toBe(1)
    expect(now.value('exports_open')).toBe(0)
  })

  test('that break off are counted as broken', async () => {
    const { csv } = await read()
    csv.destroy(new Error('no disk'))
    const now = await shown(({ value }) => value('exports_total') === 3, 'the end of the export')
    expect(now.value('exports_total', { outcome: 'broken' })).toBe(1)
  })
})

test('a pool whose connections are all in use shows them, what waits for one, and what got none in time', async () => {
  const { readPool } = service.runtime.db
  const size = readPool.options.max
  const of = { pool: 'read' }
  const before = (await scrape(service.metricsUrl)).value('db_pool_timeouts_total', of)
  const held = await Promise.all(Array.from({ length: size }, () => readPool.connect()))
  const refused = expect(readPool.connect()).rejects.toThrow(/timeout/)
  const full = await scrape(service.metricsUrl)
  expect(full.value('db_pool_connections', { ...of, state: 'used' })).toBe(size)
  expect(full.value('db_pool_connections', { ...of, state: 'idle' })).toBe(0)
  expect(full.value('db_pool_waiting', of)).toBe(1)
  await refused
  for (const client of held) client.release()
  const now = await scrape(service.metricsUrl)
  expect(now.value('db_pool_timeouts_total', of)).toBe(before + 1)
  expect(now.value('db_pool_waiting', of)).toBe(0)
  expect(now.value('db_pool_connections', { ...of, state: 'used' })).toBe(0)
  expect(now.value('db_pool_acquire_seconds_sum', of)).toBeGreaterThan(1)
})

test('a connection of its own is shown with those of no pool, besides that of the bus, until it ends', async () => {
  const open = async () =>
    (await scrape(service.metricsUrl)).value('db_pool_connections', { pool: 'direct', state: 'used' })
  const before = await open()
  expect(before).toBeGreaterThanOrEqual(1)
  // A connection that ends what hangs may come to it.
  expect(await withLock(service.runtime.db, 'metered', open)).toBeGreaterThan(before)
  await shown(({ value }) => value('db_pool_connections', { pool: 'direct' }) === before, 'the connection to end')
})

test('a bus that is cut off is counted as a loss, and shown until it is back', async () => {
  const lost = (now: Scraped) => now.value('db_connection_losses_total', { connection: 'bus' })
  const before = lost(await scrape(service.metricsUrl))
  const { rowCount } = await service.runtime.db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'sonant notifier'`,
  )
  expect(rowCount).toBe(1)
  const now = await shown((scraped) => lost(scraped) > before, 'the loss')
  expect(lost(now)).toBe(before + 1)
  await shown(({ value }) => value('bus_connected') === 1, 'the bus to be back')
})

test('operations on the store are counted by what came of them', async () => {
  const { storage } = service.runtime
  const count = async (operation: string, outcome: string) =>
    (await scrape(service.metricsUrl)).value('storage_operation_duration_seconds_count', { operation, outcome })
  await storage.put('metered/a', Buffer.from('abc'), { contentType: 'audio/wav' })
  await storage.stat('metered/a')
  await expect(storage.read('metered/b')).rejects.toThrow()
  await storage.delete('metered/a')
  const counts = await Promise.all([
    count('put', 'ok'),
    count('stat', 'ok'),
    count('read', 'error'),
    count('delete', 'ok'),
  ])
  expect(counts).toEqual([1, 1, 1, 1])
})
