import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../src/users/update-user.ts'
import { codeOf } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

const OF_ACCOUNT = [
  'query ($account: ID) { users(account: $account) { edges { node { id } } } }',
  'query ($account: ID) { apiKeys(account: $account) { edges { node { id } } } }',
  'query ($account: ID) { creditEntries(account: $account) { edges { node { amount } } } }',
  'query ($account: ID) { creditDays(account: $account, from: "2026-03-28T12:00:00Z", to: "2026-03-29T12:00:00Z") { granted } }',
]

let service: TestRuntime
let users: Users
let member: SignedInUser
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  member = await users.user('member', (await users.user('owner')).account)
})
afterAll(() => service?.close())

const codes = async (account: string | null, { cookie }: Pick<SignedInUser, 'cookie'>) => {
  const found = []
  for (const query of OF_ACCOUNT) found.push(codeOf(await users.ask(query, { account }, cookie)))
  return found
}

test('an operator who is a member sees the account that is named, the own one as well, and a member sees none', async () => {
  const other = await service.createAccount(5n)
  const refused = OF_ACCOUNT.map(() => 'FORBIDDEN')
  expect([await codes(member.account, member), await codes(other, member)]).toEqual([refused, refused])
  await setOperator(service.runtime.as({ kind: 'system' }), { user: member.id, operator: true })
  const operator = { cookie: (await users.signIn(member.email)).cookie! }
  const seen = OF_ACCOUNT.map(() => undefined)
  const found = [await codes(member.account, operator), await codes(other, operator), await codes(null, operator)]
  expect(found).toEqual([seen, seen, refused])
})
