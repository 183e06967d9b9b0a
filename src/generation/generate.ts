import { pollCatalog } from '../catalog/catalog-cache.ts'
import { workflowRoute } from '../catalog/job-kinds.ts'
import { predictionId, workflowSlug } from '../catalog/workflows.ts'
import type { Workflow, WorkflowEngine } from '../context/catalog-snapshot.ts'
import type { Parts } from '../context/context.ts'
import type { Resolver } from '../egress/resolver.ts'
import {
  type CogServer,
  type CogServers,
  type PredictionRequest,
  predict,
  type SeenPrediction,
} from '../engines/cog.ts'
import { DEFAULT_RETRY_SECONDS, OWNED_RETRY_SECONDS, OWNED_SERVER } from '../engines/engine-block.ts'
import { isAwaited } from '../jobs/job-shape.ts'
import { JobFailure } from '../jobs/job-states.ts'
import type { Claim } from '../jobs/lifecycle/claim-job.ts'
import type { Provenance } from '../jobs/lifecycle/end-jobs.ts'
import { performJob } from '../jobs/lifecycle/perform-job.ts'
import { type Produced, recordProvenance, type WorkerParts } from '../jobs/lifecycle/produce.ts'
import type { Settled } from '../jobs/lifecycle/record-outcome.ts'
import type { Delivery } from '../queue/job-source.ts'
import type { Ticket } from '../queue/server-queue.ts'
import { collectOutputs } from './collect-outputs.ts'

const MOST_LEFTOVERS = 5
const MOST_BLAMED = 3

interface GenerationParts extends WorkerParts {
  readonly cogServers: CogServers
  readonly resolver: Resolver
}

/**
 * @param ticket for the server that the job was queued for
 * @throws if the queue must deliver the job again
 */
export const generate = (
  parts: GenerationParts,
  delivery: Pick<Delivery, 'jobId' | 'server'>,
  signal: AbortSignal,
  ticket?: Ticket,
): Promise<Settled> =>
  performJob(parts, delivery.jobId, signal, async (claim) => {
    const workflow = await workflowOf(parts, claim)
    const route = workflowRoute(workflow)
    const server = parts.cogServers.at(route.server)
    const awaitedBy = isAwaited(claim.options) ? claim.accountId : undefined
    let releaseSlot = (): void => undefined
    let seen: Provenance = {}
    return {
      provenance: () => seen,
      timeLimitSeconds: workflow.timeLimitSeconds,
      awaitTicket: async (untilLost) => {
        await ticket?.granted()
        // The workflow has moved to another server.
        if (delivery.server !== route.server) ticket?.release()
        releaseSlot = await server.slots.acquire(untilLost, awaitedBy)
      },
      perform: (untilLimit) => {
        const release = (): void => {
          releaseSlot()
          ticket?.release()
        }
        const reenter = async (): Promise<void> => {
          releaseSlot()
          releaseSlot = await server.slots.acquire(untilLimit, awaitedBy)
        }
        const onSeen = (prediction: SeenPrediction): void => {
          seen = provenanceOf(prediction)
          if (!prediction.ended || untilLimit.aborted) recordProvenance(parts, claim, seen).catch(() => undefined)
        }
        const capacity = { signal: untilLimit, reenter, release, onSeen }
        return perform(parts, server, { ...predictionOf(workflow, claim), ...capacity })
      },
    }
  })

async function workflowOf(parts: Parts, claim: Claim): Promise<Workflow> {
  const slug = workflowSlug(claim.endpointKey)
  const workflow = await pollCatalog(parts, () => parts.catalog.current.workflows.get(slug))
  if (workflow === undefined) {
    throw new JobFailure('RENDER_FAILED', 'the workflow was deleted before a worker took the job')
  }
  return workflow
}

function predictionOf({ engine, timeLimitSeconds }: Workflow, { jobId, attempt, releases, inputs }: Claim) {
  const idOf = (number: number): string => predictionId(jobId, number)
  const earlier = Array.from({ length: Math.min(attempt - 1, MOST_LEFTOVERS) }, (_, before) => attempt - 1 - before)
  return {
    id: idOf(attempt),
    input: inputs,
    isEvidence: attempt <= MOST_BLAMED,
    retryBudgetMs: retryBudgetMsOf(engine),
    deadline: performance.now() + timeLimitSeconds * 1000,
    // A worker that releases a job cancels its prediction itself.
    leftovers: attempt - 1 > releases ? earlier.map(idOf) : [],
  }
}

const retryBudgetMsOf = ({
  base_url: server,
  busy_patience_seconds: busy,
  retry_seconds: away = DEFAULT_RETRY_SECONDS,
}: WorkflowEngine) => ({
  busy: busy * 1000,
  away: Math.max(server === OWNED_SERVER ? OWNED_RETRY_SECONDS : 0, away) * 1000,
})

async function perform(parts: GenerationParts, server: CogServer, request: PredictionRequest): Promise<Produced> {
  const prediction = await predict(server, request)
  const { resolver, settings } = parts
  const { signal, retryBudgetMs, deadline } = request
  const access = { baseUrl: server.baseUrl, egressAllow: settings.egressAllow, resolver, signal }
  return {
    files: collectOutputs(prediction.output, { ...access, retryBudgetMs, deadline }),
    ...provenanceOf(prediction),
  }
}

const provenanceOf = ({ id, predictMs }: Pick<SeenPrediction, 'id' | 'predictMs'>): Provenance => ({
  providerJobId: id,
  gpuExecutionTimeMs: predictMs,
})
