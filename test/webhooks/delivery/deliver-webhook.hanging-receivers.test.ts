import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebhookWorker } from '../../../src/webhooks/delivery/start-webhook-worker.ts'
import { type Certificates, testCertificates } from '../../setup/servers/certificates.ts'
import { type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { createOwner, multiply, WEBHOOK_ENV } from '../../setup/service/webhooks.ts'

/** Together more than a process holds, were each to hold the 256 of a receiver that answers. */
const HANGING = 9
const EACH = 260
const SHARING = 3
/** An attempt at a hanging receiver lasts 10 s. */
const BEFORE_ANY_TIMEOUT_MS = 9000
const PLACES = 16

/** Answers nothing. @returns how many requests have been open at once, at most: an attempt that is over has closed its connection. */
function hang(receiver: Receiver): () => number {
  let [open, most] = [0, 0]
  receiver.on('/hang', (response) => {
    most = Math.max(most, ++open)
    response.once('close', () => open--)
  })
  return () => most
}

let certificates: Certificates
let service: TestRuntime
const receivers: Receiver[] = []

beforeAll(async () => {
  certificates = testCertificates()
  for (let count = 0; count <= HANGING; count++) receivers.push(await startReceiver(certificates.good))
  service = await startTestRuntime({ env: { ...WEBHOOK_ENV, SHUTDOWN_SECONDS: '0' } })
})
afterAll(async () => {
  await service?.close()
  for (const receiver of receivers) await receiver.close()
})

describe('many accounts whose receivers hang', { timeout: 120_000 }, () => {
  test('hold up no other receiver, however much waits for them', async () => {
    const [good, ...hanging] = receivers as [Receiver, ...Receiver[]]
    const mostOpen: (() => number)[] = []
    for (const receiver of hanging) {
      mostOpen.push(hang(receiver))
      const victim = await createOwner(service, `${receiver.url}/hang`)
      // As many as a submission a second leaves behind while a receiver hangs for some minutes.
      await multiply(service.runtime, await victim.sendTest(), EACH - 1)
    }
    const worker = await startWebhookWorker(service.runtime)
    try {
      await Promise.all(hanging.map((receiver) => receiver.waitFor('/hang', PLACES)))
      const owner = await createOwner(service, `${good.url}/good`)
      await owner.sendTest()
      await good.waitFor('/good', 1, BEFORE_ANY_TIMEOUT_MS)
      for (const most of mostOpen) expect(most()).toBeLessThanOrEqual(PLACES)
    } finally {
      await worker.stop()
    }
  })

  test('leave the others of the same receiver their share of it', async () => {
    const [shared] = receivers as [Receiver]
    shared.on('/hang', () => undefined)
    for (let count = 0; count < SHARING; count++) {
      const victim = await createOwner(service, `${shared.url}/hang`)
      await multiply(service.runtime, await victim.sendTest(), EACH - 1)
    }
    const worker = await startWebhookWorker(service.runtime)
    try {
      // 32 places, of which three that come at once get 8 each; one after the other they get more.
      await shared.waitFor('/hang', SHARING * 8)
      const owner = await createOwner(service, `${shared.url}/beside`)
      await Promise.all(Array.from({ length: 10 }, () => owner.sendTest()))
      await shared.waitFor('/beside', 10, BEFORE_ANY_TIMEOUT_MS)
    } finally {
      await worker.stop()
    }
  })
})
