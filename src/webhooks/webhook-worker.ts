import { dispatchJobs } from '../queue/dispatch-jobs.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { laneLimits } from '../queue/lane-limits.ts'
import type { Runtime } from '../runtime.ts'
import { type Attempt, openBeginAttempt } from './begin-attempt.ts'
import { guardedConnector } from './connect-guarded.ts'
import { openConnections } from './connections.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { postCallback } from './post-callback.ts'
import { openRecordAttempt } from './record-attempt.ts'
import { type Resolver, sharedResolver, systemResolver } from './resolver.ts'
import { tidyWebhooks } from './tidy-webhooks.ts'

/** Attempts of this process at once. A hanging one costs a socket and 10 s; what has no room in its lane takes no slot. */
const SLOTS = 256
const PER_ACCOUNT = 64
const PER_RECEIVER = 16
const TIDY_MS = 60_000

export interface WebhookWorker {
  /** Lets running attempts end, within the settings' SHUTDOWN_SECONDS. */
  stop(): Promise<void>
}

/** Delivers callbacks until it is stopped. @param resolver asked instead of the machine's name servers */
export async function startWebhookWorker(runtime: Runtime, resolver?: Resolver): Promise<WebhookWorker> {
  const guard = {
    resolver: sharedResolver(resolver ?? systemResolver()),
    egressAllow: runtime.settings.egressAllow,
  }
  const connections = openConnections(guardedConnector(guard))
  const poster = { guard, connections }
  const parts = {
    ...runtime,
    beginAttempt: openBeginAttempt(runtime),
    recordAttempt: openRecordAttempt(runtime),
    post: (attempt: Attempt, signal: AbortSignal) => postCallback(poster, attempt, signal),
  }
  const dispatcher = await dispatchJobs({
    ...runtime,
    kind: WEBHOOK_KIND,
    slots: SLOTS,
    lanes: laneLimits({ perAccount: PER_ACCOUNT, perReceiver: PER_RECEIVER }),
    handle: (deliveryId, signal) => deliverWebhook(parts, deliveryId, signal),
  })
  const tidy = () =>
    tidyWebhooks(runtime).catch((error: Error) =>
      runtime.log.warn({ err: error.message }, 'tidying webhooks failed; trying again in a minute'),
    )
  void tidy()
  const timer = setInterval(() => void tidy(), TIDY_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await dispatcher.stop(runtime.settings.shutdownSeconds * 1000)
      await connections.close()
    },
  }
}
