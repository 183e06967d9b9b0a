import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notifyAccount } from '../../../src/accounts/notify-account.ts'
import { newId } from '../../../src/values/id.ts'
import { insertDelivery } from '../../setup/jobs/deliveries.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Heard, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 30_000
const HOUR_MS = 3_600_000

interface Answer {
  readonly jobs: { readonly edges: readonly { readonly node: { readonly id: string } }[]; readonly totalCount: number }
  readonly jobStats: readonly { readonly jobs: number }[]
  readonly jobSeries: { readonly points: readonly { readonly accepted: number }[] }
}

interface Changes {
  readonly jobChanges: { readonly jobs: readonly { readonly id: string }[]; readonly removedIds: readonly string[] }
}

const FOUND = `query ($filter: JobsFilter, $from: DateTime!) {
  jobs(filter: $filter) { edges { node { id } } totalCount }
  jobStats(filter: $filter) { jobs }
  jobSeries(from: $from, step: HOUR, filter: $filter) { points { accepted } }
}`
const CHANGES =
  'subscription ($filter: JobsFilter) { jobChanges(filter: $filter, everyMs: 100) { jobs { id } removedIds } }'

const USER = newId('user')
const VOICE = newId('voice')
const JOBS: readonly JobFields[] = [
  { voice: 'calm', language: 'English', tags: ['red', 'a,b'] },
  { voice: VOICE, language: 'German', tags: ['{x}', '"q" \\'], userId: USER },
  { voice: 'calm', language: null, tags: null },
  { type: 'generate', tags: ['red'] },
  { type: 'companion_chat', userId: USER },
]

let service: TestRuntime
let account: string
let key: string
let ids: string[]
const start = Date.now() - HOUR_MS
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  account = await service.createAccount()
  key = (await service.createKey(account, ['job:read', 'account:admin'])).apiKey
  const put = (owner: string) => (job: JobFields, index: number) =>
    insertJob(service.runtime.db, owner, { id: idAt(new Date(start + index * 1000)), ...job })
  const other = await service.createAccount()
  for (const [index, job] of JOBS.entries()) await put(other)(job, index)
  ids = []
  for (const [index, job] of JOBS.entries()) ids.push(await put(account)(job, index))
  await deliver(0, 'failed')
  await deliver(0, 'succeeded')
  await deliver(2, 'pending')
})
afterAll(() => service.close())

const deliver = (index: number, state: 'pending' | 'succeeded' | 'failed') =>
  insertDelivery(service.runtime.db, { accountId: account, jobId: ids[index]!, state })

test.each<[object, number[]]>([
  [{ voices: ['calm'] }, [0, 2]],
  [{ voices: [VOICE, 'nobody'] }, [1]],
  [{ languages: ['English', 'German'] }, [0, 1]],
  [{ not: { languages: ['English'] } }, [1, 2, 3, 4]],
  [{ userIds: [USER] }, [1, 4]],
  [{ tags: ['red'] }, [0, 3]],
  [{ tags: ['a,b', '"q" \\'] }, [0, 1]],
  [{ tags: ['a', 'red,a', '{red}', 'NULL'] }, []],
  [{ not: { tags: ['red'] } }, [1, 2, 4]],
  [{ deliveryStates: ['FAILED'] }, [0]],
  [{ deliveryStates: ['PENDING', 'SUCCEEDED'] }, [0, 2]],
  [{ not: { deliveryStates: ['PENDING'] } }, [0, 1, 3, 4]],
  [{ or: [{ deliveryStates: ['PENDING'] }, { voices: [VOICE] }], statuses: ['COMPLETED'] }, [1, 2]],
])('%j means the same jobs in lists, totals, statistics and series', async (filter, indexes) => {
  const from = new Date(start - HOUR_MS).toISOString()
  const { jobs, jobStats, jobSeries } = await read<Answer>(service.url, key, FOUND, { filter, from })
  const found = jobs.edges.map(({ node }) => ids.indexOf(node.id)).toReversed()
  const accepted = jobSeries.points.reduce((sum, point) => sum + point.accepted, 0)
  expect([found, jobs.totalCount, jobStats[0]?.jobs ?? 0, accepted]).toEqual([
    indexes,
    ...[indexes.length, indexes.length, indexes.length],
  ])
})

