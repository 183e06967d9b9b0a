import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Claim, claimJob } from '../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../src/jobs/lifecycle/record-outcome.ts'
import { newId } from '../../src/values/id.ts'
import { inLogScope } from '../../src/values/log-scope.ts'
import { startWebhookWorker, type WebhookWorker } from '../../src/webhooks/delivery/start-webhook-worker.ts'
import { call } from '../setup/http.ts'
import { AUDIO } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { type Received, type Receiver, signedHeaders } from '../setup/servers/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import {
  createOwner,
  type Owner,
  openWebhookFixture,
  WEBHOOK_ENV,
  type WebhookFixture,
} from '../setup/service/webhooks.ts'

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime
let worker: WebhookWorker
beforeAll(async () => {
  fixture = await openWebhookFixture()
  ;({ receiver, service } = fixture)
  worker = await startWebhookWorker(service.runtime)
})
afterAll(async () => {
  await worker?.stop()
  await fixture?.close()
})

let owner: Owner
let path = ''
let claim: Claim
beforeEach(async () => {
  path = `/ended/${newId('job')}`
  owner = await createOwner(service, receiver.url + path)
  claim = (await claimJob(service.runtime, await submitText(service.url, owner.key, 'tts', 'Hello.', 'aria')))!
})

const query = async (sql: string, values: unknown[] = []) => (await service.runtime.db.pool.query(sql, values)).rows
const complete = (outputs = ['audio'], attempt = claim.attempt) =>
  completeJob(
    service.runtime,
    { ...claim, attempt },
    outputs.map((output, nth) => ({ ...AUDIO, output, storageKey: `${claim.jobId}/${attempt}/${nth}.wav` })),
  )
