import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { notifyAccount } from '../../../src/accounts/notify-account.ts'
import { graphqlSchema } from '../../../src/graphql/schema.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { dropOldJobs } from '../../../src/jobs/retention/drop-old-jobs.ts'
import { newId } from '../../../src/values/id.ts'
import { tidyWebhooks } from '../../../src/webhooks/delivery/tidy-webhooks.ts'
import { insertDelivery } from '../../setup/jobs/deliveries.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { JOB_DAYS, RETENTION } from '../../setup/jobs/retention.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { type Heard, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

const DAY_MS = 86_400_000
const TIMEOUT_MS = 30_000
const CHANGES =
  'subscription ($filter: JobsFilter) { jobChanges(filter: $filter, everyMs: 100) { jobs { id } removedIds } }'

interface Changes {
  readonly jobChanges: { readonly jobs: readonly { readonly id: string }[]; readonly removedIds: readonly string[] }
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: RETENTION, worker: true })
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[]) => service.runtime.db.pool.query(sql, values)
const put = (account: string, fields: JobFields) => insertJob(service.runtime.db, account, fields)
const removedOf = ({ data }: Heard<Changes>) => data.flatMap(({ jobChanges }) => jobChanges.removedIds)
const jobsOf = ({ data }: Heard<Changes>) => data.flatMap(({ jobChanges }) => jobChanges.jobs.map(({ id }) => id))

describe('a job that leaves the filter is a removed id', () => {
  const UNFINISHED = ['QUEUED', 'PROCESSING']
  const always = { idPrefix: 'job_' }

  test.each<[string, object]>([
    ['statuses', { statuses: UNFINISHED }],
    ['error codes', { not: { errorCodes: ['JOB_CANCELLED'] } }],
    ['the end', { not: { completedAt: { from: '2020-01-01T00:00:00Z' } } }],
    ['the duration', { not: { durationMs: { from: 0 } } }],
    ['the verdict', { not: { decision: 'REJECT' } }],
    ['the detected language', { not: { languages: ['English'] } }],
    ['all of several', { and: [always, { statuses: UNFINISHED }] }],
    ['one of several', { or: [{ statuses: ['QUEUED'] }, { statuses: ['PROCESSING'] }] }],
    ['none of several', { not: { or: [{ statuses: ['FAILED'] }, { decision: 'REJECT' }] } }],
  ])('by %s', async (_, filter) => {
    const { account, key } = await service.createCaller()
    const fields = { type: 'companion_chat', status: 'processing', attempt: 1 } as const
    const [told, stays] = [await put(account, fields), await put(account, fields)]
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<Changes>(CHANGES, { filter })
    await until(() => jobsOf(heard).length === 2, TIMEOUT_MS, 'both to be told')
    // A list may hold a job that the subscription never told of.
    const listed = await put(account, fields)
    await run(
      `update job set status = 'failed', error_code = 'JOB_CANCELLED', is_prohibited = true, language = 'English',
         completed_at = greatest(now(), created_at) where id = any($1)`,
      [[told, listed]],
    )
    for (const jobId of [told, listed]) notifyJob(service.runtime, { accountId: account, jobId })
    await until(() => removedOf(heard).length === 2, TIMEOUT_MS, 'both to be removed')
    expect(removedOf(heard).toSorted()).toEqual([told, listed].toSorted())
    expect(jobsOf(heard).toSorted()).toEqual([told, stays].toSorted())
    await client.dispose()
  })
})

