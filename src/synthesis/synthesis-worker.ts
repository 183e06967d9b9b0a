import { availableParallelism } from 'node:os'
import { failAbandonedJobs } from '../companion/fail-abandoned-jobs.ts'
import { openEngines } from '../engines/engines.ts'
import { generate } from '../generation/generate.ts'
import { openServerSlots } from '../generation/server-slots.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { generationKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { servePools } from './serve-pools.ts'
import { synthesize } from './synthesize.ts'

const TIDY_MS = 60_000
/** Generations only wait for their servers: how many of them one process waits for at once. */
const GENERATION_SLOTS = 32

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

/** Speaks the voice jobs of every pool, and generates, until it is stopped; looks after what other workers left behind. */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const threads = availableParallelism()
  const engines = openEngines({ threads, log: runtime.log, lookUp: runtime.settings.lookUp })
  const parts = { ...runtime, engines }
  // In the background: the first text then finds a thread that has compiled its engine.
  void engines.warm()
  const handle = (jobId: string, signal: AbortSignal) => synthesize(parts, jobId, signal)
  const speech = await servePools(runtime, { threads, handle })
  const generationParts = { ...runtime, slots: openServerSlots() }
  const generation: Dispatcher = await dispatchJobs({
    ...runtime,
    kind: generationKind('cog'),
    slots: GENERATION_SLOTS,
    handle: (jobId, signal) => generate(generationParts, jobId, signal),
  })
  void tidy(runtime)
  const timer = setInterval(() => void tidy(runtime), TIDY_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      const graceMs = runtime.settings.shutdownSeconds * 1000
      await Promise.all([speech.stop(graceMs), generation.stop(graceMs)])
      await engines.close()
    },
  }
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
