import { availableParallelism } from 'node:os'
import { poolOf, type VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import { openEngines } from '../engines/engines.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { synthesize } from './synthesize.ts'

const TIDY_MS = 60_000
/** How soon a pool that an operator adds is served. */
const POOLS_MS = 250
const VOICE_QUEUES = voiceKind('').queue

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

/** Speaks the voice jobs of every pool until it is stopped, and looks after what other workers left behind. */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const threads = availableParallelism()
  const engines = openEngines({ threads, log: runtime.log, lookUp: runtime.settings.lookUp })
  const parts = { ...runtime, engines }
  // In the background: the first text then finds a thread that has compiled its engine.
  void engines.warm()
  const dispatchers = new Map<string, Promise<Dispatcher>>()
  // An endpoint may have changed its pool, or be gone, and still have jobs in a queue.
  const left = (await runtime.boss.getQueues()).map(({ name }) => name).filter((name) => name.startsWith(VOICE_QUEUES))
  const servePools = (): Promise<unknown> => {
    const endpoints = [...runtime.catalog.current.endpoints.values()]
    const pools = new Set([...left.map((name) => name.slice(VOICE_QUEUES.length)), ...endpoints.map(poolOf)])
    for (const pool of pools) {
      if (dispatchers.has(pool)) continue
      const slots = slotsOf(pool, endpoints, threads)
      const handle = (jobId: string, signal: AbortSignal) => synthesize(parts, jobId, signal)
      const started = dispatchJobs({ ...runtime, kind: voiceKind(pool), slots, handle })
      dispatchers.set(pool, started)
      started.catch(() => dispatchers.delete(pool))
    }
    return Promise.all(dispatchers.values())
  }
  await servePools()
  const pools = setInterval(
    () =>
      servePools().catch((error: Error) =>
        runtime.log.warn({ err: error.message }, 'a pool is not served yet; trying again'),
      ),
    POOLS_MS,
  )
  void tidy(runtime)
  const tidying = setInterval(() => void tidy(runtime), TIDY_MS)
  return {
    stop: async () => {
      clearInterval(pools)
      clearInterval(tidying)
      const graceMs = runtime.settings.shutdownSeconds * 1000
      const started = await Promise.allSettled(dispatchers.values())
      await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value.stop(graceMs) : undefined)))
      await engines.close()
    },
  }
}

/**
 * One more than can be rendered at once: while one job is stored and committed, no thread and no server waits for it. Each server's
 * own `max_in_flight` holds beside that.
 */
function slotsOf(pool: string, endpoints: readonly VoiceEndpoint[], threads: number): number {
  const mine = endpoints.filter((endpoint) => poolOf(endpoint) === pool).map(({ engine }) => engine)
  const servers = new Map(mine.map((engine) => [engine.base_url ?? null, engine.max_in_flight]))
  const inFlight = [...servers].map(([server, most]) => (server !== null && typeof most === 'number' ? most : threads))
  return Math.max(
    inFlight.reduce((sum, most) => sum + most, 1),
    threads + 1,
  )
}

async function tidy(runtime: Runtime): Promise<void> {
  try {
    const [lost] = await Promise.all([requeueLostJobs(runtime), forgetExpired(runtime.db.pool)])
    if (lost > 0) runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again')
  } catch (error) {
    runtime.log.warn({ err: (error as Error).message }, 'tidying up failed; trying again in a minute')
  }
}
