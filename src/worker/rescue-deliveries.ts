import { predictionId } from '../catalog/workflow.ts'
import { cancelPrediction } from '../engines/cog.ts'
import { OWNED_SERVER } from '../engines/owned-server.ts'
import { notifyJob } from '../jobs/live/notify-job.ts'
import { GENERATION_KIND, WEBHOOK_KIND } from '../queue/job-kind.ts'
import type { RescuedDeliveries } from '../queue/queue.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { DEAD_AFTER_MS } from './worker.ts'

const CANCEL_MS = 1000

/** Releases the jobs of dead workers. Returns their number. */
export async function rescueDeliveries(
  runtime: Pick<Runtime, 'log' | 'notifier' | 'queue' | 'telemetry' | 'workerId'>,
): Promise<number> {
  const rows = await runtime.queue.rescue(DEAD_AFTER_MS, runtime.workerId)
  for (const { queue, worker, jobs } of rows) {
    if (queue !== WEBHOOK_KIND.queue) runtime.telemetry.count('jobs_requeued_total', { reason: 'worker_lost' }, jobs)
    runtime.log.warn({ worker, queue, jobs }, 'a worker is gone: its jobs are rescued')
  }
  await Promise.all(rows.map(cancelPredictions))
  for (const { queue, taken } of rows) {
    runtime.queue.wake({ queue })
    for (const { jobId, accountId } of taken) if (accountId !== null) notifyJob(runtime, { accountId, jobId })
  }
  return rows.reduce((sum, { jobs }) => sum + jobs, 0)
}

/** Cancels abandoned predictions first, so that the server has capacity. */
async function cancelPredictions({ queue, taken }: RescuedDeliveries): Promise<void> {
  if (queue !== GENERATION_KIND.queue) return
  const until = AbortSignal.timeout(CANCEL_MS)
  const begun = taken.filter(({ attempt, server }) => (attempt ?? 0) > 0 && server !== OWNED_SERVER)
  await Promise.all(
    begun.map(({ server, jobId, attempt }) => cancelPrediction(server, predictionId(jobId, attempt ?? 0), until)),
  )
}
