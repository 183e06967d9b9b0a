import { availableParallelism } from 'node:os'
import { failAbandonedJobs } from '../companion/fail-abandoned-jobs.ts'
import { closeEngines, openEngines } from '../engines/engines.ts'
import { generate } from '../generation/generate.ts'
import { openServerSlots } from '../generation/server-slots.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { generationKind, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { synthesize } from './synthesize.ts'

const TIDY_MS = 60_000
/** Generations only wait for their servers: how many of them one process waits for at once. */
const GENERATION_SLOTS = 32

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

/** Speaks and generates until it is stopped, and looks after what other workers left behind. */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const threads = availableParallelism()
  const engines = openEngines({ threads, log: runtime.log })
  const parts = { ...runtime, engines }
  // In the background: the first text then finds a thread that has compiled its engine.
  void engines.espeak.warm()
  const speech: Dispatcher = await dispatchJobs({
    ...runtime,
    kind: voiceKind('espeak'),
    // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
    slots: threads + 1,
    handle: (jobId, signal) => synthesize(parts, jobId, signal),
  })
  const generationParts = { ...runtime, slots: openServerSlots() }
  const generation: Dispatcher = await dispatchJobs({
    ...runtime,
    kind: generationKind('cog'),
    slots: GENERATION_SLOTS,
    handle: (jobId, signal) => generate(generationParts, jobId, signal),
  })
  const tidy = () =>
    Promise.all([requeueLostJobs(runtime), forgetExpired(runtime.db.pool), failAbandonedJobs(runtime)]).then(
      ([lost]) => lost > 0 && runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again'),
      (error: Error) => runtime.log.warn({ err: error.message }, 'tidying up failed; trying again in a minute'),
    )
  void tidy()
  const timer = setInterval(() => void tidy(), TIDY_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      const graceMs = runtime.settings.shutdownSeconds * 1000
      await Promise.all([speech.stop(graceMs), generation.stop(graceMs)])
      await closeEngines(engines)
    },
  }
}
