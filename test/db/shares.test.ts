import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { insertDelivery } from '../setup/jobs/deliveries.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { lockJobs, lockTable } from '../setup/postgres/locked-table.ts'
import { ask } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { until } from '../setup/wait.ts'

const STATISTICS = '{ jobStats(groupBy: [DAY]) { day jobs } }'
const COUNTED = '{ jobs(filter: {idPrefix: "job_0"}) { totalCount } }'
const CROWD = 24
const TIMEOUT_MS = 60_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

describe('a process with 20 connections', () => {
  test('keeps five of them for long reads, which take no parallel workers', async () => {
    const { pool, readPool } = service.runtime.db
    expect([pool.options.max, readPool.options.max]).toEqual([15, 5])
    const { rows } = await readPool.query('show max_parallel_workers_per_gather')
    expect(rows).toEqual([{ max_parallel_workers_per_gather: '0' }])
  })

  test('shows how many of each pool are open, idle and waited for', () => {
    const { pool, readPool } = service.runtime.db
    for (const { totalCount, idleCount, waitingCount } of [pool, readPool])
      expect([totalCount, idleCount, waitingCount]).toEqual([expect.any(Number), expect.any(Number), 0])
  })
})

describe('24 readers of the statistics of one account', () => {
  test('take two connections, and the others are answered with Retry-After, through every door', async () => {
    const statistics = () => ask(service.url, key, STATISTICS).then(({ errors }) => errors?.[0]?.extensions.code)
    const counted = () => ask(service.url, key, COUNTED).then(({ errors }) => errors?.[0]?.extensions.code)
    const searched = async () => {
      const { status, headers } = await call(`${service.url}/api/v1/jobs?search=job_0&status=failed`, { key })
      return status === 200 ? undefined : `${status} ${headers['retry-after']}`
    }
    const doors = [statistics, counted, searched]
    const [{ key }, other] = await Promise.all([service.createCaller(), service.createCaller()])
    const jobs = await lockJobs(service.runtime)
    try {
      let settled = 0
      const answers = Array.from({ length: CROWD }, (_none, n) => doors[n % 3]!().finally(() => settled++))
      await jobs.waitedFor(2)
      const others = ask(service.url, other.key, STATISTICS)
      await jobs.waitedFor(3)
      await until(() => settled === CROWD - 2, TIMEOUT_MS, 'the rest to be rejected')
      expect(await jobs.countWaiting()).toBe(3)
      await jobs.unlock()
      expect((await others).errors).toBeUndefined()
      const codes = await Promise.all(answers)
      expect(codes.filter((code) => code === undefined)).toHaveLength(2)
      expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED', '429 2', undefined]))
    } finally {
      await jobs.unlock().catch(() => undefined)
    }
  })
})

describe('one account with 60 subscriptions', () => {
  test('over a locked table takes its share of the connections: other accounts submit and read', async () => {
    const [{ key, account }, other] = await Promise.all([service.createCaller(), service.createCaller()])
    const client = openSocketClient(service.url, key)
    const ids = await Promise.all(
      Array.from({ length: 60 }, () => insertJob(service.runtime.db, account, { status: 'completed' })),
    )
    const artifacts = await lockTable(service.runtime, 'artifact')
    const follow = (id: string) =>
      client.subscribe('subscription ($id: ID!) { jobUpdated(id: $id) { id artifacts { id } } }', { id })
    try {
      const heard = ids.map(follow)
      const share = service.runtime.db.workShares.perKey
      await artifacts.waitedFor(share)
      await submitText(service.url, other.key, 'tts', 'Not delayed.', 'aria')
      expect((await ask(service.url, other.key, '{ jobs { totalCount } }')).data).toEqual({ jobs: { totalCount: 1 } })
      expect(await artifacts.countWaiting()).toBe(share)
      await artifacts.unlock()
      for (const [index, one] of heard.entries())
        await one.waitFor((event) => JSON.stringify(event).includes(ids[index] as string))
    } finally {
      await artifacts.unlock().catch(() => undefined)
      await client.dispose()
    }
  })
})

