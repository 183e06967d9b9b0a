import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ACCOUNT_ADMIN_SCOPE, DEFAULT_SCOPES, OPERATOR_SCOPE } from '../../../src/access/scopes.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const READS = 100
const SUBMITTERS = 4
const TIMEOUT_MS = 60_000
const BOOKS = `{
  jobStats { jobs characters credits } byStatus: jobStats(groupBy: [STATUS]) { jobs }
  jobs(first: 100) { totalCount edges { node { id } } } jobPage(limit: 1) { total }
  creditEntries(first: 1) { edges { node { balance } } } account { credits }
}`

const COUNTS = '{ account { credits } jobs { totalCount } }'

interface Books {
  readonly jobStats: readonly { readonly jobs: number; readonly credits: number }[]
  readonly byStatus: readonly { readonly jobs: number }[]
  readonly jobs: { readonly totalCount: number; readonly edges: readonly object[] }
  readonly jobPage: { readonly total: number }
  readonly creditEntries: { readonly edges: readonly { readonly node: { readonly balance: number } }[] }
  readonly account: { readonly credits: number }
}

let service: TestRuntime
let key: string
let account: string
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'silent' } })
  await applyEndpoint(service.runtime, 'tts')
  account = await service.createAccount()
  key = (await service.createKey(account, [...DEFAULT_SCOPES, ACCOUNT_ADMIN_SCOPE, OPERATOR_SCOPE])).apiKey
})
afterAll(() => service?.close())
afterEach(() => {
  vi.restoreAllMocks()
})

test('totals, statistics, ledger and balance of one answer are of one moment, beside submissions, completions and deletions', async () => {
  const { submitted, deleted, stop } = live()
  const wrong: string[] = []
  for (let n = 0; n < READS; n++) wrong.push(...differences(await read<Books>(service.url, key, BOOKS)))
  await stop()
  expect(wrong).toEqual([])
  expect([submitted() > 20, deleted() > 5]).toEqual([true, true])
})

test('a query of one thing, or of things without numbers that must agree, opens no transaction', async () => {
  const { readPool, boundPrismas } = service.runtime.db
  const [connected, taken] = [vi.spyOn(readPool, 'connect'), vi.spyOn(boundPrismas, 'take')]
  await read(service.url, key, '{ account { credits } }')
  await read(service.url, key, '{ jobs(first: 1) { edges { node { id } } } }')
  await read(service.url, key, '{ account { credits } jobs(first: 1) { nodes { id } } apiKeys { nodes { id } } }')
  expect([connected.mock.calls.length, taken.mock.calls.length]).toEqual([0, 0])
  await read(service.url, key, '{ account { credits } jobPage(limit: 1) { total } }')
  await read(service.url, key, 'query { ...All } fragment All on Query { account { credits } jobs { totalCount } }')
  expect([connected.mock.calls.length, taken.mock.calls.length]).toEqual([2, 2])
})

test.each([
  '{ viewer { account { credits creditEntries { amount } } } }',
  '{ jobs { totalCount nodes { id apiKey { account { credits } } } } }',
  `{ jobSeries(from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", step: DAY, groupBy: [STATUS]) {
    points { accepted } groups { points { accepted } } } }`,
])('the parts of one field are of one moment: %s', async (query) => {
  const connected = vi.spyOn(service.runtime.db.readPool, 'connect')
  await read(service.url, key, query)
  expect(connected.mock.calls.length).toBe(1)
})

test("cheap reads do not wait for the account's long ones", async () => {
  const { readShares } = service.runtime.db
  const caller = await service.createCaller()
  const admin = (await service.createKey(caller.account, [...DEFAULT_SCOPES, ACCOUNT_ADMIN_SCOPE])).apiKey
  const held = [await readShares.acquire(caller.account), await readShares.acquire(caller.account)]
  const dashboard = await readFile('examples/dashboard/src/operations.graphql', 'utf8')
  const [ofPage] = /^query Viewer \{.*?^\}/ms.exec(dashboard) ?? []
  try {
    for (const query of [
      ofPage!,
      '{ viewer { account { name credits } apiKey { id } jobs(first: 3) { nodes { id } } } }',
      '{ account { credits } jobs(first: 3) { nodes { id } } me { id } }',
      '{ apiKeys { totalCount nodes { id } } account { apiKeyCount } }',
    ])
      expect((await ask(service.url, admin, query)).errors).toBeUndefined()
    expect(codeOf(await ask(service.url, admin, BOOKS))).toBe('RATE_LIMITED')
  } finally {
    for (const release of held) release()
  }
})

test('scans of one query take the share of scans of their account together, and give it back', async () => {
  const { scanShares } = service.runtime.db
  const caller = await service.createCaller()
  const scans = '{ account { credits } a: jobStats(groupBy: [TAG]) { jobs } b: jobStats(groupBy: [VOICE]) { jobs } }'
  const release = await scanShares.acquire(caller.account)
  try {
    expect(codeOf(await ask(service.url, caller.key, scans))).toBe('RATE_LIMITED')
    expect(codeOf(await ask(service.url, caller.key, '{ account { credits } jobStats { jobs } }'))).toBeUndefined()
  } finally {
    release()
  }
  const acquired = vi.spyOn(scanShares, 'acquire')
  for (let n = 0; n < 2; n++) expect((await ask(service.url, caller.key, scans)).errors).toBeUndefined()
  expect(acquired.mock.calls.map(([owner]) => owner)).toEqual([caller.account, caller.account])
})

