import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebhookWorker } from '../../src/webhooks/webhook-worker.ts'
import { type Certificates, makeCertificates } from '../setup/certificates.ts'
import { type Receiver, startReceiver } from '../setup/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { createOwner, WEBHOOK_ENV } from '../setup/webhooks.ts'

/** Together more than a process holds, were each to hold the 256 of a receiver that answers. */
const HANGING = 9
const EACH = 260
/** An attempt at a hanging receiver lasts 10 s. */
const BEFORE_ANY_TIMEOUT_MS = 9000

let certificates: Certificates
let service: TestRuntime
const receivers: Receiver[] = []

beforeAll(async () => {
  certificates = await makeCertificates()
  for (let count = 0; count <= HANGING; count++) receivers.push(await startReceiver(certificates.good))
  service = await startTestRuntime({ env: { ...WEBHOOK_ENV, SHUTDOWN_SECONDS: '0' } })
})
afterAll(async () => {
  await service?.close()
  for (const receiver of receivers) await receiver.close()
  certificates?.remove()
})

describe('many accounts whose receivers hang', { timeout: 120_000 }, () => {
  test('hold up nobody else, however much waits for them', async () => {
    const [good, ...hanging] = receivers as [Receiver, ...Receiver[]]
    for (const receiver of hanging) {
      receiver.on('/hang', () => undefined)
      const victim = await createOwner(service, `${receiver.url}/hang`)
      await victim.sendTest()
      // As many as a submission a second leaves behind while a receiver hangs for some minutes.
      await service.runtime.db.pool.query(
        `with template as (select * from webhook_delivery where account_id = $1), made as (
           insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, created_at, next_attempt_at)
           select overlay(id placing to_char(n, 'FM0000') from length(id) - 3), account_id, kind, job_id, url, timestamp, signature,
             body, created_at, now() from template, generate_series(1000, 999 + $2::int) n returning id)
         insert into pgboss.job (id, name, data, group_id, retry_limit, start_after, expire_seconds, keep_until, policy)
         select gen_random_uuid(), q.name, jsonb_build_object('jobId', made.id, 'lane', q.data->>'lane'), q.group_id, q.retry_limit,
           q.start_after, q.expire_seconds, q.keep_until, q.policy
         from made, (select q.* from pgboss.job q join template t on q.data->>'jobId' = t.id) q`,
        [victim.account, EACH - 1],
      )
    }
    const worker = await startWebhookWorker(service.runtime)
    try {
      await Promise.all(hanging.map((receiver) => receiver.waitFor('/hang', 16)))
      const owner = await createOwner(service, `${good.url}/good`)
      await owner.sendTest()
      await good.waitFor('/good', 1, BEFORE_ANY_TIMEOUT_MS)
      for (const receiver of hanging) expect(receiver.received('/hang')).toHaveLength(16)
    } finally {
      await worker.stop()
    }
  })
})
