import { afterAll, beforeAll, expect, test } from 'vitest'
import { spendingOf } from '../../src/accounts/spending.ts'
import { call } from '../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../setup/jobs/jobs.ts'
import { codeOf, mutation } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type SignedInUser, type Users, usersOf } from '../setup/service/users.ts'

const USAGE = `query ($from: DateTime!, $to: DateTime, $timeZone: String, $groupBy: UsageGroup!, $sum: Boolean) {
  usageDays(from: $from, to: $to, timeZone: $timeZone, groupBy: $groupBy, sum: $sum) {
    at group name isDeleted credits jobs characters audioSeconds } }`
const DAYS = `query ($from: DateTime!, $to: DateTime, $timeZone: String) {
  creditDays(from: $from, to: $to, timeZone: $timeZone) { at spent } }`
const WINDOW = { from: '2026-03-27T12:00:00Z', to: '2026-04-02T00:00:00Z' }
/** The clocks of Berlin change on 29 March; Kathmandu is a quarter of an hour off. */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']
const TEXT = 'Ten letter'

interface Usage {
  readonly at: string
  readonly group: string | null
  readonly name: string | null
  readonly isDeleted: boolean
  readonly credits: number
  readonly jobs: number
  readonly characters: number
  readonly audioSeconds: number
}

let service: TestRuntime
let users: Users
let owner: SignedInUser
const keys: string[] = []
const ids: Record<string, string> = {}
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  owner = await users.user('owner')
  for (const _ of ['app', 'site']) keys.push((await service.createKey(owner.account)).apiKeyId)
  await put('2026-03-28T23:30:00Z', 40, { apiKeyId: keys[0], tags: ['book', 'draft'] })
  await put('2026-03-29T00:30:00Z', 7, { apiKeyId: keys[0], endpointKey: 'voice.other', tags: ['book'] })
  await put('2026-03-29T12:00:00Z', 300, { apiKeyId: keys[1], status: 'failed', refundedAt: '2026-03-30T02:00:00Z' })
  await put('2026-03-29T13:00:00Z', 50, {
    apiKeyId: keys[1],
    status: 'failed',
    errorCode: 'JOB_CANCELLED',
    refundedAt: '2026-03-29T13:00:01Z',
  })
  await put('2026-03-31T22:30:00Z', 11, { userId: owner.id })
  await put('2026-04-01T00:00:00Z', 13, { userId: owner.id, chargedAt: '2026-04-01T00:10:00Z' })
  await put('2026-04-01T10:00:00Z', 0, { apiKeyId: keys[1] })
  ids.deleted = await put('2026-04-01T11:00:00Z', 17, { apiKeyId: keys[1], tags: ['draft'] })
  await put('2026-04-02T00:00:00Z', 1000, { apiKeyId: keys[1] })
})
afterAll(() => service?.close())

interface Put extends JobFields {
  readonly refundedAt?: string
  readonly chargedAt?: string
}

/** A job as a worker has charged it, and where it failed given back. */
async function put(at: string, cost: number, { refundedAt, chargedAt, ...job }: Put): Promise<string> {
  const { db } = service.runtime
  const id = await insertJob(db, owner.account, {
    ...{ id: idAt(new Date(at)), cost: String(cost), inputs: { text: TEXT } },
    ...job,
  })
  const entry = (kind: string, amount: number, time: string) =>
    db.pool.query(
      'insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, $2, $3, $4, $5)',
      [owner.account, kind, amount, id, time],
    )
  if (cost > 0) await entry('charge', -cost, chargedAt ?? at)
  if (refundedAt !== undefined) await entry('refund', cost, refundedAt)
  return id
}

const usage = async (variables: object, cookie = owner.cookie) =>
  (await users.ask(USAGE, variables, cookie)).data?.usageDays as readonly Usage[]
const spentIn = async (variables: object) =>
  (await users.ask(DAYS, variables, owner.cookie)).data?.creditDays as readonly { at: string; spent: number }[]
const byDay = (rows: readonly Usage[]) =>
  Object.entries(Object.groupBy(rows, ({ at }) => at))
    .map(([at, day]) => ({ at, spent: day!.reduce((sum, { credits }) => sum + credits, 0) }))
    .filter(({ spent }) => spent !== 0)