test("a notification that names another account's rows shows them to nobody and takes no change from their owner", async () => {
  const follow = async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['job:read', 'account:admin'])
    const job = await put(account, { status: 'processing' })
    await insertDelivery(service.runtime.db, { accountId: account, jobId: job, state: 'pending' })
    const client = openSocketClient(service.url, apiKey)
    const heard = [
      'jobChanges(everyMs: 100) { jobs { id } removedIds }',
      'jobChanges(everyMs: 100, filter: { deliveryStates: [PENDING, FAILED] }) { jobs { id } removedIds }',
      'deliveryChanges(everyMs: 100) { deliveries { id url } removedIds }',
      'deliveriesUpdated { id url }',
    ].map((field) => client.subscribe<Record<string, unknown>>(`subscription { ${field} }`))
    for (const { waitFor } of heard) await waitFor(() => true)
    const hears = (id: string) => heard.map(({ data }) => JSON.stringify(data).includes(id))
    return { account, hears, client }
  }
  const ended = async (accountId: string) => {
    const jobId = await put(accountId, {})
    return [jobId, await insertDelivery(service.runtime.db, { accountId, jobId, state: 'failed' })] as const
  }
  // As a role that may only read can send it.
  const notify = (messages: readonly (readonly [string, ...string[]])[]) =>
    run('select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as message(channel, payload)', [
      messages.map(([channel]) => channel),
      messages.map(([, ...ids]) => ids.join(' ')),
    ])
  const tell = (account: string, job: string, delivery: string) =>
    [
      ['sonant_job', account, job],
      ['sonant_account', account, delivery],
    ] as const
  const [thief, owner] = [await follow(), await follow()]
  const [job, delivery] = await ended(owner.account)
  await notify([
    ...tell(owner.account, job, delivery),
    ...tell(thief.account, job, delivery),
    ['sonant_account', thief.account, delivery, job],
  ])
  await until(() => owner.hears(job).slice(0, 2).every(Boolean), TIMEOUT_MS, 'the owner to hear of its job')
  await until(() => owner.hears(delivery).slice(2).every(Boolean), TIMEOUT_MS, 'the owner to hear of its delivery')
  const [ownJob, ownDelivery] = await ended(thief.account)
  await notify(tell(thief.account, ownJob, ownDelivery))
  await until(() => thief.hears(ownJob).slice(0, 2).every(Boolean), TIMEOUT_MS, 'a later job')
  await until(() => thief.hears(ownDelivery).slice(2).every(Boolean), TIMEOUT_MS, 'a later delivery')
  expect([job, delivery].flatMap(thief.hears)).toEqual(Array(8).fill(false))
  for (const { client } of [thief, owner]) await client.dispose()
})

test('what retention deletes is removed, of jobs and of their deliveries', async () => {
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, ['job:read', 'account:admin'])
  const at = new Date(service.runtime.now().getTime() - (JOB_DAYS + 1) * DAY_MS)
  const old = await put(account, { id: idAt(at) })
  const delivery = `msg_${old.slice('job_'.length)}`
  await run(
    `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at, finished_at)
     values ($1, $2, 'job', $3, 'https://hooks.example.com/', 0, '', '', 'failed', now(), now(), now())`,
    [delivery, account, old],
  )
  const waiting = await put(account, { status: 'processing' })
  const client = openSocketClient(service.url, apiKey)
  const jobs = client.subscribe<Changes>(CHANGES)
  const queued = client.subscribe<Changes>(CHANGES, { filter: { statuses: ['QUEUED'] } })
  const deliveries = client.subscribe<{ deliveryChanges: { removedIds: string[] } }>(
    'subscription { deliveryChanges(filter: {states: [FAILED]}, everyMs: 100) { deliveries { id } removedIds } }',
  )
  await jobs.waitFor(({ jobChanges }) => jobChanges.jobs.some(({ id }) => id === waiting))
  await dropOldJobs(service.runtime)
  await jobs.waitFor(({ jobChanges: { removedIds } }) => removedIds.includes(old))
  await deliveries.waitFor(({ deliveryChanges: { removedIds } }) => removedIds.includes(delivery))
  const next = await put(account, { status: 'queued', type: 'companion_chat' })
  notifyJob(service.runtime, { accountId: account, jobId: next })
  await until(() => jobsOf(queued).includes(next), TIMEOUT_MS, 'a queued job to be told')
  expect(removedOf(queued)).not.toContain(old)
  await client.dispose()
})

test('a list by the states of deliveries stays true when an old delivery is deleted', async () => {
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, ['job:read', 'account:admin'])
  const jobId = await put(account, {})
  const delivery = await insertDelivery(service.runtime.db, { accountId: account, jobId, state: 'failed' })
  await run(`update webhook_delivery set finished_at = now() - interval '31 days' where id = $1`, [delivery])
  const waiting = await put(account, { status: 'processing' })
  const client = openSocketClient(service.url, apiKey)
  // An earlier list may hold the job; no subscription has told of it.
  const failed = client.subscribe<Changes>(CHANGES, { filter: { deliveryStates: ['FAILED'] } })
  const others = client.subscribe<Changes>(CHANGES, { filter: { not: { deliveryStates: ['FAILED'] } } })
  await until(() => jobsOf(others).includes(waiting), TIMEOUT_MS, 'the subscriptions to begin')
  await tidyWebhooks(service.runtime)
  await until(() => jobsOf(others).includes(jobId), TIMEOUT_MS, 'the job to come')
  await until(() => removedOf(failed).includes(jobId), TIMEOUT_MS, 'the job to leave')
  await client.dispose()
})

