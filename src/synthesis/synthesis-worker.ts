import { availableParallelism } from 'node:os'
import { closeEngines, openEngines } from '../engines/engines.ts'
import { forgetExpired } from '../idempotency/remember-response.ts'
import { requeueLostJobs } from '../jobs/requeue-lost-jobs.ts'
import { type Dispatcher, dispatchJobs } from '../queue/dispatch-jobs.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import { synthesize } from './synthesize.ts'

const TIDY_MS = 60_000

export interface Worker {
  /** Finishes what runs, within the settings' SHUTDOWN_SECONDS, and hands the rest back. */
  stop(): Promise<void>
}

/** Speaks voice jobs until it is stopped, and looks after what other workers left behind. */
export async function startWorker(runtime: Runtime): Promise<Worker> {
  const threads = availableParallelism()
  const engines = openEngines({ threads, log: runtime.log })
  const parts = { ...runtime, engines }
  // In the background: the first text then finds a thread that has compiled its engine.
  void engines.espeak.warm()
  const dispatcher: Dispatcher = await dispatchJobs({
    ...runtime,
    kind: voiceKind('espeak'),
    // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
    slots: threads + 1,
    handle: (jobId, signal) => synthesize(parts, jobId, signal),
  })
  const tidy = () =>
    Promise.all([requeueLostJobs(runtime), forgetExpired(runtime.db.pool)]).then(
      ([lost]) => lost > 0 && runtime.log.warn({ jobs: lost }, 'jobs without a place in the queue were queued again'),
      (error: Error) => runtime.log.warn({ err: error.message }, 'tidying up failed; trying again in a minute'),
    )
  void tidy()
  const timer = setInterval(() => void tidy(), TIDY_MS)
  return {
    stop: async () => {
      clearInterval(timer)
      await dispatcher.stop(runtime.settings.shutdownSeconds * 1000)
      await closeEngines(engines)
    },
  }
}
