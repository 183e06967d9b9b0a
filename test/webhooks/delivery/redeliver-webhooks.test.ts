import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { ask, errorOf, mutation } from '../../setup/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'

const AT_ONCE = 200
const ADD_FAILED = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  select id, $1, 'test', $2, 'https://hooks.example.com', 0, '', 1, now(), now(), 'failed', 'timeout', now() from unnest($3::text[]) id`
const FAIL_AGAIN = `update webhook_delivery set state = 'failed', outcome = 'timeout', finished_at = now() where account_id = $1`
const ROUNDS = 'select round from webhook_delivery where account_id = $1 order by id'

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