const sums = (rows: readonly Usage[]) =>
  Object.entries(Object.groupBy(rows, ({ group }) => group ?? 'none'))
    .map(([group, days]) => [group, ...sumsOf(days!)] as const)
    .sort()
const sumsOf = (rows: readonly Usage[]): readonly number[] =>
  (['credits', 'jobs', 'characters'] as const).map((name) => rows.reduce((sum, row) => sum + row[name], 0))

test.each(ZONES)(
  'the credits of keys, endpoints and users are what the ledger says was spent, day by day in %s',
  async (timeZone) => {
    for (const groupBy of ['API_KEY', 'ENDPOINT', 'USER']) {
      const rows = byDay(await usage({ ...WINDOW, timeZone, groupBy }))
      expect(rows, groupBy).toEqual((await spentIn({ ...WINDOW, timeZone })).filter(({ spent }) => spent !== 0))
      expect(rows.length).toBeGreaterThan(2)
    }
  },
)

test('each group has its jobs and characters, failed, cancelled and free ones included, and a job counts in each of its tags', async () => {
  const [app, site] = keys as [string, string]
  expect(sums(await usage({ ...WINDOW, groupBy: 'API_KEY' }))).toEqual(
    [
      [app, 47, 2, 20],
      [site, 17, 4, 40],
      ['none', 24, 2, 20],
    ].sort(),
  )
  expect(sums(await usage({ ...WINDOW, groupBy: 'USER' }))).toEqual(
    [
      ['none', 64, 6, 60],
      [owner.id, 24, 2, 20],
    ].sort(),
  )
  expect(sums(await usage({ ...WINDOW, groupBy: 'ENDPOINT' }))).toEqual([
    ['voice.other', 7, 1, 10],
    ['voice.tts', 81, 7, 70],
  ])
  expect(sums(await usage({ ...WINDOW, groupBy: 'TAG' }))).toEqual([
    ['book', 47, 2, 20],
    ['draft', 57, 2, 20],
    ['none', 24, 5, 50],
  ])
})