test('ids name up to a page of jobs, and neighbours are those among them', async () => {
  const filter = { ids: [ids[0], ids[2], ids[4]] }
  const query = `query ($id: ID!, $filter: JobsFilter) { job(jobId: $id) { neighbours(filter: $filter) { previous { id } next { id } } } }`
  const answer = await read(service.url, key, query, { id: ids[2], filter })
  expect(answer).toEqual({ job: { neighbours: { previous: { id: ids[4] }, next: { id: ids[0] } } } })
  const page = (wanted: string[]) => ask(service.url, key, FOUND, { filter: { ids: wanted }, from: new Date(start) })
  expect((await page(Array.from({ length: 100 }, () => newId('job')))).errors).toBeUndefined()
  for (const wrong of [Array.from({ length: 101 }, () => newId('job')), ['job_x'], []])
    expect(codeOf(await page(wrong))).toBe('INVALID_REQUEST')
})

describe('states of deliveries', () => {
  const nested = { and: [{ not: { deliveryStates: ['FAILED'] } }] }

  test.each([
    ['jobs', 'query ($filter: JobsFilter) { jobs(filter: $filter) { totalCount } }'],
    ['jobStats', 'query ($filter: JobsFilter) { jobStats(filter: $filter) { jobs } }'],
    [
      'jobSeries',
      'query ($filter: JobsFilter) { jobSeries(from: "2026-01-01T00:00:00Z", step: DAY, filter: $filter) { step } }',
    ],
  ])('are filtered by in %s with account:admin alone', async (_name, query) => {
    const { apiKey } = await service.createKey(account, ['job:read'])
    expect(codeOf(await ask(service.url, apiKey, query, { filter: nested }))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, key, query, { filter: nested }))).toBeUndefined()
  })

  test('are those of any account to an operator', async () => {
    const { apiKey } = await service.createKey(account, ['operator'])
    const query = `query ($filter: JobsFilter, $account: ID) { allJobs(filter: $filter, account: $account) { edges { node { id } } } }`
    const variables = { filter: { deliveryStates: ['FAILED'] }, account }
    expect(await read(service.url, apiKey, query, variables)).toEqual({
      allJobs: { edges: [{ node: { id: ids[0] } }] },
    })
  })

  test('are filtered by in subscriptions with account:admin alone', async () => {
    const { apiKey } = await service.createKey(account, ['job:read'])
    const client = openSocketClient(service.url, apiKey)
    const heard = client.subscribe<Changes>(CHANGES, { filter: nested })
    await until(() => heard.errors.length > 0, TIMEOUT_MS, 'a refusal')
    expect(JSON.stringify(heard.errors)).toContain('FORBIDDEN')
    await client.dispose()
  })

  test('keep a live list true while a delivery fails, is sent again and is deleted', async () => {
    const owner = await service.createAccount()
    const { apiKey } = await service.createKey(owner, ['job:read', 'account:admin'])
    const jobId = await insertJob(service.runtime.db, owner, { tags: ['live'] })
    const unfinished = await insertJob(service.runtime.db, owner, { status: 'queued', tags: ['live'] })
    const client = openSocketClient(service.url, apiKey)
    const heard = client.subscribe<Changes>(CHANGES, { filter: { deliveryStates: ['FAILED'], tags: ['live'] } })
    const others = client.subscribe<Changes>(CHANGES, { filter: { not: { deliveryStates: ['FAILED'] } } })
    await until(() => jobsOf(others).includes(unfinished), TIMEOUT_MS, 'the subscriptions to begin')
    const delivery = await insertDelivery(service.runtime.db, { accountId: owner, jobId, state: 'failed' })
    const told = async (change: string, is: () => boolean) => {
      notifyAccount(service.runtime, owner, delivery)
      await until(is, TIMEOUT_MS, change)
    }
    // An earlier list may hold jobs that the subscription never told of.
    const left = () => removedOf(heard).filter((id) => id === jobId).length
    await told('the job to come', () => jobsOf(heard).length === 1)
    const set = `update webhook_delivery set state = 'pending', finished_at = null where id = $1`
    await service.runtime.db.pool.query(set, [delivery])
    await told('the job to leave', () => left() === 1)
    const again = `update webhook_delivery set state = 'failed', finished_at = now() where id = $1`
    await service.runtime.db.pool.query(again, [delivery])
    await told('the job to come again', () => jobsOf(heard).length === 2)
    await service.runtime.db.pool.query('delete from webhook_delivery where id = $1', [delivery])
    await told('the job to leave again', () => left() === 2)
    expect(jobsOf(heard)).toEqual([jobId, jobId])
    expect(removedOf(others)).toContain(jobId)
    await client.dispose()
  })
})

const removedOf = ({ data }: Heard<Changes>) => data.flatMap(({ jobChanges }) => jobChanges.removedIds)
const jobsOf = ({ data }: Heard<Changes>) => data.flatMap(({ jobChanges }) => jobChanges.jobs.map(({ id }) => id))
