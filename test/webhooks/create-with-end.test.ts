import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Claim, claimJob } from '../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../src/jobs/lifecycle/complete-job.ts'
import { newId } from '../../src/values/id.ts'
import { startWebhookWorker, type WebhookWorker } from '../../src/webhooks/delivery/webhook-worker.ts'
import { call } from '../setup/http.ts'
import { AUDIO } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import type { Receiver } from '../setup/servers/receiver.ts'
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
    const { enqueue } = queue
    const late = vi.spyOn(queue, 'enqueue').mockImplementationOnce(async (...given) => {
      await owner.setUrl(`${receiver.url}${path}/new`)
      return enqueue.apply(queue, given)
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
