import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { ask, codeOf, errorOf, mutation } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const AT_ONCE = 200
const ADD_FAILED = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  select id, $1, 'test', $2, 'https://hooks.example.com', 0, '', 1, now(), now(), 'failed', 'timeout', now() from unnest($3::text[]) id`
const FAIL_AGAIN = `update webhook_delivery set state = 'failed', outcome = 'timeout', finished_at = now() where account_id = $1`
const ROUNDS_BY_ID = 'select id, round from webhook_delivery where account_id = $1 order by id'
const ROUNDS = 'select round from webhook_delivery where account_id = $1 order by id'

type Four = [string, string, string, string]

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

test('what fails again does not keep later deliveries from being sent: the next request goes on behind the last one', async () => {
  const { pool } = service.runtime.db
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const ids = Array.from({ length: AT_ONCE + 1 }, () => newId('msg')).sort()
  await pool.query(ADD_FAILED, [account, newId('job'), ids])
  const again = (args: string) => {
    const fields = '... on RedeliverWebhooksSuccess { deliveries more last }'
    return ask(service.url, apiKey, mutation(`redeliverWebhooks${args}`, fields))
  }
  const last = ids[AT_ONCE - 1]!
  expect((await again('')).data).toEqual({ redeliverWebhooks: { deliveries: AT_ONCE, more: true, last } })
  await pool.query(FAIL_AGAIN, [account])
  expect((await again(`(after: "${last}")`)).data).toEqual({
    redeliverWebhooks: { deliveries: 1, more: false, last: ids[AT_ONCE] },
  })
  const { rows } = await pool.query<{ round: number }>(ROUNDS, [account])
  expect(new Set(rows.map(({ round }) => round)).size).toBe(1)
  expect((await again(`(after: "${ids[AT_ONCE]}")`)).data).toEqual({
    redeliverWebhooks: { deliveries: 0, more: false, last: null },
  })
  expect(errorOf(await again('(after: "msg_1")'))).toMatchObject({
    code: 'INVALID_REQUEST',
    details: [{ path: '/after' }],
  })
})

test('of several ids each is sent again by itself: one under way, of another account or of no delivery fails alone', async () => {
  const { pool } = service.runtime.db
  const [account, other] = [await service.createAccount(), await service.createAccount()]
  const { apiKey } = await service.createKey(account, ['account:admin'])
  const [failed, succeeded, pending, unnamed] = Array.from({ length: 4 }, () => newId('msg')).sort() as Four
  const foreign = newId('msg')
  await pool.query(ADD_FAILED, [account, newId('job'), [failed, succeeded, pending, unnamed]])
  await pool.query(ADD_FAILED, [other, newId('job'), [foreign]])
  await pool.query("update webhook_delivery set state = 'succeeded', outcome = 'succeeded' where id = $1", [succeeded])
  await pool.query("update webhook_delivery set state = 'pending', finished_at = null where id = $1", [pending])
  const again = (key: string | null, variables: object) => {
    const fields =
      '... on RedeliverWebhooksSuccess { deliveries more last results { deliveryId error { ... on Error { code message details { path } } } } }'
    const types = '($ids: [ID!], $filter: WebhookDeliveriesFilter, $after: ID)'
    const call = 'redeliverWebhooks(ids: $ids, filter: $filter, after: $after)'
    return ask(service.url, key, mutation(call, fields, types), variables)
  }
  const refused = (code: string) => ({ code, message: expect.any(String), details: [] })
  expect((await again(apiKey, { ids: [succeeded, pending, failed, foreign, 'msg_x', failed] })).data).toEqual({
    redeliverWebhooks: {
      deliveries: 2,
      more: false,
      last: null,
      results: [
        { deliveryId: succeeded, error: null },
        {
          deliveryId: pending,
          error: {
            code: 'INVALID_REQUEST',
            message: 'Wait until this delivery has succeeded or failed.',
            details: [{ path: '/id' }],
          },
        },
        { deliveryId: failed, error: null },
        { deliveryId: foreign, error: refused('NOT_FOUND') },
        { deliveryId: 'msg_x', error: refused('NOT_FOUND') },
      ],
    },
  })
  expect((await pool.query(ROUNDS_BY_ID, [account])).rows).toEqual([
    { id: failed, round: 2 },
    { id: succeeded, round: 2 },
    { id: pending, round: 1 },
    { id: unnamed, round: 1 },
  ])
  expect((await pool.query(ROUNDS, [other])).rows).toEqual([{ round: 1 }])
  for (const variables of [
    { ids: [] },
    { ids: Array.from({ length: 101 }, () => unnamed) },
    { ids: [unnamed], filter: {} },
    { ids: [unnamed], after: failed },
  ])
    expect(errorOf(await again(apiKey, variables))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: '/ids' }],
    })
  const { apiKey: reader } = await service.createKey(account, ['job:read'])
  expect(codeOf(await again(reader, { ids: [unnamed] }))).toBe('FORBIDDEN')
  expect(codeOf(await again(null, { ids: [unnamed] }))).toBe('UNAUTHORIZED')
  expect((await pool.query(ROUNDS_BY_ID, [account])).rows.at(-1)).toEqual({ id: unnamed, round: 1 })
})
