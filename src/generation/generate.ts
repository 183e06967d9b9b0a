import type { Parts } from '../context.ts'
import { lookAgain } from '../endpoints/look-again.ts'
import { predict } from '../engines/cog.ts'
import type { Claim } from '../jobs/claim-job.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { type Produced, performJob, type WorkerParts } from '../jobs/perform-job.ts'
import type { Turn } from '../queue/server-line.ts'
import { collectOutputs } from './collect-outputs.ts'
import type { ServerSlots } from './server-slots.ts'
import { type Workflow, workflowSlug } from './workflow.ts'

export interface GenerationParts extends WorkerParts {
  readonly slots: ServerSlots
}

/**
 * A worker's whole way with one generation job: claim and charge, predict, store every output, finish. Running it twice for one job
 * is harmless.
 * @param turn in the line of the server that the job was queued for
 * @throws when the job must be delivered again: the database is away, or `signal` was aborted
 */
export const generate = (parts: GenerationParts, jobId: string, signal: AbortSignal, turn?: Turn): Promise<void> =>
  performJob(parts, jobId, signal, async (claim) => {
    const workflow = await workflowOf(parts, claim)
    return {
      timeLimitSeconds: workflow.timeLimitSeconds,
      takeTurn: async (untilLost) => {
        await turn?.comes()
        const { base_url, max_in_flight } = workflow.engine
        const leave = await parts.slots.enter(base_url, max_in_flight, untilLost)
        return () => {
          leave()
          turn?.end()
        }
      },
      perform: (untilLimit) => perform(parts, workflow, claim, untilLimit),
    }
  })

async function workflowOf(parts: Parts, claim: Claim): Promise<Workflow> {
  const slug = workflowSlug(claim.endpointKey)
  const workflow = await lookAgain(parts, () => parts.catalog.current.workflows.get(slug))
  if (workflow === undefined) {
    throw new JobFailure('RENDER_FAILED', 'the workflow was deleted before a worker took the job')
  }
  return workflow
}

async function perform(
  { settings }: Parts,
  { engine, timeLimitSeconds }: Workflow,
  claim: Claim,
  signal: AbortSignal,
): Promise<Produced> {
  const server = { baseUrl: engine.base_url, busyPatienceMs: engine.busy_patience_seconds * 1000 }
  // Another attempt is another prediction: what is left of the first may still be cancelled by its own id.
  const deadline = performance.now() + timeLimitSeconds * 1000
  const request = { id: `${claim.jobId}-${claim.attempt}`, input: claim.inputs, signal, deadline }
  const prediction = await predict(server, request)
  return {
    files: collectOutputs(prediction.output, { baseUrl: engine.base_url, egressAllow: settings.egressAllow, signal }),
    providerJobId: prediction.id,
    gpuExecutionTimeMs: prediction.predictMs,
  }
}
