import { availableParallelism } from 'node:os'
import { endpointPlace, hasEmbedded, serverLimits } from '../catalog/engine-server.ts'
import { failAbandonedJobs } from '../companion/fail-abandoned-jobs.ts'
import { CATALOG_CHANNEL } from '../context/catalog-snapshot.ts'
import { type Resolver, sharedResolver, systemResolver } from '../egress/resolver.ts'
import { type CogServers, openCogServers } from '../engines/cog-servers.ts'
import { type Engines, openEngines } from '../engines/engines.ts'
import { generate } from '../generation/generate.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { type ClaimRegistry, openClaimRegistry } from '../jobs/lifecycle/claim-registry.ts'
import { deleteAbandonedFiles } from '../jobs/lifecycle/delete-abandoned-files.ts'
import { failOrphanedJobs } from '../jobs/lifecycle/fail-orphaned-jobs.ts'
import { rescueJobs } from '../jobs/lifecycle/rescue-jobs.ts'
import { foldJobCounts } from '../jobs/list/fold-job-counts.ts'
import { dispatchJobs } from '../queue/dispatch-jobs.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import { GENERATION_KIND, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { MovedAway, synthesize } from '../voice/synthesize.ts'
import { registerWorker } from './register-worker.ts'
import { rerouteOrphanedJobs } from './reroute-orphaned-jobs.ts'
import { servePools } from './serve-pools.ts'
import { queuesOf, ServerPermits } from './server-permits.ts'
import { warmWhenIdle } from './warm-when-idle.ts'

const TIDY_MS = 60_000
/** How many generations whose server no workflow names any more one process has at once. */
const GENERATION_SLOTS = 32

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

interface WorkerOptions {
  /** The engine pools to serve; absent: every pool that an endpoint names, as soon as one does. */
  readonly pools?: readonly string[]
  /** What renders; absent: the engines of this service, which are then closed with the worker. */
  readonly engines?: Engines
  /** Asked for names in what a model answers, instead of the machine's name servers. */
  readonly resolver?: Resolver
  /** Whether this process has something to do that the engines' warming up would slow down. */
  readonly isBusy?: () => boolean
}

/** Speaks voice jobs, and generates, until it is stopped; looks after what other workers left behind. */
export async function startWorker(runtime: Runtime, options: WorkerOptions = {}): Promise<Worker> {
  const threads = availableParallelism()
  const { log, settings } = runtime
  let stopping = false
  const permits = new ServerPermits(runtime, () => (stopping ? [] : queuesOf(pools.names)))
  const slotsAt = (server: string) => permits.slotsAt(server)
  const engines = options.engines ?? openEngines({ threads, log, lookUp: settings.lookUp, slotsAt })
  const claims = openClaimRegistry(runtime.db)
  // The first text then finds a thread that has compiled its engine.
  const stopWarming = warmWhenIdle(() => engines.warm(), options.isBusy ?? (() => false))
  const speaking = { claims, permits, engines, threads }
  const pools = await servePools(runtime, options.pools, (pool) => startSpeaking(runtime, pool, speaking))
  const cogServers = openCogServers(slotsAt)
  const resolver = sharedResolver(options.resolver ?? systemResolver())
  const generation = await startGenerating(runtime, { claims, permits, cogServers, resolver })
  const registration = await registerWorker(runtime, {
    load: () => ({
      pools: stopping ? [] : pools.names,
      slots: slotsOver(runtime, pools.names, permits, threads),
      inFlight: pools.inFlight + generation.inFlight,
    }),
    onHeartbeat: () => permits.renew(),
    onSilence: () => {
      for (const part of [pools, generation]) part.leaveServers()
    },
  })
  const endLooking = await lookAfter(runtime, permits)
  return {
    stop: async () => {
      stopping = true
      stopWarming()
      endLooking()
      // The others are to have the places that get free here.
      void permits.renew().catch(() => undefined)
      await Promise.all([pools, generation].map((part) => part.stop(settings.shutdownSeconds * 1000)))
      // Until then others must not have their places.
      await cogServers.left()
      await registration.end()
      if (options.engines === undefined) await engines.close()
    },
  }
}