test('a page and its total are of one moment, on a connection for short reads', async () => {
  const connected = vi.spyOn(service.runtime.db.readPool, 'connect')
  const wrong: string[] = []
  const caller = await service.createCaller()
  const list = '{ jobs(first: 100) { totalCount edges { node { id } } } }'
  let isOver = false
  const submitting = Array.from({ length: SUBMITTERS }, async () => {
    while (!isOver) await insertJob(service.runtime.db, caller.account)
  })
  for (let total = 0; total < 100; ) {
    const { jobs } = await read<Pick<Books, 'jobs'>>(service.url, caller.key, list)
    total = jobs.totalCount
    if (jobs.edges.length !== Math.min(100, total)) wrong.push(`${jobs.edges.length} of ${total}`)
  }
  isOver = true
  await Promise.all(submitting)
  expect([wrong, connected.mock.calls.length]).toEqual([[], 0])
})

test('a window that closes after a snapshot is taken is read in a later one', async () => {
  const other = await service.createAccount()
  const { db } = service.runtime
  const id = await insertJob(db, other)
  const to = new Date(Date.now() + 300)
  const query = `query ($account: ID, $to: DateTime) {
    account(account: $account) { credits } jobStats(account: $account, filter: { createdAt: { to: $to } }) { jobs } }`
  const asked = read<{ jobStats: { jobs: number }[] }>(service.url, key, query, { account: other, to })
  const late = await insertJob(db, other)
  expect(late > id).toBe(true)
  expect((await asked).jobStats[0]?.jobs).toBe(2)
})

test('a caller that leaves has its statement cancelled, and its connection is used again', async () => {
  // A worker would wait for the lock as well.
  const idle = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  const { key } = await idle.createCaller()
  const jobs = await lockJobs(idle.runtime)
  const leaving = new AbortController()
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
  const asked = fetch(`${idle.url}/graphql`, {
    ...init,
    body: JSON.stringify({ query: COUNTS }),
    signal: leaving.signal,
  }).catch(() => 'gone')
  await jobs.waitedFor(1)
  leaving.abort()
  expect(await asked).toBe('gone')
  await jobs.givenUp()
  await jobs.unlock()
  const { readPool } = idle.runtime.db
  await until(() => readPool.idleCount === readPool.totalCount, TIMEOUT_MS, 'the connection to be free')
  expect((await ask(idle.url, key, COUNTS)).errors).toBeUndefined()
  await idle.close()
})

test('a statement that fails ends its own request alone', async () => {
  const zone =
    'query ($zone: String) { account { credits } creditDays(from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", timeZone: $zone) { at } }'
  const { errors } = await ask(service.url, key, zone, { zone: 'Asia/Nowhere' })
  expect(errors?.[0]?.extensions.code).toBe('INVALID_REQUEST')
  for (let n = 0; n < 6; n++) expect((await ask(service.url, key, BOOKS)).errors).toBeUndefined()
  expect(service.runtime.db.losses.total).toBe(0)
})

test('a field that goes on after its query was refused opens nothing', async () => {
  const { apiKey } = await service.createKey(account)
  const windowOf = (ms: number) => ({ to: new Date(Date.now() + ms) })
  const refused =
    'query ($to: DateTime) { jobStats(filter: { createdAt: { to: $to } }) { jobs } apiKeys { nodes { id } } account { credits } }'
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(service.url, apiKey, refused, windowOf(200))))
  expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(Array(6).fill('FORBIDDEN'))
  const later = 'query ($to: DateTime) { jobStats(filter: { createdAt: { to: $to } }) { jobs } account { credits } }'
  await read(service.url, key, later, windowOf(600))
  const { readPool } = service.runtime.db
  await until(() => readPool.idleCount === readPool.totalCount, TIMEOUT_MS, 'every connection to be free')
  for (let n = 0; n < 6; n++) expect((await ask(service.url, key, BOOKS)).errors).toBeUndefined()
})

/** Submits jobs that the worker completes, and deletes some of those that have ended. */
function live() {
  let [isOver, submitted, deleted] = [false, 0, 0]
  const submitting = Array.from({ length: SUBMITTERS }, async () => {
    while (!isOver) {
      await submitText(service.url, key, 'tts', `a ${randomUUID().slice(0, 3)}`)
      submitted++
    }
  })
  const ctx = service.runtime.as({ kind: 'account', accountId: account, credits: 0n })
  const deleting = (async () => {
    while (!isOver) {
      const { rows } = await service.runtime.db.pool.query<{ id: string }>(
        `select id from job where account_id = $1 and status = 'completed' order by id limit 1`,
        [account],
      )
      for (const { id } of rows) {
        await deleteJob(ctx, { jobId: id })
        deleted++
      }
    }
  })()
  return {
    submitted: () => submitted,
    deleted: () => deleted,
    stop: async () => {
      isOver = true
      await Promise.all([...submitting, deleting])
    },
  }
}

function differences({ jobStats, byStatus, jobs, jobPage, creditEntries, account }: Books): string[] {
  const totals = [
    jobs.totalCount,
    jobPage.total,
    jobStats[0]?.jobs ?? 0,
    byStatus.reduce((sum, group) => sum + group.jobs, 0),
  ]
  const balance = creditEntries.edges[0]?.node.balance
  return [
    ...(new Set(totals).size === 1 ? [] : [`totals ${totals}`]),
    ...(jobs.edges.length === Math.min(100, jobs.totalCount)
      ? []
      : [`${jobs.edges.length} of ${jobs.totalCount} jobs`]),
    ...(balance === account.credits ? [] : [`balance ${balance}, credits ${account.credits}`]),
  ]
}
