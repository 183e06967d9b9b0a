import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Claim, claimJob } from '../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../src/jobs/lifecycle/complete-job.ts'
import { newId } from '../../src/values/id.ts'
import { startWebhookWorker, type WebhookWorker } from '../../src/webhooks/delivery/webhook-worker.ts'
import { call } from '../setup/http.ts'
import { AUDIO } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { type Received, type Receiver, signedHeaders } from '../setup/servers/receiver.ts'
import type { TestRuntime } from '../setup/service/runtime.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../setup/service/webhooks.ts'

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
  test('is so in one statement, and says to its receiver what polling says', async () => {
    const names = await statements(complete)
    expect(names.filter((name) => name?.endsWith('_with_end webhook'))).toHaveLength(1)
    expect(names).not.toContain('end_job')
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
    expect(await complete(['audio'], stale)).toBe(null)
    expect((await polled()).json()).toMatchObject({ status: 'processing' })
    expect(await query('select from artifact where job_id = $1', [claim.jobId])).toEqual([])
    expect(await query('select from webhook_delivery where job_id = $1', [claim.jobId])).toEqual([])
    expect(
      await query(`select from pgboss.job where name = 'webhook' and group_id like $1`, [`${owner.account} %`]),
    ).toEqual([])
  })

  test('goes to the receiver that its account has by then', async () => {
    const { queue } = service.runtime
    const { enqueueTogether } = queue
    const late = vi.spyOn(queue, 'enqueueTogether').mockImplementationOnce(async (...given) => {
      await owner.setUrl(`${receiver.url}${path}/new`)
      return enqueueTogether.apply(queue, given)
    })
    await complete()
    await receiver.waitFor(`${path}/new`)
    late.mockRestore()
    expect(receiver.received(path)).toEqual([])
    expect(await query('select from webhook_delivery where job_id = $1', [claim.jobId])).toHaveLength(1)
  })

  test('is completed once where its row is locked for longer than a batch waits', async () => {
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from job where id = $1 for update', [claim.jobId])
    const completed = complete()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%update job set status = $2%'`
    await expect.poll(() => query(waiting)).toHaveLength(1)
    await client.query('commit')
    client.release()
    expect(await completed).toBe('completed')
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
  const claimed = async (count: number) => {
    const claims: Claim[] = []
    for (let n = 0; n < count; n++) {
      const id = await submitText(service.url, owner.key, 'tts', `Number ${n}.`, 'aria')
      claims.push((await claimJob(service.runtime, id))!)
    }
    return claims
  }
  const finish = (one: Claim, storageKey = `${one.jobId}/${one.attempt}/a.wav`) =>
    completeJob(service.runtime, one, [{ ...AUDIO, storageKey }])
  const jobsOf = (requests: readonly Received[]) =>
    requests.map(({ body }) => JSON.parse(body.toString()).job_id as string).toSorted()
  const idsOf = (claims: readonly Claim[]) => claims.map(({ jobId }) => jobId).toSorted()
  const deliveriesOf = (claims: readonly Claim[]) =>
    query('select job_id, attempt from webhook_delivery where job_id = any($1) order by job_id', [idsOf(claims)])

  test('are read in one statement and written in one, and each says the same as polling', async () => {
    const claims = await claimed(8)
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    await Promise.all(claims.map((one) => finish(one)))
    const statements = sent.mock.calls.map(
      ([statement]: unknown[]) => statement as { name?: string; values: unknown[][] },
    )
    sent.mockRestore()
    const sizes = (name: RegExp) =>
      statements.filter((one) => name.test(one.name ?? '')).map(({ values }) => values[0]!.length)
    expect(sizes(/^ending_jobs$/)).toEqual([claims.length])
    expect(sizes(/_with_end webhook$/)).toEqual([claims.length])
    const requests = await receiver.waitFor(path, claims.length)
    expect(jobsOf(requests)).toEqual(idsOf(claims))
    for (const request of requests) {
      const { body } = request
      expect(new Webhook(owner.secret).verify(body.toString(), signedHeaders(request))).toBeTruthy()
      const { job_id: id } = JSON.parse(body.toString())
      const { text } = await call(`${service.url}/api/v1/voice/jobs/${id}`, { key: owner.key })
      expect(unsigned(body.toString())).toEqual(unsigned(text))
    }
    expect(await deliveriesOf(claims)).toHaveLength(claims.length)
  })

  test('and are more than their receiver takes at once are all delivered, once each', async () => {
    const claims = await claimed(40)
    expect(await Promise.all(claims.map((one) => finish(one)))).toEqual(claims.map(() => 'completed'))
    const requests = await receiver.waitFor(path, claims.length)
    expect(jobsOf(requests)).toEqual(idsOf(claims))
    expect(await deliveriesOf(claims)).toEqual(idsOf(claims).map((job_id) => ({ job_id, attempt: 1 })))
  })

  test('end without one that another worker has claimed since: nothing of it is written', async () => {
    const claims = await claimed(4)
    const [stale, ...others] = claims
    await query('update job set attempt = attempt + 1 where id = $1', [stale!.jobId])
    const completed = ['completed', 'completed', 'completed']
    expect(await Promise.all(claims.map((one) => finish(one)))).toEqual([null, ...completed])
    expect(jobsOf(await receiver.waitFor(path, others.length))).toEqual(idsOf(others))
    expect((await deliveriesOf(claims)).map((one) => one.job_id)).toEqual(idsOf(others))
    expect(await query('select from artifact where job_id = $1', [stale!.jobId])).toEqual([])
    expect(
      await query('select from webhook_attempt where delivery_id not in (select id from webhook_delivery)'),
    ).toEqual([])
    const queued = `select from pgboss.job where name = 'webhook' and group_id like $1
      and data->>'jobId' not in (select id from webhook_delivery)`
    expect(await query(queued, [`${owner.account} %`])).toEqual([])
  })

  test('as two attempts at one job end with the newer one, and are delivered once', async () => {
    const [older] = await claimed(1)
    const newer = (await claimJob(service.runtime, older!.jobId))!
    expect([older!.attempt, newer.attempt]).toEqual([1, 2])
    expect(await Promise.all([finish(older!), finish(newer)])).toEqual([null, 'completed'])
    const [request] = await receiver.waitFor(path)
    expect(JSON.parse(request!.body.toString()).outputs.audio).toContain(`${newer.jobId}/2/a.wav`)
    expect(await deliveriesOf([newer])).toHaveLength(1)
  })

  test('end but for one whose artifact PostgreSQL refuses', async () => {
    const [first, refused, ...others] = await claimed(5)
    await finish(first!)
    const settled = await Promise.allSettled([
      finish(refused!, `${first!.jobId}/${first!.attempt}/a.wav`),
      ...others.map((one) => finish(one)),
    ])
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))).toEqual([
      'refused',
      ...others.map(() => 'completed'),
    ])
    const delivered = [first!, ...others]
    expect(jobsOf(await receiver.waitFor(path, delivered.length))).toEqual(idsOf(delivered))
    expect((await deliveriesOf([refused!, ...delivered])).map((one) => one.job_id)).toEqual(idsOf(delivered))
  })

  test('end though one of them is locked: that one does when the lock is gone', async () => {
    const [locked, ...others] = await claimed(4)
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from job where id = $1 for update', [locked!.jobId])
    const waiting = finish(locked!)
    expect(await Promise.all(others.map((one) => finish(one)))).toEqual(others.map(() => 'completed'))
    expect(jobsOf(await receiver.waitFor(path, others.length))).toEqual(idsOf(others))
    await client.query('commit')
    client.release()
    expect(await waiting).toBe('completed')
    expect(await receiver.waitFor(path, others.length + 1)).toHaveLength(others.length + 1)
  })
})