test('a job that is deleted with its delivery makes no list by the states of deliveries read its other jobs again', async () => {
  const account = await service.createAccount()
  const { apiKey } = await service.createKey(account, ['job:read', 'account:admin'])
  const deliver = (jobId: string) => insertDelivery(service.runtime.db, { accountId: account, jobId, state: 'failed' })
  const [waiting, deleted, next] = [
    await put(account, { status: 'processing' }),
    await put(account, {}),
    await put(account, {}),
  ]
  await deliver(deleted)
  const client = openSocketClient(service.url, apiKey)
  const filter = { or: [{ statuses: ['PROCESSING'] }, { deliveryStates: ['FAILED'] }] }
  const heard = client.subscribe<Changes>(CHANGES, { filter })
  await until(() => jobsOf(heard).includes(waiting), TIMEOUT_MS, 'the subscription to begin')
  const query = vi.spyOn(service.runtime.db.pool, 'query')
  await deleteJob(service.runtime.as({ kind: 'system' }), { jobId: deleted })
  await until(() => removedOf(heard).includes(deleted), TIMEOUT_MS, 'the job to leave')
  // Its job is looked up after those of the deleted delivery would be.
  notifyAccount(service.runtime, account, await deliver(next))
  await until(() => jobsOf(heard).includes(next), TIMEOUT_MS, 'a later delivery to be told')
  const reads = query.mock.calls.flatMap(([one]) => {
    const { name, values } = one as unknown as { name?: string; values?: [readonly string[]] }
    return name === 'fetch_delivered_jobs' ? (values?.[0] ?? []) : []
  })
  query.mockRestore()
  expect(reads).toContain(next)
  expect(reads).not.toContain(waiting)
  expect(removedOf(heard)).toEqual([deleted])
  await client.dispose()
})

describe('a subscription begins with the unfinished jobs that match', () => {
  const BEHIND = 130
  const SEARCHED = 10_000
  const fill = (account: string, count: number, tags: string[]) =>
    run(
      `insert into job (id, account_id, type, endpoint_key, status, inputs, tags, created_at)
       select $1 || lpad(n::text, 6, '0'), $2, 'companion_chat', 'chat.companion', 'queued', '{}', $4, now() from generate_series(1, $3) n`,
      [newId('job').slice(0, -6), account, count, tags],
    )

  test('behind many others', async () => {
    const { account, key } = await service.createCaller()
    await fill(account, BEHIND, ['mine'])
    await fill(account, BEHIND, ['others'])
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<Changes>(CHANGES, { filter: { tags: ['mine'] } })
    const single = client.subscribe<{ jobsUpdated: { id: string } }>(
      'subscription { jobsUpdated(where: { tags: ["mine"] }) { id } }',
    )
    await until(() => new Set(jobsOf(heard)).size === BEHIND, TIMEOUT_MS, 'all that match')
    await until(() => new Set(single.data.map(({ jobsUpdated }) => jobsUpdated.id)).size === BEHIND, TIMEOUT_MS, 'each')
    await client.dispose()
  })

  test('behind more than 10,000 others if their ids or times tell them apart', async () => {
    const { account, key } = await service.createCaller()
    const old = await put(account, {
      id: idAt(new Date(Date.now() - DAY_MS)),
      type: 'companion_chat',
      status: 'queued',
    })
    await fill(account, SEARCHED + 1, [])
    const client = openSocketClient(service.url, key)
    const createdAt = { to: new Date(Date.now() - DAY_MS / 2).toISOString() }
    for (const filter of [{ ids: [old] }, { idPrefix: old }, { createdAt }, { and: [{ createdAt }, {}] }]) {
      const heard = client.subscribe<Changes>(CHANGES, { filter })
      await until(() => jobsOf(heard).includes(old), TIMEOUT_MS, JSON.stringify(filter))
    }
    await client.dispose()
  })

  test('up to 500, those that a worker performs first', async () => {
    const { account, key } = await service.createCaller()
    const running = await put(account, { type: 'companion_chat', status: 'processing', attempt: 1 })
    await fill(account, 510, [])
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<Changes>(CHANGES)
    await until(() => jobsOf(heard).length === 500, TIMEOUT_MS, 'a whole message')
    expect(jobsOf(heard)).toContain(running)
    const next = await put(account, { type: 'companion_chat', status: 'queued' })
    notifyJob(service.runtime, { accountId: account, jobId: next })
    await until(() => jobsOf(heard).includes(next), TIMEOUT_MS, 'a newer job')
    expect(jobsOf(heard)).toHaveLength(501)
    await client.dispose()
  })
})

