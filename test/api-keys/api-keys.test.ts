import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../src/users/update-user.ts'
import { codeOf } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Users, usersOf } from '../setup/service/users.ts'

const KEYS = 'query ($account: ID) { apiKeys(account: $account) { edges { node { name } } } }'

let service: TestRuntime
let users: Users
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
})
afterAll(() => service?.close())

test('keys of another account are shown to the operator alone, by its id or its name', async () => {
  const [one, owner] = [await users.user(), await users.user()]
  await setOperator(service.runtime.as({ kind: 'system' }), { user: one.id, operator: true })
  const { cookie } = await users.signIn(one.email)
  const other = await service.createAccount()
  await service.createKey(other, ['job:read'])
  const { rows } = await service.runtime.db.pool.query(
    'select k.name as key, a.name from api_key k join account a on a.id = k.account_id where a.id = $1',
    [other],
  )
  const shown = { apiKeys: { edges: [{ node: { name: rows[0].key } }] } }
  for (const account of [other, rows[0].name]) expect((await users.ask(KEYS, { account }, cookie)).data).toEqual(shown)
  expect((await users.ask(KEYS, {}, cookie)).data).toEqual({ apiKeys: { edges: [] } })
  expect((await users.ask(KEYS, { account: owner.account }, owner.cookie)).data).toEqual({ apiKeys: { edges: [] } })
  expect(codeOf(await users.ask(KEYS, { account: other }, owner.cookie))).toBe('FORBIDDEN')
  expect(codeOf(await users.ask(KEYS, { account: 'nobody of that name' }, cookie))).toBe('NOT_FOUND')
})
