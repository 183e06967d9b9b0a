import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../../setup/service/webhooks.ts'

let fixture: WebhookFixture
beforeAll(async () => {
  fixture = await openWebhookFixture({ worker: true, webhooks: true })
})
afterAll(() => fixture?.close())

describe('the audit of the columns', () => {
  test('finds nothing after a delivery, and what is put where it does not belong', async () => {
    const { service, receiver } = fixture
    const sql = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)
    const owner = await createOwner(service, `${receiver.url}/audited`)
    const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' } }
    const reply = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })
    const { job_id: id } = reply.json<{ job_id: string }>()
    const job = await finishedJob(service.url, owner.key, id)
    await receiver.waitFor('/audited')
    expect(await audit(service.runtime, [id])).toEqual([])

    for (const leak of [owner.key, owner.secret, job.outputs!.audio]) {
      await sql('update job set cause = $2 where id = $1', [id, `it was ${leak}`])
      expect(await audit(service.runtime, [id])).toContain('a column holds a key, a secret or a signed URL: public.job')
    }
    await sql('update job set cause = null where id = $1', [id])
    const told = JSON.stringify({ job_id: id, status: 'failed' })
    await sql('update webhook_delivery set body = $2 where job_id = $1', [id, Buffer.from(told)])
    expect((await audit(service.runtime, [id])).join()).toContain('a delivery tells of another job, or another end')
    const other = await service.createAccount()
    await sql('update webhook_delivery set account_id = $2, body = null where job_id = $1', [id, other])
    expect((await audit(service.runtime, [id])).join()).toContain('a delivery is of another account than its job')
  })
})