test('sums are those of the days, one of each group, over exactly the range, also of more tags than days of them fit', async () => {
  const [from, to] = ['2026-03-28T23:00:00Z', '2026-04-02T00:00:00Z']
  for (const groupBy of ['API_KEY', 'ENDPOINT', 'USER', 'TAG']) {
    const rows = await usage({ from, to, groupBy, sum: true, timeZone: 'Asia/Kathmandu' })
    expect(sums(rows), groupBy).toEqual(sums(await usage({ from, to, groupBy })))
    expect(new Set(rows.map(({ group }) => group)).size).toBe(rows.length)
    expect(new Set(rows.map(({ at }) => Date.parse(at)))).toEqual(new Set([Date.parse(from)]))
  }
  const later = { from: '2026-03-29T00:00:00Z', to, groupBy: 'TAG', sum: true }
  expect(sums(await usage(later))).toContainEqual(['book', 7, 1, 10])
  const tags = Array.from({ length: 340 }, (_, at) => `t${at}`)
  for (let day = 1; day <= 30; day++) await put(new Date(Date.UTC(2026, 0, day, 12)).toISOString(), 0, { tags })
  const month = { from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z', groupBy: 'TAG' }
  expect(codeOf(await users.ask(USAGE, month, owner.cookie))).toBe('INVALID_REQUEST')
  expect(sums(await usage({ ...month, sum: true }))).toHaveLength(340)
})

test('a deleted job leaves its credits to its key, and a deleted key keeps its name', async () => {
  const headers = { origin: service.url, cookie: owner.cookie }
  const change = async (query: string) =>
    (await call(`${service.url}/graphql`, { method: 'POST', headers, body: { query } })).json<{ errors?: object }>()
  const { apiKeyId } = await service.createKey(owner.account)
  const [app, site] = keys as [string, string]
  expect(
    await change(mutation(`deleteJob(jobId: "${ids.deleted}")`, '... on DeleteJobSuccess { jobId }')),
  ).not.toHaveProperty('errors')
  for (const id of [site, apiKeyId])
    expect(await change(mutation(`deleteApiKey(id: "${id}")`, '... on DeleteApiKeySuccess { id }'))).not.toHaveProperty(
      'errors',
    )
  const rows = await usage({ ...WINDOW, groupBy: 'API_KEY' })
  expect(sums(rows).find(([group]) => group === site)).toEqual([site, 17, 3, 30])
  const nameOf = (id: string | null) => {
    const { name, isDeleted } = rows.find(({ group }) => group === id)!
    return [name, isDeleted]
  }
  expect([app, site, null].map(nameOf)).toEqual([
    ['test', false],
    ['test', true],
    [null, false],
  ])
  expect(sums(await usage({ ...WINDOW, groupBy: 'TAG' }))).toEqual([
    ['book', 47, 2, 20],
    ['draft', 40, 1, 10],
    ['none', 41, 5, 50],
  ])
  const byUser = await usage({ ...WINDOW, groupBy: 'USER' })
  expect(byUser.map(({ name }) => name)).toContain(owner.email)
  expect(byDay(byUser)).toEqual((await spentIn(WINDOW)).filter(({ spent }) => spent !== 0))
})

test('usage is for owners, of their own account, in a window of at most 92 days and a known time zone', async () => {
  const member = await users.user('member', owner.account)
  const stranger = await users.user('owner')
  const codes: unknown[] = []
  for (const [variables, cookie] of [
    [{ ...WINDOW, from: '2025-12-30T00:00:00Z' }, owner.cookie],
    [{ from: WINDOW.to, to: WINDOW.from }, owner.cookie],
    [{ ...WINDOW, timeZone: 'Mars/Base' }, owner.cookie],
    [WINDOW, member.cookie],
  ] as const)
    codes.push(codeOf(await users.ask(USAGE, { ...variables, groupBy: 'API_KEY' }, cookie)))
  expect(codes).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST', 'INVALID_REQUEST', 'FORBIDDEN'])
  expect(await usage({ ...WINDOW, groupBy: 'API_KEY' }, stranger.cookie)).toEqual([])
})

test("the month's forecast adds the means of the weekdays that are left, and none is made of nothing", () => {
  const DAY_MS = 86_400_000
  const now = new Date('2026-06-29T12:00:00Z')
  const daysOf = (spentOn: (at: Date) => number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const at = new Date(Date.parse('2026-06-29T00:00:00Z') - (count - 1 - index) * DAY_MS)
      return { at, spent: spentOn(at) }
    })
  const createdAt = new Date('2026-01-01T00:00:00Z')
  /** Mondays cost 280 and every other day nothing: the 29th is a Monday, and one more day is left. */
  const mondays = daysOf((at) => (at.getUTCDay() === 1 ? 280 : 0), 29)
  const spent = 5 * 280
  expect(spendingOf({ days: mondays, credits: 405, createdAt, now })).toEqual({
    month: new Date('2026-06-01T00:00:00Z'),
    ...{ spent, forecast: spent + 140, perDay: 40, balanceDays: 10 },
  })
  const young = { credits: 100, createdAt: new Date('2026-06-27T09:00:00Z'), now }
  expect(spendingOf({ ...young, days: daysOf(() => 10, 3) })).toMatchObject({ spent: 30, forecast: 45, perDay: 10 })
  const none = { forecast: null, perDay: null, balanceDays: null }
  expect(spendingOf({ ...young, createdAt: now, days: daysOf(() => 10, 1) })).toMatchObject({ spent: 10, ...none })
  expect(spendingOf({ days: daysOf(() => 0, 29), credits: 9, createdAt, now })).toMatchObject({ spent: 0, ...none })
})

test('an account and a key say which share of their limit is used, and the account what it spends', async () => {
  const { account, cookie } = await users.user('owner')
  const { apiKeyId } = await service.createKey(account)
  const { pool } = service.runtime.db
  await pool.query('update account set monthly_limit = 200 where id = $1', [account])
  await pool.query('update api_key set monthly_limit = 100 where id = $1', [apiKeyId])
  const id = await insertJob(service.runtime.db, account, { cost: '85', apiKeyId })
  await pool.query(`insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -85, $2)`, [
    account,
    id,
  ])
  const query = '{ account { limitShare } apiKeys { nodes { limitShare } } spending { spent forecast } }'
  expect((await users.ask(query, {}, cookie)).data).toEqual({
    account: { limitShare: 0.425 },
    apiKeys: { nodes: [{ limitShare: 0.85 }] },
    spending: { spent: 85, forecast: null },
  })
})