const polled = () => call(`${service.url}/api/v1/voice/jobs/${claim.jobId}`, { key: owner.key })
/** Without what is signed anew at every read. */
const unsigned = (text: string) => JSON.parse(text.replaceAll(/expires=[^"]*/g, ''))
/** The names of the statements that `work` sends. */
async function statements(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return sent.mock.calls.map(([statement]: unknown[]) => (statement as { name?: string }).name)
  } finally {
    sent.mockRestore()
  }
}

describe('a job that is completed with its delivery', () => {
  test('is so in one transaction, and says to its receiver what polling says', async () => {
    const names = await statements(complete)
    const written = names.filter((name) => /^(end_jobs|create_deliveries)$/.test(name ?? ''))
    expect(written).toEqual(['end_jobs', 'create_deliveries'])
    const [request] = await receiver.waitFor(path)
    expect(unsigned(request!.body.toString())).toEqual(unsigned((await polled()).text))
    expect(unsigned(request!.body.toString())).toMatchObject({
      status: 'completed',
      outputs: { audio: expect.any(String) },
    })
    expect(await query('select output from artifact where job_id = $1', [claim.jobId])).toEqual([{ output: 'audio' }])
  })

  test('ends after it began, though this process has an earlier time', async () => {
    await query(`update job set started_at = now() + interval '1 minute' where id = $1`, [claim.jobId])
    await complete()
    const [row] = await query('select completed_at >= started_at as after, completed_at from job where id = $1', [
      claim.jobId,
    ])
    expect(row.after).toBe(true)
    const [request] = await receiver.waitFor(path)
    expect(JSON.parse(request!.body.toString()).completed_at).toBe(row.completed_at.toISOString())
  })

  test('stays as it is where another worker has its claim, and nothing of it is written', async () => {
    const stale = claim.attempt
    await query('update job set attempt = attempt + 1 where id = $1', [claim.jobId])
    expect(await complete(['audio'], stale)).toBe(false)
    expect((await polled()).json()).toMatchObject({ status: 'processing' })
    expect(await query('select from artifact where job_id = $1', [claim.jobId])).toEqual([])
    expect(await query('select from webhook_delivery where job_id = $1', [claim.jobId])).toEqual([])
    expect(
      await query(`select from pgboss.job where name = 'webhook' and group_id like $1`, [`${owner.account} %`]),
    ).toEqual([])
  })

  test('goes to the receiver that its account has by then', async () => {
    await owner.setUrl(`${receiver.url}${path}/new`)
    await complete()
    await receiver.waitFor(`${path}/new`)
    expect(receiver.received(path)).toEqual([])
    expect(await query('select from webhook_delivery where job_id = $1', [claim.jobId])).toHaveLength(1)
  })

  test('is completed once where its row is locked for longer than a batch waits', async () => {
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from job where id = $1 for update', [claim.jobId])
    const completed = complete()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%update job j set status = done.status%'`
    await expect.poll(() => query(waiting)).toHaveLength(1)
    await client.query('commit')
    client.release()
    expect(await completed).toBe(true)
    await receiver.waitFor(path)
    expect(await query('select state from webhook_delivery where job_id = $1', [claim.jobId])).toHaveLength(1)
  })

  test('has its outputs in the order of polling, however many there are', async () => {
    await complete(['b', 'a', 'C'])
    const [request] = await receiver.waitFor(path)
    const outputs = (text: string) => Object.keys(JSON.parse(text).outputs)
    expect(outputs(request!.body.toString())).toEqual(outputs((await polled()).text))
  })
})

describe('jobs that end at the same time, each with its delivery', () => {
  /** The jobs of one runtime, which `claimed` submits. */
  const jobsOf = ({ runtime, url }: TestRuntime, key: () => string) => {
    const claimed = async (count: number) => {
      const claims: Claim[] = []
      for (let n = 0; n < count; n++)
        claims.push((await claimJob(runtime, await submitText(url, key(), 'tts', `Number ${n}.`, 'aria')))!)
      return claims
    }
    const finish = (one: Claim, storageKey = `${one.jobId}/${one.attempt}/a.wav`) =>
      completeJob(runtime, one, [{ ...AUDIO, storageKey }])
    return { claimed, finish }
  }
  let claimed: ReturnType<typeof jobsOf>['claimed']
  let finish: ReturnType<typeof jobsOf>['finish']
  beforeAll(() => {
    ;({ claimed, finish } = jobsOf(service, () => owner.key))
  })
  /** For how many jobs the statements of these names were sent, each. */
  async function sizes(names: RegExp, work: () => Promise<unknown>): Promise<number[]> {
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    try {
      await work()
      return sent.mock.calls
        .map(([statement]: unknown[]) => statement as { name?: string; values: readonly unknown[] })
        .filter(({ name }) => names.test(name ?? ''))
        .map(({ values: [first] }) => (Array.isArray(first) ? first : JSON.parse(String(first))).length)
    } finally {
      sent.mockRestore()
    }
  }
  const named = (requests: readonly Received[]) =>
    requests.map(({ body }) => JSON.parse(body.toString()).job_id as string).toSorted()
  const idsOf = (claims: readonly Claim[]) => claims.map(({ jobId }) => jobId).toSorted()
  const deliveriesOf = (claims: readonly Claim[]) =>
    query('select job_id, attempt from webhook_delivery where job_id = any($1) order by job_id', [idsOf(claims)])
  const completedAll = (claims: readonly Claim[]) => claims.map(() => true)

  test('are ended, read and written in one statement each, and each says the same as polling', async () => {
    const claims = await claimed(8)
    const finishAll = () => Promise.all(claims.map((one) => finish(one)))
    const names = /^(end_jobs|signed_jobs|create_deliveries)$/
    expect(await sizes(names, finishAll)).toEqual([claims.length, claims.length, claims.length])
    const requests = await receiver.waitFor(path, claims.length)
    expect(named(requests)).toEqual(idsOf(claims))
    for (const request of requests) {
      const { body } = request
      expect(new Webhook(owner.secret).verify(body.toString(), signedHeaders(request))).toBeTruthy()
      const { job_id: id } = JSON.parse(body.toString())
      const { text } = await call(`${service.url}/api/v1/voice/jobs/${id}`, { key: owner.key })
      expect(unsigned(body.toString())).toEqual(unsigned(text))
    }
    expect(await deliveriesOf(claims)).toHaveLength(claims.length)
  })

  test('and are more than their receiver takes at once, are all delivered at the first attempt', async () => {
    const claims = await claimed(40)
    expect(await Promise.all(claims.map((one) => finish(one)))).toEqual(completedAll(claims))
    const requests = await receiver.waitFor(path, claims.length)
    expect(named(requests)).toEqual(idsOf(claims))
    expect(await deliveriesOf(claims)).toEqual(idsOf(claims).map((job_id) => ({ job_id, attempt: 1 })))
  })

  test('end without one that another worker has claimed since, in the same statement', async () => {
    const claims = await claimed(4)
    const [stale, ...others] = claims
    await query('update job set attempt = attempt + 1 where id = $1', [stale!.jobId])
    const finishAll = async () =>
      expect(await Promise.all(claims.map((one) => finish(one)))).toEqual([false, ...completedAll(others)])
    expect(await sizes(/^end_jobs$/, finishAll)).toEqual([claims.length])
    expect(named(await receiver.waitFor(path, others.length))).toEqual(idsOf(others))
    expect((await deliveriesOf(claims)).map((one) => one.job_id)).toEqual(idsOf(others))
    expect(await query('select from artifact where job_id = $1', [stale!.jobId])).toEqual([])
  })

  test('as two attempts at one job end with the newer one, and are delivered once', async () => {
    const [older] = await claimed(1)
    const newer = (await claimJob(service.runtime, older!.jobId))!
    expect([older!.attempt, newer.attempt]).toEqual([1, 2])
    const finishBoth = async () => expect(await Promise.all([finish(older!), finish(newer)])).toEqual([false, true])
    expect(await sizes(/^end_jobs$/, finishBoth)).toEqual([2])
    const [request] = await receiver.waitFor(path)
    expect(JSON.parse(request!.body.toString()).outputs.audio).toContain(`${newer.jobId}/2/a.wav`)
    expect(await deliveriesOf([newer])).toHaveLength(1)
  })

  test('end but for one whose artifact PostgreSQL refuses: each is written alone then', async () => {
    const [first, refused, ...others] = await claimed(5)
    await finish(first!)
    const all = [refused!, ...others]
    const taken = `${first!.jobId}/${first!.attempt}/a.wav`
    const finishAll = async () => {
      const settled = await Promise.allSettled(all.map((one) => finish(one, one === refused ? taken : undefined)))
      const outcomes = settled.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))
      expect(outcomes).toEqual(['refused', ...completedAll(others)])
    }
    const alone = all.map(() => 1)
    expect(await sizes(/^end_jobs$/, finishAll)).toEqual([all.length, ...alone])
    const delivered = [first!, ...others]
    expect(named(await receiver.waitFor(path, delivered.length))).toEqual(idsOf(delivered))
    expect((await deliveriesOf([refused!, ...delivered])).map((one) => one.job_id)).toEqual(idsOf(delivered))
  })

  test('end though one of them is locked: that one does when the lock is gone', async () => {
    const claims = await claimed(4)
    const [locked, ...others] = claims
    const client = await service.runtime.db.pool.connect()
    try {
      await client.query(BEGIN_HELD)
      await client.query('select from job where id = $1 for update', [locked!.jobId])
      const waiting = finish(locked!)
      expect(await Promise.all(others.map((one) => finish(one)))).toEqual(completedAll(others))
      expect(named(await receiver.waitFor(path, others.length))).toEqual(idsOf(others))
      await client.query('commit')
      expect(await waiting).toBe(true)
    } finally {
      client.release(true)
    }
    expect(named(await receiver.waitFor(path, claims.length))).toEqual(idsOf(claims))
  })

  test('queue nothing for one that does not end, and each its own request, where another process delivers', async () => {
    const api = await startTestRuntime({ env: WEBHOOK_ENV })
    try {
      const { key, account } = await createOwner(api, `${receiver.url}${path}`)
      const jobs = jobsOf(api, () => key)
      const claims = await jobs.claimed(4)
      const [stale, ...others] = claims
      const { pool } = api.runtime.db
      await pool.query('update job set attempt = attempt + 1 where id = $1', [stale!.jobId])
      const requestOf = ({ jobId }: Claim) => `request of ${jobId}`
      const finishAll = () =>
        Promise.all(claims.map((one) => inLogScope({ requestId: requestOf(one) }, () => jobs.finish(one))))
      expect(await sizes(/^end_jobs$/, finishAll)).toEqual([claims.length])
      const { rows } = await pool.query(
        `select d.job_id as job, q.data->>'requestId' as request from pgboss.job q
         left join webhook_delivery d on d.id = q.data->>'jobId' where q.name = 'webhook' and q.group_id like $1`,
        [`${account} %`],
      )
      expect(rows.toSorted((a, b) => (a.job < b.job ? -1 : 1))).toEqual(
        others
          .toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1))
          .map((one) => ({ job: one.jobId, request: requestOf(one) })),
      )
    } finally {
      await api.close()
    }
  })
})