describe('one account that begins 60 subscriptions', () => {
  test.each([
    ['deliveryChanges', 'webhook_delivery', 'deliveries { id } removedIds'],
    ['jobChanges', 'job', 'jobs { id } removedIds'],
  ] as const)('of %s takes its share of the connections', async (field, table, fields) => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin', 'job:read'])
    const jobId = await insertJob(service.runtime.db, account, { status: 'processing', attempt: 1 })
    const delivery = await insertDelivery(service.runtime.db, { accountId: account, jobId, state: 'pending' })
    const client = openSocketClient(service.url, apiKey)
    const locked = await lockTable(service.runtime, table)
    try {
      const heard = Array.from({ length: 60 }, () =>
        client.subscribe(`subscription { ${field}(everyMs: 100) { ${fields} } }`),
      )
      const share = service.runtime.db.workShares.perKey
      await locked.waitedFor(share)
      await ask(service.url, apiKey, '{ catalog { catalogVersion } }')
      expect(await locked.countWaiting()).toBe(share)
      await locked.unlock()
      for (const one of heard)
        await one.waitFor((event) => [jobId, delivery].some((id) => JSON.stringify(event).includes(id)))
    } finally {
      await locked.unlock().catch(() => undefined)
      await client.dispose()
    }
  })
})

describe('60 requests that wait for rows of another program', () => {
  const submit = (key: string, text: string, headers: Record<string, string> = {}) =>
    call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, headers, body: { inputs: { text, voice: 'aria' } } })

  /** Locks rows, and has another account submit and read its job once the requests have been under way for a second. */
  async function whileLocked(lock: string, values: unknown[], requests: () => Promise<{ status: unknown }>[]) {
    const { key } = await service.createCaller()
    const client = new Client(service.runtime.db.url)
    await client.connect()
    try {
      await client.query('begin')
      await client.query(lock, values)
      let settled = 0
      const waiting = Promise.all(requests().map((request) => request.finally(() => settled++)))
      await wait(1000)
      await submitText(service.url, key, 'tts', 'Not delayed.', 'aria')
      const replies = await Promise.all(['a', 'a', 'b'].map((name) => submit(key, 'x', { 'idempotency-key': name })))
      expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
      // Nothing was freed for them: no request was refused either, as those are that wait for their share of the connections for too long.
      expect(settled).toBe(0)
      await client.query('rollback')
      return (await waiting).map(({ status }) => status)
    } finally {
      await client.end()
    }
  }

  test('of its account take some connections: other accounts submit, and all are accepted once the lock is gone', async () => {
    const { key, account } = await service.createCaller()
    const keyed = (n: number): Record<string, string> => (n % 2 === 0 ? {} : { 'idempotency-key': `key ${n}` })
    const submitAll = () => Array.from({ length: 60 }, (_none, n) => submit(key, `${n}.`, keyed(n)))
    const statuses = await whileLocked('select from account where id = $1 for update', [account], submitAll)
    expect(statuses).toEqual(Array(60).fill(202))
  })

  test('of its jobs take some connections: other accounts submit, and all are cancelled once the locks are gone', async () => {
    const { key } = await service.createCaller()
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_none, n) => submitText(service.url, key, 'tts', `${n}.`, 'aria')),
    )
    const cancel = async (id: string) => {
      const { errors } = await ask(service.url, key, `mutation { cancelJob(jobId: "${id}") { ... on Job { status } } }`)
      return { status: errors === undefined ? 'cancelled' : errors[0]?.message }
    }
    const cancelAll = () => ids.map(cancel)
    const statuses = await whileLocked('select from job where id = any($1) for update', [ids], cancelAll)
    expect(statuses).toEqual(Array(60).fill('cancelled'))
  })
})
