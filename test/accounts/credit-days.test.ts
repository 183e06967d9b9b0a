import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT_ADMIN_SCOPE } from '../../src/access/scopes.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { codeOf, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

const DAYS = `query ($account: ID, $from: DateTime!, $to: DateTime, $timeZone: String) {
  creditDays(account: $account, from: $from, to: $to, timeZone: $timeZone) { at granted spent carried } }`
const FROM = '2026-03-28T12:00:00Z'
const TO = '2026-03-30T12:00:00Z'

let service: TestRuntime
let users: Users
let owner: SignedInUser
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  owner = await users.user('owner')
  const { db } = service.runtime
  for (const [kind, amount, at] of [
    ['grant', 500, '2026-03-28T22:30:00Z'],
    ['charge', -40, '2026-03-28T23:30:00Z'],
    ['refund', 40, '2026-03-29T21:59:59Z'],
    ['charge', -7, '2026-03-29T22:00:00Z'],
    ['carried', -3, '2026-04-01T00:00:00Z'],
    ['charge', -2, '2026-04-01T05:00:00Z'],
    ['grant', -100, '2026-03-30T06:00:00Z'],
    ['charge', -9, '2026-03-30T12:00:00Z'],
  ] as const) {
    const job = kind === 'grant' || kind === 'carried' ? null : await insertJob(db, owner.account)
    await db.pool.query(
      'insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, $2, $3, $4, $5)',
      [owner.account, kind, amount, job, at],
    )
  }
})
afterAll(() => service?.close())

const days = async (variables: object) => (await users.ask(DAYS, variables, owner.cookie)).data?.creditDays

test('each day of the time zone, also of 23 hours and without entries, has what was granted and what was spent', async () => {
  expect(await days({ from: '2026-03-27T12:00:00Z', to: TO, timeZone: 'Europe/Berlin' })).toEqual([
    { at: '2026-03-26T23:00:00.000Z', granted: 0, spent: 0, carried: 0 },
    { at: '2026-03-27T23:00:00.000Z', granted: 500, spent: 0, carried: 0 },
    { at: '2026-03-28T23:00:00.000Z', granted: 0, spent: 0, carried: 0 },
    { at: '2026-03-29T22:00:00.000Z', granted: -100, spent: 7, carried: 0 },
  ])
  expect(await days({ from: FROM, to: TO })).toEqual([
    { at: '2026-03-28T00:00:00.000Z', granted: 500, spent: 40, carried: 0 },
    { at: '2026-03-29T00:00:00.000Z', granted: 0, spent: -33, carried: 0 },
    { at: '2026-03-30T00:00:00.000Z', granted: -100, spent: 0, carried: 0 },
  ])
})

test('the deleted jobs of a month are not spent in the day that its entry is dated with, which may be one of the month before', async () => {
  const window = { from: '2026-04-01T00:00:00Z', to: '2026-04-02T00:00:00Z' }
  expect(await days(window)).toEqual([{ at: '2026-04-01T00:00:00.000Z', granted: 0, spent: 2, carried: 3 }])
  expect(await days({ ...window, timeZone: 'America/Los_Angeles' })).toEqual([
    { at: '2026-03-31T07:00:00.000Z', granted: 0, spent: 2, carried: 3 },
    { at: '2026-04-01T07:00:00.000Z', granted: 0, spent: 0, carried: 0 },
  ])
})

test('a day whose midnight occurs twice begins at the first one and has all of its changes', async () => {
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, [ACCOUNT_ADMIN_SCOPE])
  for (const [amount, at] of [
    [5, '2026-10-24T23:59:59Z'],
    [30, '2026-10-25T00:30:00Z'],
    [200, '2026-10-26T00:59:59Z'],
  ] as const)
    await service.runtime.db.pool.query(
      `insert into credit_entry (account_id, kind, amount, created_at) values ($1, 'grant', $2, $3)`,
      [account, amount, at],
    )
  const daysFrom = async (from: string) => {
    const window = { from, to: '2026-10-26T02:00:00Z', timeZone: 'Atlantic/Azores' }
    const answer = await read<{ creditDays: { at: string; granted: number }[] }>(service.url, apiKey, DAYS, window)
    return answer.creditDays.map(({ at, granted }) => [at, granted])
  }
  const second = [
    ['2026-10-25T00:00:00.000Z', 230],
    ['2026-10-26T01:00:00.000Z', 0],
  ]
  expect(await daysFrom('2026-10-24T12:00:00Z')).toEqual([['2026-10-24T00:00:00.000Z', 5], ...second])
  expect(await daysFrom('2026-10-25T00:00:00Z')).toEqual(second)
})

test("a window that is none, is longer than a year, or lies in no time zone is refused; other accounts are the operator's", async () => {
  const [other, member] = [await service.createAccount(), await users.user('member', owner.account)]
  const codes = []
  for (const [variables, cookie] of [
    [{ from: TO, to: FROM }, owner.cookie],
    [{ from: '2025-03-28T12:00:00Z', to: TO }, owner.cookie],
    [{ from: FROM, to: TO, timeZone: '+02:00' }, owner.cookie],
    [{ from: FROM, account: other }, owner.cookie],
    [{ from: FROM }, member.cookie],
  ] as const)
    codes.push(codeOf(await users.ask(DAYS, variables, cookie)))
  expect(codes).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST', 'INVALID_REQUEST', 'FORBIDDEN', 'FORBIDDEN'])
})
