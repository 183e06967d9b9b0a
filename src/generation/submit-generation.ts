import { type Context, requireAccount } from '../context.ts'
import { idempotentRequest } from '../idempotency/remember-response.ts'
import { checkSubmission } from '../jobs/check-submission.ts'
import { queueJob, type Submission } from '../jobs/queue-job.ts'
import { generationKind } from '../queue/job-kind.ts'
import { reachWorkflow } from './reach-workflow.ts'
import { workflowKey } from './workflow.ts'

export interface GenerationInput {
  readonly slug: string
  /** The workflow's own named inputs, not yet validated. */
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly idempotencyKey?: string | null | undefined
}

/**
 * Takes a generation by a workflow (contract.md section 8). The job and its place in the queue are committed together before this
 * returns; the workflow's price is charged when a worker takes the job.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, PAYMENT_REQUIRED, IDEMPOTENCY_MISMATCH, in this order
 */
export async function submitGeneration(ctx: Context, input: GenerationInput): Promise<Submission> {
  const workflow = reachWorkflow(ctx, input.slug)
  const actor = requireAccount(ctx)
  // The verb's name keeps a voice endpoint's request of the same slug apart.
  const content = ['submitGeneration', input.slug, input.inputs, input.webhookUrl ?? null]
  const idempotency = idempotentRequest(actor, input.idempotencyKey, content)
  const inputs = checkSubmission(ctx, input, {
    validate: (copy) => ctx.catalog.current.workflowValidators.get(workflow.slug)?.(copy) ?? [],
    advice: () => 'Send inputs that fit the workflow: see details.',
  })
  return queueJob(ctx, {
    type: 'generate',
    endpointKey: workflowKey(workflow.slug),
    kind: generationKind(workflow.engine.kind),
    server: workflow.engine.base_url,
    inputs,
    webhookUrl: input.webhookUrl,
    cost: BigInt(workflow.creditsPerJob),
    idempotency,
  })
}