/** Signed URLs differ at each read. */
const unsigned = (payload: unknown): string => JSON.stringify(payload).replace(/\?[^"]*/g, '')
const repeated = (payloads: readonly string[]) => payloads.filter((payload, index) => payload === payloads[index - 1])

describe('only what differs is sent', () => {
  test('a text of many chunks is three states to those that select its status, over every subscription', async () => {
    const { key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const FIELDS = 'id status ... on VoiceJob { liveUrl }'
    const one = client.subscribe<Record<string, unknown>>(`subscription { jobsUpdated { ${FIELDS} } }`)
    const some = client.subscribe<Record<string, unknown>>(`subscription { jobsChanged(everyMs: 100) { ${FIELDS} } }`)
    const changes = client.subscribe<Record<string, unknown>>(
      `subscription { jobChanges(everyMs: 100) { jobs { ${FIELDS} } removedIds } }`,
    )
    const chunks = client.subscribe<{ jobsUpdated: { chunksDone: number | null; chunksTotal: number | null } }>(
      'subscription { jobsUpdated { id ... on VoiceJob { chunksDone chunksTotal } } }',
    )
    const text = Array.from({ length: 40 }, (_, n) => `Sentence number ${n} is long enough to stand by itself.`).join(
      ' ',
    )
    const id = await submitText(service.url, key, 'tts', text, 'aria')
    const followed = client.subscribe<Record<string, unknown>>(
      `subscription ($id: ID!) { jobUpdated(id: $id) { ${FIELDS} } }`,
      { id },
    )
    await followed.ended()
    for (const { waitFor } of [one, some, changes]) await waitFor((data) => JSON.stringify(data).includes('COMPLETED'))
    await chunks.waitFor(
      ({ jobsUpdated: { chunksDone, chunksTotal } }) => chunksTotal !== null && chunksDone === chunksTotal,
    )
    const total = chunks.data.at(-1)!.jobsUpdated.chunksTotal!
    expect(total).toBeGreaterThan(5)
    for (const { data } of [one, some, changes, followed, chunks]) expect(repeated(data.map(unsigned))).toEqual([])
    for (const { data } of [one, some, changes, followed]) expect(data.length).toBeLessThanOrEqual(3)
    expect(chunks.data.length).toBeLessThanOrEqual(total + 2)
    await client.dispose()
  })

  test('no field of a job repeats itself while the job runs, is given back, runs again and ends, and each ends as a query says', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['job:read', 'generate:voice', 'account:admin', 'operator'])
    const type = graphqlSchema.getType('VoiceJob') as GraphQLObjectType
    const fields = Object.values(type.getFields()).filter((field) => isLeafType(getNamedType(field.type)))
    const nested = [
      'attemptHistory { number startedAt endedAt outcome }',
      'artifacts { id createdAt url }',
      'result { completedAt }',
    ]
    const selections = [...fields.map(({ name }) => name), ...nested]
    const id = await put(account, { status: 'queued' })
    await run(`update job set inputs = '{"text": "Hello.", "voice": "aria"}' where id = $1`, [id])
    const client = openSocketClient(service.url, apiKey)
    const heard = selections.map((selection) => ({
      selection,
      ...{
        of: client.subscribe<{ jobUpdated: object }>(
          `subscription ($id: ID!) { jobUpdated(id: $id) { ... on VoiceJob { ${selection} } } }`,
          { id },
        ),
      },
    }))
    const all = client.subscribe<{ jobUpdated: object }>(
      'subscription ($id: ID!) { jobUpdated(id: $id) { status attempts releases attemptHistory { endedAt } ... on VoiceJob { chunksDone } } }',
      { id },
    )
    for (const { of } of heard) await of.waitFor(() => true)
    await all.waitFor(() => true)
    const change = async (sql: string) => {
      await run(`update job set ${sql} where id = $1`, [id])
      notifyJob(service.runtime, { accountId: account, jobId: id })
    }
    const begin = (attempt: number) =>
      `status = 'processing', attempt = ${attempt}, started_at = coalesce(started_at, greatest(now(), created_at)), parts_done = null`
    const steps = [
      begin(1),
      ...[0, 1, 2].map((done) => `chunks_total = 3, chunks_done = ${done}`),
      'hand_backs = 1',
      begin(2),
      ...[0, 1, 2, 3].map((done) => `chunks_total = 3, chunks_done = ${done}`),
    ]
    for (const sql of steps) {
      const before = all.data.length
      await change(sql)
      await until(() => all.data.length > before, TIMEOUT_MS, `${sql} to be told`)
      await change('parts_done = coalesce(parts_done, 0) + 1')
    }
    await run(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
       values ('art_' || substr($1, 5), $1, 'audio', $1 || '/2/audio.wav', 'audio/wav', 8, decode(repeat('00', 32), 'hex'), 10, now())`,
      [id],
    )
    await change(`status = 'completed', completed_at = greatest(now(), started_at)`)
    await all.ended()
    for (const { of } of heard) await of.ended()
    const wrong: string[] = []
    for (const { selection, of } of heard) {
      const payloads = of.data.map(({ jobUpdated }) => unsigned(jobUpdated))
      const isFixed = new Set(payloads).size === 1
      if (repeated(payloads).length > (isFixed ? 2 : 0)) wrong.push(`${selection}: ${payloads.join(' ')}`)
      const now = await read<{ node: object }>(
        service.url,
        apiKey,
        `query ($id: ID!) { node(id: $id) { ... on VoiceJob { ${selection} } } }`,
        { id },
      )
      if (unsigned(now.node) !== payloads.at(-1))
        wrong.push(`${selection}: ${payloads.at(-1)} but ${unsigned(now.node)}`)
    }
    expect(wrong).toEqual([])
    await client.dispose()
  })

  test('a delivery is sent when a selected field differs, and a redelivery brings it back', async () => {
    const account = await service.createAccount()
    const { apiKey } = await service.createKey(account, ['account:admin'])
    const { runtime } = service
    const id = `msg_${(await put(account, {})).slice('job_'.length)}`
    await run(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at)
       values ($1, $2, 'test', $3, 'https://hooks.example.com/', 0, '', '', 'pending', now(), now())`,
      [id, account, id.replace('msg_', 'job_')],
    )
    const client = openSocketClient(service.url, apiKey)
    const follow = (fields: string, filter = '') =>
      client.subscribe<{ deliveryChanges: { deliveries: object[]; removedIds: string[] } }>(
        `subscription { deliveryChanges(everyMs: 100 ${filter}) { deliveries { ${fields} } removedIds } }`,
      )
    const states = follow('id state')
    const attempts = follow('id attempts { number outcome }')
    const pending = follow('id', 'filter: {states: [PENDING]}')
    const expired = follow('id', 'filter: {outcomes: ["timeout"]}')
    const attempt = (number: number) =>
      run(`insert into webhook_attempt (delivery_id, round, number, started_at) values ($1, $2, 1, now())`, [
        id,
        number,
      ])
    const tell = async (sql: string) => {
      const before = attempts.data.length
      await attempt(before)
      await run(`update webhook_delivery set ${sql} where id = $1`, [id])
      notifyAccount(runtime, account, id)
      await until(() => attempts.data.length > before, TIMEOUT_MS, `${sql} to be told`)
    }
    await attempts.waitFor(() => true)
    await tell('attempt = 1')
    await tell('attempt = 2')
    await tell(`state = 'failed', outcome = 'timeout', finished_at = now()`)
    await expired.waitFor(({ deliveryChanges: { deliveries } }) => deliveries.length === 1)
    await pending.waitFor(({ deliveryChanges: { removedIds } }) => removedIds.includes(id))
    await tell(`state = 'pending', round = 2, attempt = 0, outcome = null, finished_at = null`)
    await expired.waitFor(({ deliveryChanges: { removedIds } }) => removedIds.includes(id))
    await until(() => pending.data.at(-1)!.deliveryChanges.deliveries.length === 1, TIMEOUT_MS, 'it to be back')
    expect(states.data.flatMap(({ deliveryChanges }) => deliveryChanges.deliveries)).toEqual(
      ['PENDING', 'FAILED', 'PENDING'].map((state) => ({ id, state })),
    )
    for (const { data } of [states, attempts, pending, expired]) expect(repeated(data.map(unsigned))).toEqual([])
    await client.dispose()
  })
})
