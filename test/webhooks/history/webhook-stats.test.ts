import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { TIMED_DELIVERIES, webhookStats } from '../../../src/webhooks/webhook-deliveries.ts'
import { ask, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const ADD = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, next_attempt_at, created_at, state, outcome, finished_at)
  select $1, $2, 'test', $3, 'https://hooks.example.com', 0, '', $4::timestamptz, $4, state, ended, case when ended is not null then $4 end
  from (select $5::webhook_delivery_state as state, nullif($5, 'pending') as ended) d`
const ADD_ATTEMPT = 'insert into webhook_attempt (delivery_id, round, number, duration_ms) values ($1, $2, $3, $4)'
const ADD_MANY = `with d as (insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, next_attempt_at, created_at, state, outcome, finished_at)
    select id, $1, 'test', $2, 'https://hooks.example.com', 0, '', now(), now(), 'succeeded', 'succeeded', now() from unnest($3::text[]) id returning id)
  insert into webhook_attempt (delivery_id, round, number, duration_ms) select id, 1, 1, $4 from d`
const [FROM, TO] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
const ALL = 'pending succeeded failed attempts medianAttemptMs'
const NOTHING = { pending: 0, succeeded: 0, failed: 0, attempts: 0, medianAttemptMs: null }

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** @param rounds how long the attempts of each took; null: it runs */
async function addDelivery(account: string, at: number, state: string, rounds: (number | null)[][]): Promise<void> {
  const { pool } = service.runtime.db
  const [id, time] = [newId('msg', new Date(at)), new Date(at)]
  await pool.query(ADD, [id, account, newId('job'), time, state])
  for (const [round, attempts] of rounds.entries())
    for (const [number, durationMs] of attempts.entries())
      await pool.query(ADD_ATTEMPT, [id, round + 1, number + 1, durationMs])
}

test('deliveries of a time are counted by state, and the median is of all their attempts that have ended', async () => {
  const [account, other] = [await service.createAccount(), await service.createAccount()]
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const [from, to] = [Date.parse(FROM), Date.parse(TO)]
  await addDelivery(account, from - 1, 'failed', [[9000]])
  await addDelivery(account, from, 'succeeded', [[10]])
  await addDelivery(account, from + 1, 'succeeded', [[400, 20], [31]])
  await addDelivery(account, to - 1, 'failed', [[10_000, 10_000, 10_000]])
  await addDelivery(account, to - 1, 'pending', [[5, null]])
  await addDelivery(account, to, 'succeeded', [[7000]])
  await addDelivery(other, from, 'failed', [[8000]])
  const statsOf = (createdAt: string) => read(service.url, apiKey, `{ webhookStats${createdAt} { ${ALL} } }`)
  // Times of 5, 10, 20, 31, 400 and three times 10,000.
  const ofTheDay = { pending: 1, succeeded: 2, failed: 1, attempts: 8, medianAttemptMs: 215.5 }
  expect(await statsOf(`(createdAt: { from: "${FROM}", to: "${TO}" })`)).toEqual({ webhookStats: ofTheDay })
  expect(await statsOf('')).toEqual({
    webhookStats: { pending: 1, succeeded: 3, failed: 2, attempts: 10, medianAttemptMs: 3700 },
  })
  expect(await statsOf('(createdAt: { to: "2026-10-01T00:00:00Z" })')).toEqual({ webhookStats: NOTHING })
})

test('an account without deliveries has none of them, and a time that ends before it begins is refused', async () => {
  const { apiKey } = await service.createKey(await service.createAccount(), ['account:admin'])
  expect(await read(service.url, apiKey, `{ webhookStats { ${ALL} } }`)).toEqual({ webhookStats: NOTHING })
  const refused = await ask(
    service.url,
    apiKey,
    `{ webhookStats(createdAt: { from: "${TO}", to: "${FROM}" }) { failed } }`,
  )
  expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/createdAt' }] })
})

test('of more deliveries than are timed, all are counted, and the median is of the newest', async () => {
  const account = await service.createAccount()
  const add = (many: number, at: number, tookMs: number) => {
    const ids = Array.from({ length: many }, () => newId('msg', new Date(at)))
    return service.runtime.db.pool.query(ADD_MANY, [account, newId('job'), ids, tookMs])
  }
  await add(TIMED_DELIVERIES + 1, Date.parse(FROM), 900)
  await add(TIMED_DELIVERIES, Date.parse(TO), 100)
  const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 1n })
  const stats = { ...NOTHING, succeeded: 2 * TIMED_DELIVERIES + 1 }
  expect(await webhookStats(ctx, {})).toEqual({ ...stats, attempts: TIMED_DELIVERIES, medianAttemptMs: 100 })
})

test('what is counted takes the share of reads of the account that asks for it', async () => {
  const account = await service.createAccount()
  const acquired = vi.spyOn(service.runtime.db.readShares, 'acquire')
  const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 1n })
  await webhookStats(ctx, {})
  expect(acquired.mock.calls).toEqual([[account]])
  acquired.mockRestore()
})
