import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebhookWorker } from '../../../src/webhooks/delivery/webhook-worker.ts'
import { type Certificates, makeCertificates } from '../../setup/certificates.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'
import { type Received, type Receiver, startReceiver } from '../../setup/servers/receiver.ts'
import { createOwner, multiply, WEBHOOK_ENV } from '../../setup/webhooks.ts'

/** Together more than a process holds, were each to hold the 256 of a receiver that answers. */
const HANGING = 9
const EACH = 260
const SHARING = 3
/** An attempt at a hanging receiver lasts 10 s. */
const BEFORE_ANY_TIMEOUT_MS = 9000
/** What comes so much later than another attempt may stand in its place. */
const SURELY_A_PLACE_LATER_MS = 5000

/** Never more attempts at once: on a busy machine the first ones may be over already. */
function expectPlaces(hung: readonly Received[], places: number): void {
  for (const [index, { at }] of hung.slice(places).entries())
    expect(at - hung[index]!.at).toBeGreaterThan(SURELY_A_PLACE_LATER_MS)
}

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
  test('hold up no other receiver, however much waits for them', async () => {
    const [good, ...hanging] = receivers as [Receiver, ...Receiver[]]
    for (const receiver of hanging) {
      receiver.on('/hang', () => undefined)
      const victim = await createOwner(service, `${receiver.url}/hang`)
      // As many as a submission a second leaves behind while a receiver hangs for some minutes.
      await multiply(service.runtime, await victim.sendTest(), EACH - 1)
    }
    const worker = await startWebhookWorker(service.runtime)
    try {
      await Promise.all(hanging.map((receiver) => receiver.waitFor('/hang', 16)))
      const owner = await createOwner(service, `${good.url}/good`)
      await owner.sendTest()
      await good.waitFor('/good', 1, BEFORE_ANY_TIMEOUT_MS)
      for (const receiver of hanging) expectPlaces(receiver.received('/hang'), 16)
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
