import { availableParallelism } from 'node:os'
import { hasEmbedded, serverLimits } from '../endpoints/engine-server.ts'
import { closeEngines, type Engines, openEngines } from '../engines/engines.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { registerWorker } from '../workers/register-worker.ts'
import { servePools } from './serve-pools.ts'
import { synthesize } from './synthesize.ts'

const TIDY_MS = 60_000

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  /** The engine pools to serve; absent: every pool that an endpoint names, as soon as one does. */
  readonly pools?: readonly string[]
  /** What renders; absent: the engines of this service, which are then closed with the worker. */
  readonly engines?: Engines
}

/** Speaks voice jobs until it is stopped, and looks after what other workers left behind. */
export async function startWorker(runtime: Runtime, options: WorkerOptions = {}): Promise<Worker> {
  const threads = availableParallelism()
  const engines = options.engines ?? openEngines({ threads, log: runtime.log })
  const parts = { ...runtime, engines }
  // In the background: the first text then finds a thread that has compiled its engine.
  if (options.engines === undefined) void engines.espeak.warm()
  const slotsOf = (pool: string): number => {
    const endpoints = [...runtime.catalog.current.endpoints.values()]
    const atServers = [...serverLimits(endpoints, pool).values()].reduce((sum, limit) => sum + limit, 0)
    // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
    return atServers + (hasEmbedded(endpoints, pool) || atServers === 0 ? threads + 1 : 0)
  }
  const dispatch = (pool: string): Promise<Dispatcher> =>
    dispatchJobs({
      ...runtime,
      kind: voiceKind(pool),
      slots: () => slotsOf(pool),
      limits: () => serverLimits(runtime.catalog.current.endpoints.values(), pool),
      handle: (jobId, signal) => synthesize(parts, jobId, signal),
    })
  const pools = await servePools(runtime, options.pools, dispatch)
  const registration = await registerWorker(runtime, () => ({
    pools: pools.names,
    slots: pools.names.reduce((sum, pool) => sum + slotsOf(pool), 0),
    inFlight: pools.inFlight,
  }))
  const endTidying = tidyRegularly(runtime)
  return {
    stop: async () => {
      endTidying()
      await pools.stop(runtime.settings.shutdownSeconds * 1000)
      await registration.end()
      if (options.engines === undefined) await closeEngines(engines)
    },
  }
}

function tidyRegularly(runtime: Runtime): () => void {
  const tidy = () =>
    Promise.all([requeueLostJobs(runtime), forgetExpired(runtime.db.pool)]).then(
      ([lost]) => lost > 0 && runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again'),
      (error: Error) => runtime.log.warn({ err: error.message }, 'tidying up failed; trying again in a minute'),
    )
  void tidy()
  const timer = setInterval(() => void tidy(), TIDY_MS)
  return () => clearInterval(timer)
}
