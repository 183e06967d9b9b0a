import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteApiKey } from '../../../src/api-keys/change-api-key.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { newId } from '../../../src/values/id.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { lockJobs, lockTable } from '../../setup/postgres/locked-table.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

type Open = typeof openSocketClient | typeof openEventClient
type Told = { jobsUpdated: { id: string; artifacts: unknown[] } }

const JOBS = 'subscription { jobsUpdated { id artifacts { id } } }'
const PLAIN = 'subscription { jobsUpdated { id } }'
const QUERY = '{ jobs { totalCount edges { node { id } } } }'
const TOO_LONG = expect.objectContaining({
  message: expect.stringContaining('took too long'),
  extensions: { code: 'INVALID_REQUEST', requestId: expect.any(String) },
})

/** A caller is looked up every 400 ms, and is not noticed to be gone by anything else: far from both, for a machine that is busy. */
const SOON_MS = 10_000
const TIMEOUT_MS = 60_000

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

const openers = [
  ['graphql-ws', openSocketClient],
  ['server-sent events', openEventClient],
] as const

/** Subscribers that have received a job that there was. */
async function openFollowed(open: Open, count: number) {
  const { key, keyId, account } = await service.createCaller()
  const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
  const clients = Array.from({ length: count }, () => open(service.url, key))
  const heard = clients.map((client) => client.subscribe<Told>(JOBS))
  for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
  const change = async (): Promise<string> => {
    // Only of finished ones artifacts are looked up.
    const changed = await insertJob(service.runtime.db, account, { status: 'completed' })
    notifyJob(service.runtime, { accountId: account, jobId: changed })
    return changed
  }
  return { keyId, heard, change, dispose: () => Promise.all(clients.map((client) => client.dispose())) }
}

describe('after ten seconds', () => {
  test('whatever it came over, a query is refused, and so is the answer to an event; the database ends both, subscriptions go on, and none begins', async () => {
    const all = await Promise.all(openers.map(([, open]) => openFollowed(open, 2)))
    const artifacts = await lockTable(service.runtime, 'artifact')
    for (const { change } of all) await change()
    await artifacts.waitedFor(all.length)
    const jobs = await lockTable(service.runtime, 'job')
    const late = await Promise.all(openers.map(([, open]) => openLate(open)))
    const posted = ask(service.url, (await service.createCaller()).key, QUERY)
    try {
      expect((await posted).errors).toEqual([TOO_LONG])
      for (const { heard } of late) for (const one of heard) await one.ended()
      for (const { heard } of late)
        for (const { errors, data } of heard) expect([errors, data]).toEqual([[TOO_LONG], []])
      const hasFailed = () => all.every(({ heard }) => heard.every(({ errors }) => errors.length > 0))
      await until(hasFailed, TIMEOUT_MS, 'the answers to the events to be refused')
      for (const { errors, data, done } of all.flatMap(({ heard }) => heard))
        expect([errors, data.length, done]).toEqual([[TOO_LONG], 1, false])
      await Promise.all([artifacts.givenUp(), jobs.givenUp()])
    } finally {
      await Promise.all([artifacts.unlock(), jobs.unlock()])
    }
    for (const { heard, change, dispose } of all) {
      const jobId = await change()
      for (const one of heard) await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
      await dispose()
    }
    for (const { dispose } of late) await dispose()
  })

  /** Subscriptions, both of which ask the database for jobs first, and a query. */
  async function openLate(open: Open) {
    const client = open(service.url, (await service.createCaller()).key)
    const job = client.subscribe('subscription ($id: ID!) { jobUpdated(id: $id) { id } }', { id: newId('job') })
    return { heard: [client.subscribe(PLAIN), job, client.subscribe(QUERY)], dispose: () => client.dispose() }
  }
})

describe.each(openers)('over %s', (_name, open) => {
  test('an answer that several wait for outlives the subscribers that leave, the first one among them', async () => {
    const { heard, change, dispose } = await openFollowed(open, 3)
    const artifacts = await lockTable(service.runtime, 'artifact')
    let jobId = ''
    try {
      jobId = await change()
      await artifacts.waitedFor()
      heard[0]!.end()
      heard[1]!.end()
    } finally {
      await artifacts.unlock()
    }
    await heard[2]!.waitFor(({ jobsUpdated }) => jobsUpdated.id === jobId)
    expect(heard[2]!.errors).toEqual([])
    await dispose()
  })

  test('an answer that no subscriber waits for any more is ended in the database', async () => {
    const { heard, change, dispose } = await openFollowed(open, 2)
    const artifacts = await lockTable(service.runtime, 'artifact')
    try {
      await change()
      await artifacts.waitedFor()
      for (const one of heard) one.end()
      await artifacts.givenUp()
    } finally {
      await artifacts.unlock()
    }
    await dispose()
  })

  test('a deleted key waits for no answer: its subscription ends within a second', async () => {
    const { keyId, heard, change, dispose } = await openFollowed(open, 1)
    const artifacts = await lockTable(service.runtime, 'artifact')
    try {
      await change()
      await artifacts.waitedFor()
      await deleteApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: keyId })
      const start = performance.now()
      await heard[0]!.ended()
      expect(performance.now() - start).toBeLessThan(SOON_MS)
      await artifacts.givenUp()
    } finally {
      await artifacts.unlock()
    }
    expect(heard[0]!.data).toHaveLength(1)
    await dispose()
  })

  test('a subscription that is given up before it has begun is ended in the database', async () => {
    const { key } = await service.createCaller()
    const client = open(service.url, key)
    const jobs = await lockJobs(service.runtime)
    try {
      const heard = client.subscribe(PLAIN)
      await jobs.waitedFor()
      heard.end()
      await jobs.givenUp()
    } finally {
      await jobs.unlock()
    }
    await client.dispose()
  })
})
