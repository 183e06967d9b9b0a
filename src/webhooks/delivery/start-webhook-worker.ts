import { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import { type Resolver, sharedResolver, systemResolver } from '../../egress/resolver.ts'
import { dispatchJobs } from '../../queue/dispatch-jobs.ts'
import type { Dispatcher, DispatchOptions } from '../../queue/dispatcher.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { followReceivers } from '../local-receivers.ts'
import type { DeliveryParts } from '../payload-snapshot.ts'
import { AttemptGate } from './attempt-gate.ts'
import { deliverWebhook, openBeginAttempt } from './deliver-webhook.ts'
import { openPoster } from './post-webhook.ts'
import { openRecordAttempt } from './record-attempt.ts'

const AT_ONCE = { perAccount: 64, perReceiver: 16 }
const HELD = { perAccount: 768, perReceiver: 384 }
const ON_PROBATION = { perAccount: 128, perKey: 32 }
/** As many attempts may wait, so a hanging receiver takes no slot. */
const SLOTS = 2048

type WebhookWorkerParts = DeliveryParts & Pick<DispatchOptions, 'queue' | 'boss' | 'workerId'>

export interface WebhookWorker {
  isBusy(): boolean
  stop(): Promise<void>
}

export async function startWebhookWorker(runtime: WebhookWorkerParts, resolver?: Resolver): Promise<WebhookWorker> {
  const guard = {
    resolver: sharedResolver(resolver ?? systemResolver()),
    egressAllow: runtime.settings.egressAllow,
    receivers: await followReceivers(runtime.notifier),
  }
  let dispatcher: Dispatcher | undefined
  const gate = new AttemptGate({ ...AT_ONCE, onResponsive: () => limiter.hasReopened() && dispatcher?.poll() })
  const limiter = new KeyedLimiter(HELD, { ...ON_PROBATION, isResponsive: (key) => gate.isResponsive(key) })
  const poster = openPoster(guard)
  const parts = {
    ...runtime,
    gate,
    beginAttempt: openBeginAttempt(runtime),
    recordAttempt: openRecordAttempt(runtime),
    post: poster.post,
  }
  dispatcher = await dispatchJobs({
    ...runtime,
    kind: WEBHOOK_KIND,
    slots: () => SLOTS + Math.min(SLOTS, gate.waiting),
    limiter,
    handle: (_id, signal, claimed) => deliverWebhook(parts, claimed, signal),
  })
  return {
    isBusy: () => dispatcher.inFlight > 0,
    stop: async () => {
      gate.close()
      await dispatcher.stop(runtime.settings.shutdownSeconds * 1000)
      await poster.close()
    },
  }
}
