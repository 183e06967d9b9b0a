import { availableParallelism } from 'node:os'
import { failAbandonedJobs } from '../companion/fail-abandoned-jobs.ts'
import { hasEmbedded, serverLimits } from '../endpoints/engine-server.ts'
import { type Engines, openEngines } from '../engines/engines.ts'
import { generate } from '../generation/generate.ts'
import { openServerSlots } from '../generation/server-slots.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { type HeldJobs, openHeldJobs } from '../jobs/held-jobs.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { generationKind, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { registerWorker } from '../workers/register-worker.ts'
import { openServerShares, type ServerShares } from '../workers/server-shares.ts'
import { servePools } from './serve-pools.ts'
import { synthesize } from './synthesize.ts'
import { warmWhenIdle } from './warm-when-idle.ts'

const TIDY_MS = 60_000
/** Generations only wait for their servers: how many of them one process waits for at once. */
const GENERATION_SLOTS = 32

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  /** The engine pools to serve; absent: every pool that an endpoint names, as soon as one does. */
  readonly pools?: readonly string[]
  /** What renders; absent: the engines of this service, which are then closed with the worker. */
  readonly engines?: Engines
  /** Whether this process has something to do that the engines' warming up would slow down. */
  readonly isBusy?: () => boolean
}

/** Speaks voice jobs, and generates, until it is stopped; looks after what other workers left behind. */
export async function startWorker(runtime: Runtime, options: WorkerOptions = {}): Promise<Worker> {
  const threads = availableParallelism()
  const shares = openServerShares(runtime, () => {
    for (const pool of pools.names) runtime.queue.wake(voiceKind(pool))
  })
  const { log, settings } = runtime
  const engines = options.engines ?? openEngines({ threads, log, lookUp: settings.lookUp, limitOf: shares.of })
  const held = openHeldJobs(runtime.db)
  const parts = { ...runtime, engines, held }
  // The first text then finds a thread that has compiled its engine.
  const stopWarming = warmWhenIdle(() => engines.warm(), options.isBusy ?? (() => false))
  const slotsOf = (pool: string) => slotsOfPool(runtime, shares, pool, threads)
  const pools = await servePools(runtime, options.pools, (pool) =>
    dispatchJobs({
      ...runtime,
      kind: voiceKind(pool),
      slots: () => slotsOf(pool),
      limits: () => shares.limits(pool),
      stillOurs: held.stillOurs,
      handle: (jobId, signal) => synthesize(parts, jobId, signal),
    }),
  )
  const generation = await startGenerating(runtime, held)
  const registration = await registerWorker(runtime, () => ({
    pools: pools.names,
    slots: pools.names.reduce((sum, pool) => sum + slotsOf(pool), 0),
    inFlight: pools.inFlight + generation.inFlight,
  }))
  await shares.join()
  const endTidying = tidyRegularly(runtime)
  return {
    stop: async () => {
      stopWarming()
      endTidying()
      const graceMs = runtime.settings.shutdownSeconds * 1000
      await Promise.all([pools.stop(graceMs), generation.stop(graceMs)])
      shares.end()
      await registration.end()
      if (options.engines === undefined) await engines.close()
    },
  }
}

/** As many jobs as the pool's servers take from this process and its threads render. */
function slotsOfPool(runtime: Runtime, shares: ServerShares, pool: string, threads: number): number {
  const endpoints = [...runtime.catalog.current.endpoints.values()]
  const atServers = [...serverLimits(endpoints, pool).keys()].reduce((sum, server) => sum + (shares.of(server) ?? 0), 0)
  // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
  return atServers + (hasEmbedded(endpoints, pool) || atServers === 0 ? threads + 1 : 0)
}

function startGenerating(runtime: Runtime, held: HeldJobs): Promise<Dispatcher> {
  const parts = { ...runtime, held, slots: openServerSlots() }
  return dispatchJobs({
    ...runtime,
    kind: generationKind('cog'),
    slots: GENERATION_SLOTS,
    stillOurs: held.stillOurs,
    handle: (jobId, signal) => generate(parts, jobId, signal),
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
      requeueLostJobs(runtime),
      forgetExpired(runtime.db.pool),
      failAbandonedJobs(runtime),
    ])
    if (lost > 0) runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again')
  } catch (error) {
    runtime.log.warn({ err: (error as Error).message }, 'tidying up failed; trying again in a minute')
  }
}
