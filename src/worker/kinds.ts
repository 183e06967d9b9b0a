import { endpointRoute, GENERATION_KIND, type QueuedType } from '../catalog/job-kinds.ts'
import type { Resolver } from '../egress/resolver.ts'
import type { CogServers } from '../engines/cog.ts'
import type { Engines } from '../engines/engines.ts'
import { generate } from '../generation/generate.ts'
import { type ClaimRegistry, jobRowClaim } from '../jobs/lifecycle/claim-job.ts'
import type { WorkerParts as AttemptParts } from '../jobs/lifecycle/produce.ts'
import { dispatchJobs } from '../queue/dispatch-jobs.ts'
import type { Dispatcher, Gate } from '../queue/dispatcher.ts'
import { type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { Delivery } from '../queue/job-source.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { MovedAway, synthesize } from '../voice/synthesize.ts'
import { startWebhookWorker } from '../webhooks/delivery/start-webhook-worker.ts'
import { type ServerPermits, slotsInProcess } from './server-permits.ts'

const GENERATION_SLOTS = 32

export interface WorkerParts {
  readonly claims: ClaimRegistry
  readonly permits: ServerPermits
  readonly engines: Engines
  readonly cogServers: CogServers
  readonly resolver: Resolver
  readonly threads: number
}

type StartShared = (runtime: Runtime, parts: WorkerParts) => Promise<Dispatcher>

/**
 * Every kind of queued job and the function that runs it; `JOB_KINDS` has their queues, scopes and names. Companion jobs are not queued;
 * their request performs them.
 */
export const KINDS = {
  voice: speakTexts,
  shared: { generate: generateOutputs } satisfies Readonly<Record<Exclude<QueuedType, 'voice'>, StartShared>>,
  webhook: startWebhookWorker,
} as const

function speakTexts(runtime: Runtime, parts: WorkerParts, pool: string): Promise<Dispatcher> {
  const { claims, permits, engines, threads } = parts
  const kind = voiceKind(pool)
  return dispatchJobs({
    ...runtime,
    kind,
    rowClaim: jobRowClaim,
    gate: gateOf(runtime),
    slots: () => slotsInProcess(runtime, pool, threads),
    serverQueues: permits.serverQueuesOf(kind),
    stillOwned: claims.stillOwned,
    handle: (jobId, signal, delivery, ticket, place) =>
      synthesize(
        { ...runtime, engines, claims, pool, place, ...deliveredBy(kind, delivery) },
        jobId,
        signal,
        ticket,
      ).catch((error: unknown) => followMove(runtime, pool, delivery, error)),
  })
}

const gateOf = ({ storeWatch }: Runtime): Gate => ({
  isOpen: () => !storeWatch.isAway,
  onOpen: (poll) => storeWatch.onBack(poll),
})

const deliveredBy = (
  { queue }: JobKind,
  { id, retryCount, claimed }: Delivery,
): Pick<AttemptParts, 'row' | 'claimed'> => ({
  row: { queue, id, retryCount },
  ...(claimed !== undefined && { claimed }),
})

/** @throws every error but MovedAway */
async function followMove(runtime: Runtime, pool: string, delivery: Delivery, error: unknown): Promise<'settled'> {
  if (!(error instanceof MovedAway)) throw error
  const { queue, telemetry, workerId } = runtime
  await queue.rerouteDelivery({ delivery, from: voiceKind(pool), to: endpointRoute(error.endpoint), workerId })
  telemetry.count('jobs_requeued_total', { reason: 'moved' })
  return 'settled'
}

function generateOutputs(runtime: Runtime, parts: WorkerParts): Promise<Dispatcher> {
  const { claims, permits, cogServers, resolver } = parts
  return dispatchJobs({
    ...runtime,
    kind: GENERATION_KIND,
    rowClaim: jobRowClaim,
    gate: gateOf(runtime),
    slots: GENERATION_SLOTS,
    serverQueues: permits.serverQueuesOf(GENERATION_KIND),
    stillOwned: claims.stillOwned,
    handle: (_jobId, signal, delivery, ticket) =>
      generate(
        { ...runtime, claims, cogServers, resolver, ...deliveredBy(GENERATION_KIND, delivery) },
        delivery,
        signal,
        ticket,
      ),
  })
}
