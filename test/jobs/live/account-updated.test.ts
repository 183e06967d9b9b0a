import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../../src/accounts/credit-account.ts'
import { notifyAccount } from '../../../src/accounts/notify-account.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

interface State {
  readonly accountUpdated: {
    readonly credits: number
    readonly jobCounts: Record<string, number> | null
    readonly deliveryCounts?: Record<string, number> | null
  }
}
const COUNTS = 'credits jobCounts { queued processing completed failed }'
const OWNERS = `subscription { accountUpdated { ${COUNTS} deliveryCounts { pending succeeded failed } } }`

async function insertDelivery(
  account: string,
  state: 'pending' | 'succeeded' | 'failed',
  isTold = true,
): Promise<string> {
  const id = newId('msg')
  await service.runtime.db.pool.query(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'test', $3, 'https://hooks.example.com/', 0, '', '', $4::webhook_delivery_state, now(), now(), case when $4::webhook_delivery_state <> 'pending' then now() end)`,
    [id, account, newId('job'), state],
  )
  if (isTold) notifyAccount(service.runtime, account, id)
  return id
}

describe('accountUpdated', () => {
  test('brings balance and counts as they are, and follows submissions, ends, grants and deliveries', async () => {
    const { account } = await service.createCaller(100n)
    const { apiKey } = await service.createKey(account, ['job:read', 'account:admin', 'generate:voice'])
    await insertJob(service.runtime.db, account, { status: 'failed' })
    const client = openSocketClient(service.url, apiKey)
    const heard = client.subscribe<State>(OWNERS)
    await heard.waitFor(({ accountUpdated: { credits, jobCounts } }) => credits === 100 && jobCounts?.failed === 1)
    expect(heard.data[0]!.accountUpdated).toEqual({
      credits: 100,
      jobCounts: { queued: 0, processing: 0, completed: 0, failed: 1 },
      deliveryCounts: { pending: 0, succeeded: 0, failed: 0 },
    })
    const jobId = await submitText(service.url, apiKey, 'tts', 'Hello!', 'aria')
    await heard.waitFor(({ accountUpdated: { jobCounts } }) => jobCounts?.queued === 1)
    await creditAccount(service.runtime.as({ kind: 'system' }), { account, amount: 5n })
    const delivery = await insertDelivery(account, 'pending')
    await insertDelivery(account, 'failed')
    await cancelJob(service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), { jobId })
    await heard.waitFor(
      ({ accountUpdated: { credits, jobCounts, deliveryCounts } }) =>
        credits === 105 && jobCounts?.failed === 2 && deliveryCounts?.pending === 1 && deliveryCounts.failed === 1,
    )
    await service.runtime.db.pool.query(
      `update webhook_delivery set state = 'succeeded', finished_at = now() where id = $1`,
      [delivery],
    )
    notifyAccount(service.runtime, account, delivery)
    await heard.waitFor(
      ({ accountUpdated: { deliveryCounts } }) => deliveryCounts?.pending === 0 && deliveryCounts.succeeded === 1,
    )
    await client.dispose()
  })

  test('a hundred changes are a message or two, and one a second where they take longer, and the last one is never left out', async () => {
    const { account, key } = await service.createCaller(0n)
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<State>(`subscription { accountUpdated { ${COUNTS} } }`)
    await heard.waitFor(() => true)
    const begun = performance.now()
    for (let n = 0; n < 100; n++) await creditAccount(service.runtime.as({ kind: 'system' }), { account, amount: 1n })
    await heard.waitFor(({ accountUpdated: { credits } }) => credits === 100)
    const seconds = (performance.now() - begun) / 1000
    expect(heard.data.length).toBeLessThanOrEqual(4 + seconds)
    await client.dispose()
  })

  test('counts of deliveries are for those that administer the account, and nothing is for a key that reads no jobs', async () => {
    const { account, key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<State>(OWNERS)
    const { accountUpdated } = await heard.waitFor(() => true)
    expect([accountUpdated.deliveryCounts, accountUpdated.jobCounts?.queued]).toEqual([null, 0])
    expect(heard.errors).toMatchObject([{ path: ['accountUpdated', 'deliveryCounts'] }])
    await client.dispose()
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    const other = openSocketClient(service.url, apiKey)
    const refused = other.subscribe<State>(OWNERS)
    await refused.ended()
    expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    await other.dispose()
  })
})

describe('deliveriesUpdated', () => {
  const UPDATED =
    'subscription ($filter: WebhookDeliveriesFilter) { deliveriesUpdated(filter: $filter) { id state outcome } }'
  type Event = { deliveriesUpdated: { id: string; state: string } }

  test('brings the pending ones first, then what matches, and nothing of other accounts', async () => {
    const [one, other] = await Promise.all([service.createAccount(), service.createAccount()])
    const { apiKey } = await service.createKey(one, ['account:admin'])
    const pending = await insertDelivery(one, 'pending')
    const early = await insertDelivery(one, 'succeeded')
    const client = openSocketClient(service.url, apiKey)
    const all = client.subscribe<Event>(UPDATED)
    const failures = client.subscribe<Event>(UPDATED, { filter: { states: ['FAILED'] } })
    await all.waitFor(({ deliveriesUpdated: { id, state } }) => id === pending && state === 'PENDING')
    await insertDelivery(other, 'failed')
    const failed = await insertDelivery(one, 'failed')
    await all.waitFor(({ deliveriesUpdated: { id } }) => id === failed)
    await failures.waitFor(({ deliveriesUpdated: { id } }) => id === failed)
    // That the early one has changed may be heard late, and is then brought: it matches.
    const brought = [all, failures].map(({ data }) =>
      data.map(({ deliveriesUpdated: { id } }) => id).filter((id) => id !== early),
    )
    expect(brought).toEqual([[pending, failed], [failed]])
    await client.dispose()
  })

  test('needs account:admin, and a filter within its limits', async () => {
    const { account, key } = await service.createCaller()
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const codes = [
      [key, {}, 'FORBIDDEN'],
      [apiKey, { filter: { states: [] } }, 'INVALID_REQUEST'],
      [apiKey, { filter: { outcomes: ['odd'] } }, 'INVALID_REQUEST'],
    ] as const
    for (const [caller, variables, code] of codes) {
      const client = openSocketClient(service.url, caller)
      const heard = client.subscribe<Event>(UPDATED, variables)
      await heard.ended()
      expect(heard.errors).toMatchObject([{ extensions: { code } }])
      await client.dispose()
    }
  })
})

describe.each([
  ['WebSocket', openSocketClient],
  ['server-sent events', openEventClient],
] as const)('changes of lists over %s', (_, open) => {
  const JOBS =
    'subscription ($filter: JobsFilter, $endedWithinMs: Int) { jobChanges(filter: $filter, everyMs: 100, endedWithinMs: $endedWithinMs) { jobs { id status } removedIds } }'
  const DELIVERIES =
    'subscription ($filter: WebhookDeliveriesFilter, $endedWithinMs: Int) { deliveryChanges(filter: $filter, everyMs: 100, endedWithinMs: $endedWithinMs) { deliveries { id } removedIds } }'
  type Jobs = { jobChanges: { jobs: { id: string; status: string }[]; removedIds: string[] } }
  type Deliveries = { deliveryChanges: { deliveries: { id: string }[]; removedIds: string[] } }
  const run = (sql: string, values: unknown[]) => service.runtime.db.pool.query(sql, values)

  test('say which jobs match no more or were deleted, once, and nothing of other accounts', async () => {
    const [{ account, key }, other] = await Promise.all([service.createCaller(), service.createCaller()])
    const put = (fields: JobFields, owner = account) => insertJob(service.runtime.db, owner, fields)
    const tell = (jobId: string, accountId = account) => notifyJob(service.runtime, { accountId, jobId })
    const [ends, listed, deleted, foreign, seen] = [
      await put({ status: 'processing' }),
      await put({ status: 'queued', endpointKey: 'voice.other' }),
      await put({ status: 'completed' }),
      await put({ status: 'queued' }, other.account),
      await put({ status: 'queued' }),
    ]
    // It ended after the list was read, and before this is followed.
    const justEnded = await put({ completedAt: service.runtime.now() })
    const client = open(service.url, key)
    const filter = { statuses: ['QUEUED', 'PROCESSING'], endpointKeys: ['voice.tts'] }
    const heard = client.subscribe<Jobs>(JOBS, { filter, endedWithinMs: 60_000 })
    await heard.waitFor(({ jobChanges: { jobs } }) => jobs.some(({ id }) => id === seen))
    const end = `update job set status = 'completed', completed_at = now() where id = any($1)`
    await run(end, [[ends, listed, foreign]])
    for (const id of [ends, listed]) tell(id)
    tell(foreign, other.account)
    await deleteJob(service.runtime.as({ kind: 'system' }), { jobId: deleted })
    await heard.waitFor(({ jobChanges: { removedIds } }) => removedIds.includes(deleted))
    tell(ends)
    await run(`update job set status = 'processing', attempt = 1 where id = $1`, [seen])
    tell(seen)
    await heard.waitFor(({ jobChanges: { jobs } }) =>
      jobs.some(({ status, id }) => id === seen && status === 'PROCESSING'),
    )
    const removed = heard.data.flatMap(({ jobChanges }) => jobChanges.removedIds)
    expect(removed.toSorted()).toEqual([ends, deleted, justEnded].toSorted())
    await client.dispose()
  })

  test('say which deliveries match no more, or went with their job', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const [taken, gone] = [await insertDelivery(account, 'pending'), await insertDelivery(account, 'pending')]
    const client = open(service.url, apiKey)
    const heard = client.subscribe<Deliveries>(DELIVERIES, { filter: { states: ['PENDING'] } })
    await heard.waitFor(({ deliveryChanges: { deliveries } }) => deliveries.some(({ id }) => id === gone))
    await run(`update webhook_delivery set state = 'succeeded', finished_at = now() where id = $1`, [taken])
    notifyAccount(service.runtime, account, taken)
    await run('delete from webhook_delivery where id = $1', [gone])
    notifyAccount(service.runtime, account, gone)
    const removed = () => heard.data.flatMap(({ deliveryChanges }) => deliveryChanges.removedIds)
    await until(() => removed().length === 2, 10_000, 'both to be removed')
    expect(removed().toSorted()).toEqual([taken, gone].toSorted())
    await client.dispose()
  })

  test('begin with the deliveries that ended in the time before that is asked for, for that subscriber alone', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const [waiting, ended, older] = [
      await insertDelivery(account, 'pending', false),
      await insertDelivery(account, 'failed', false),
      await insertDelivery(account, 'failed', false),
    ]
    await run(`update webhook_delivery set finished_at = now() - interval '90 s' where id = $1`, [older])
    const client = open(service.url, apiKey)
    const changesOf = ({ data }: { readonly data: readonly Deliveries[] }) => ({
      sent: data.flatMap(({ deliveryChanges }) => deliveryChanges.deliveries.map(({ id }) => id)).toSorted(),
      removed: data.flatMap(({ deliveryChanges }) => deliveryChanges.removedIds),
    })
    const begun = async (variables: Record<string, unknown>) => {
      const heard = client.subscribe<Deliveries>(DELIVERIES, variables)
      await heard.waitFor(() => true)
      return heard
    }
    const failures = client.subscribe<Deliveries>(DELIVERIES, { filter: { states: ['FAILED'] } })
    const plain = await begun({})
    expect(changesOf(plain)).toEqual({ sent: [waiting], removed: [] })
    expect(changesOf(await begun({ endedWithinMs: 0 }))).toEqual({ sent: [waiting], removed: [] })
    const recent = { endedWithinMs: 60_000 }
    expect(changesOf(await begun(recent))).toEqual({ sent: [waiting, ended].toSorted(), removed: [] })
    const pending = await begun({ filter: { states: ['PENDING'] }, ...recent })
    expect(changesOf(pending)).toEqual({ sent: [waiting], removed: [ended] })
    const failed = await begun({ filter: { states: ['FAILED'] }, ...recent })
    expect(changesOf(failed)).toEqual({ sent: [ended], removed: [] })
    await insertDelivery(account, 'succeeded')
    await plain.waitFor(({ deliveryChanges: { deliveries } }) => deliveries.some(({ id }) => id !== waiting))
    expect(changesOf(plain).sent).toHaveLength(2)
    expect(changesOf(failures)).toMatchObject({ sent: [] })
    await client.dispose()
  })

  test.each([{ endedWithinMs: -1 }, { endedWithinMs: 300_001 }])('refuse %j', async (variables) => {
    const { apiKey } = await service.createKey(await service.createAccount(), ['account:admin'])
    const client = open(service.url, apiKey)
    const heard = client.subscribe<Deliveries>(DELIVERIES, variables)
    await heard.ended()
    const details = [{ path: '/endedWithinMs', message: 'must be from 0 to 300000' }]
    expect(heard.errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST', details } }])
    await client.dispose()
  })
})

test('a subscription that shows no progress is sent each state of a job once', async () => {
  const { account, key } = await service.createCaller()
  const client = openSocketClient(service.url, key)
  const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
  const plain = client.subscribe<{ jobsUpdated: { status: string } }>('subscription { jobsUpdated { id status } }')
  const detailed = client.subscribe<{ jobsUpdated: { chunksDone: number | null } }>(
    'subscription { jobsUpdated { ... on VoiceJob { chunksDone } } }',
  )
  await plain.waitFor(() => true)
  const change = async (sql: string) => {
    await service.runtime.db.pool.query(`update job set ${sql} where id = $1`, [jobId])
    notifyJob(service.runtime, { accountId: account, jobId })
  }
  for (const done of [0, 1, 2, 3]) {
    await change(`chunks_total = 3, chunks_done = ${done}`)
    await detailed.waitFor(({ jobsUpdated: { chunksDone } }) => chunksDone === done)
  }
  await change(`status = 'completed', completed_at = now()`)
  await plain.waitFor(({ jobsUpdated: { status } }) => status === 'COMPLETED')
  expect(plain.data.map(({ jobsUpdated: { status } }) => status)).toEqual(['PROCESSING', 'COMPLETED'])
  await client.dispose()
})

describe('jobsChanged', () => {
  const CHANGED =
    'subscription ($filter: JobsFilter, $everyMs: Int, $endedWithinMs: Int) { jobsChanged(filter: $filter, everyMs: $everyMs, endedWithinMs: $endedWithinMs) { id status } }'
  type Event = { jobsChanged: { id: string; status: string }[] }

  test('is a message a tick with the latest state of each job, of those that match alone', async () => {
    const { account, key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const filter = { endpointKeys: ['voice.tts'], not: { errorCodes: ['JOB_TIMEOUT'] } }
    const everyMs = 200
    const heard = client.subscribe<Event>(CHANGED, { filter, everyMs })
    const one = client.subscribe<{ jobsUpdated: { id: string } }>(
      'subscription { jobsUpdated(where: {endpointKeys: ["voice.other"]}) { id } }',
    )
    const insert = async (fields: JobFields) => {
      const jobId = await insertJob(service.runtime.db, account, fields)
      notifyJob(service.runtime, { accountId: account, jobId })
      return jobId
    }
    const first = await insert({ status: 'processing' })
    await heard.waitFor(({ jobsChanged }) => jobsChanged.some(({ id }) => id === first))
    const [before, begun] = [heard.data.length, performance.now()]
    const ids: string[] = []
    for (let n = 0; n < 40; n++) ids.push(await insert({ status: 'queued' }))
    await insert({ status: 'failed', errorCode: 'JOB_TIMEOUT' })
    const other = await insert({ endpointKey: 'voice.other' })
    await service.runtime.db.pool.query(`update job set status = 'processing', attempt = 1 where id = any($1)`, [ids])
    for (const jobId of ids) notifyJob(service.runtime, { accountId: account, jobId })
    const last = new Map<string, string>()
    await until(
      () => {
        for (const { jobsChanged } of heard.data) for (const { id, status } of jobsChanged) last.set(id, status)
        return ids.every((id) => last.get(id) === 'PROCESSING')
      },
      60_000,
      'all of them',
    )
    // Without ticks it would be a message a change, and there are more than eighty.
    expect(heard.data.length - before).toBeLessThanOrEqual(3 + (performance.now() - begun) / everyMs)
    expect(new Set(last.keys())).toEqual(new Set([first, ...ids]))
    await one.waitFor(({ jobsUpdated }) => jobsUpdated.id === other)
    expect(one.data).toHaveLength(1)
    await client.dispose()
  })

  test('begins with what is unfinished, and with what ended in the time before that is asked for', async () => {
    const { account, key } = await service.createCaller()
    const insert = (fields: JobFields) => insertJob(service.runtime.db, account, fields)
    const endedAgo = (ms: number) => new Date(service.runtime.now().getTime() - ms)
    const waiting = await insert({ status: 'queued' })
    const ended = await insert({ status: 'failed', completedAt: endedAgo(20_000) })
    await insert({ status: 'failed', completedAt: endedAgo(90_000) })
    await insert({ status: 'failed', completedAt: endedAgo(20_000), endpointKey: 'voice.other' })
    const filter = { endpointKeys: ['voice.tts'] }
    const client = openSocketClient(service.url, key)
    const firstOf = async (variables: object) => {
      const heard = client.subscribe<Event>(CHANGED, { filter, ...variables })
      await heard.waitFor(({ jobsChanged }) => jobsChanged.some(({ id }) => id === waiting))
      return heard.data[0]!.jobsChanged.map(({ id, status }) => [id, status])
    }
    expect(await firstOf({})).toEqual([[waiting, 'QUEUED']])
    expect(await firstOf({ endedWithinMs: 0 })).toEqual([[waiting, 'QUEUED']])
    expect(await firstOf({ endedWithinMs: 60_000 })).toEqual([
      [waiting, 'QUEUED'],
      [ended, 'FAILED'],
    ])
    await client.dispose()
  })

  test('begins with all that is unfinished, however much has ended', async () => {
    const { account, key } = await service.createCaller()
    const completedAt = new Date(service.runtime.now().getTime() - 1000)
    const old = (n: number) => idAt(new Date(Date.now() - 60_000 - n))
    await Promise.all(
      Array.from({ length: 620 }, (_, n) =>
        insertJob(service.runtime.db, account, { id: old(n), status: 'failed', completedAt }),
      ),
    )
    const waiting = await insertJob(service.runtime.db, account, { status: 'queued' })
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<Event>(CHANGED, { filter: null, endedWithinMs: 60_000 })
    await expect.poll(() => heard.data.flatMap(({ jobsChanged }) => jobsChanged).length).toBe(301)
    expect(heard.data[0]!.jobsChanged[0]!.id).toBe(waiting)
    await client.dispose()
  })

  test.each([
    { everyMs: 99 },
    { everyMs: 60_001 },
    { endedWithinMs: -1 },
    { endedWithinMs: 300_001 },
    { filter: { types: [] } },
  ])('refuses %j', async (variables) => {
    const { key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<Event>(CHANGED, variables)
    await heard.ended()
    expect(heard.errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST' } }])
    await client.dispose()
  })
})
