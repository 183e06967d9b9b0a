import { KeyedLimiter } from '../../concurrency/keyed-limiter.ts'
import { guardedConnector } from '../../egress/connect-guarded.ts'
import { type Resolver, sharedResolver, systemResolver } from '../../egress/resolver.ts'
import { dispatchJobs } from '../../queue/dispatch-jobs.ts'
import type { Dispatcher, DispatchOptions } from '../../queue/dispatcher.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { followReceivers } from '../local-receivers.ts'
import type { DeliveryParts } from '../payload-snapshot.ts'
import { AttemptGate } from './attempt-gate.ts'
import { openBeginAttempt } from './begin-attempt.ts'
import { openConnections } from './connections.ts'
import { openDeadlines } from './deadlines.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { openPostWebhook } from './post-webhook.ts'
import { openRecordAttempt } from './record-attempt.ts'

/** Attempts of this process at once. A hanging one costs a socket and 10 s. */
const AT_ONCE = { perAccount: 64, perReceiver: 16 }
/** Deliveries that this process has fetched and that wait; what is beyond it stays in the queue for others. */
const HELD = { perAccount: 768, perReceiver: 384 }
/** Of concurrency keys whose receiver is not responsive: what may run, and the same again. */
const ON_PROBATION = { perAccount: 128, perKey: 32 }
/** Attempts under way. As many again may wait, so that those that wait for a hanging receiver take no other's slot. */
const SLOTS = 2048

/** What the worker needs besides a context's parts: what its dispatcher needs. */
type WebhookWorkerParts = DeliveryParts & Pick<DispatchOptions, 'queue' | 'boss' | 'workerId'>

/** The part of a worker that delivers webhooks. */
export interface WebhookWorker {
  /** Whether it holds deliveries. */
  isBusy(): boolean
  /** Lets running attempts end, within the settings' SHUTDOWN_SECONDS. */
  stop(): Promise<void>
}

/** Delivers webhooks until it is stopped. @param resolver asked instead of the machine's name servers */
export async function startWebhookWorker(runtime: WebhookWorkerParts, resolver?: Resolver): Promise<WebhookWorker> {
  const guard = {
    resolver: sharedResolver(resolver ?? systemResolver()),
    egressAllow: runtime.settings.egressAllow,
    receivers: await followReceivers(runtime.notifier),
  }
  let dispatcher: Dispatcher | undefined
  const gate = new AttemptGate({ ...AT_ONCE, onResponsive: () => limiter.hasReopened() && dispatcher?.poll() })
  const limiter = new KeyedLimiter(HELD, { ...ON_PROBATION, isResponsive: (key) => gate.isResponsive(key) })
  const connections = openConnections(guardedConnector(guard))
  const parts = {
    ...runtime,
    gate,
    beginAttempt: openBeginAttempt(runtime),
    recordAttempt: openRecordAttempt(runtime),
    post: openPostWebhook({ guard, connections, deadlines: openDeadlines() }),
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
      await connections.close()
    },
  }
}