/** What a worker does for all others, until it is stopped. */
async function lookAfter(runtime: Runtime, permits: ServerPermits): Promise<() => void> {
  const unfollow = await followServers(runtime, permits)
  const endTidying = tidyRegularly(runtime)
  return () => {
    endTidying()
    unfollow()
  }
}

/** Jobs that a worker with these pools runs at once at most. */
const slotsOver = (runtime: Runtime, pools: readonly string[], permits: ServerPermits, threads: number): number =>
  pools
    .map((pool) => permits.countOf(voiceKind(pool)) + slotsBeside(runtime, pool, threads))
    .reduce((sum, slots) => sum + slots, permits.countOf(GENERATION_KIND))

/** A server that the operator adds, or gives another limit, is shared out at once. */
function followServers(runtime: Runtime, permits: ServerPermits): Promise<() => void> {
  const follow = (): void => {
    runtime.catalog
      .reload()
      .then(() => permits.renew())
      .catch((error: Error) =>
        runtime.log.warn({ err: error.message }, 'servers are shared out again with the next heartbeat'),
      )
  }
  return runtime.notifier.listen(CATALOG_CHANNEL, follow, follow)
}

/** Jobs that need no server run in this process's threads; so do, one at a time, those that no endpoint speaks for any more. */
function slotsBeside(runtime: Runtime, pool: string, threads: number): number {
  const servers = runtime.catalog.current
  // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
  return hasEmbedded(servers, pool) || serverLimits(servers, voiceKind(pool)).size === 0 ? threads + 1 : 0
}

interface SpeakingParts {
  readonly claims: ClaimRegistry
  readonly permits: ServerPermits
  readonly engines: Engines
  readonly threads: number
}

function startSpeaking(runtime: Runtime, pool: string, parts: SpeakingParts): Promise<Dispatcher> {
  const { claims, permits, engines, threads } = parts
  const kind = voiceKind(pool)
  return dispatchJobs({
    ...runtime,
    kind,
    slots: () => slotsBeside(runtime, pool, threads),
    serverQueues: permits.serverQueuesOf(kind),
    stillOwned: claims.stillOwned,
    handle: (jobId, signal, delivery, ticket) =>
      synthesize({ ...runtime, engines, claims, pool }, jobId, signal, ticket).catch(async (error: unknown) => {
        if (!(error instanceof MovedAway)) throw error
        await runtime.queue.rerouteDelivery({
          delivery,
          from: kind,
          to: endpointPlace(error.home),
          workerId: runtime.workerId,
        })
        return 'settled'
      }),
  })
}

interface GeneratingParts {
  readonly claims: ClaimRegistry
  readonly permits: ServerPermits
  readonly cogServers: CogServers
  readonly resolver: Resolver
}

function startGenerating(runtime: Runtime, { permits, ...own }: GeneratingParts): Promise<Dispatcher> {
  const parts = { ...runtime, ...own }
  return dispatchJobs({
    ...runtime,
    kind: GENERATION_KIND,
    slots: GENERATION_SLOTS,
    serverQueues: permits.serverQueuesOf(GENERATION_KIND),
    stillOwned: own.claims.stillOwned,
    handle: (_jobId, signal, delivery, ticket) => generate(parts, delivery, signal, ticket),
  })
}

function tidyRegularly(runtime: Runtime): () => void {
  void tidy(runtime)
  const timer = setInterval(() => void tidy(runtime), TIDY_MS)
  return () => clearInterval(timer)
}

async function tidy(runtime: Runtime): Promise<void> {
  try {
    const [lost] = await Promise.all([
      rescueJobs(runtime),
      rerouteOrphanedJobs(runtime),
      failOrphanedJobs(runtime),
      forgetExpired(runtime),
      failAbandonedJobs(runtime),
      foldJobCounts(runtime.db.pool),
      deleteAbandonedFiles(runtime),
    ])
    if (lost > 0) runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again')
  } catch (error) {
    runtime.log.warn({ err: (error as Error).message }, 'tidying up failed; trying again in a minute')
  }
}
