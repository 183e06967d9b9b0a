import { requireAccount } from '../access/require.ts'
import { workflowRoute } from '../catalog/job-kinds.ts'
import { requireWorkflow, workflowKey } from '../catalog/workflows.ts'
import type { Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'
import { type IdempotentRequest, idempotentRequest } from '../idempotency/remember-response.ts'
import type { JobOptions } from '../jobs/job-shape.ts'
import { checkSubmission, contentOf, requireReplayable } from '../jobs/lifecycle/check-submission.ts'
import { queueJob, type Submission, unlessReplayed } from '../jobs/lifecycle/queue-job.ts'
import { noteSubmission } from '../jobs/notes/note-submission.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'

export interface GenerationInput {
  readonly slug: string
  readonly inputs: unknown
  readonly webhookUrl?: string | null | undefined
  readonly idempotencyKey?: string | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly options?: JobOptions | null | undefined
  readonly retryOf?: string
}

/**
 * Commits job and queue row together; the worker's claim charges the price.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, IDEMPOTENCY_MISMATCH, INVALID_REQUEST, PAYMENT_REQUIRED, in this order
 */
export const submitGeneration = (ctx: Context & MeasuredParts, input: GenerationInput): Promise<Submission> =>
  noteSubmission(ctx, { type: 'generate', endpointKey: workflowKey(input.slug) }, () => submit(ctx, input))

async function submit(ctx: Context, input: GenerationInput): Promise<Submission> {
  const submission = { endpointKey: workflowKey(input.slug), idempotencyKey: input.idempotencyKey }
  const workflow = await requireReplayable(ctx, submission, () => requireWorkflow(ctx, input.slug))
  const actor = requireAccount(ctx)
  // A voice endpoint may have the same slug.
  const idempotency = idempotentRequest(actor, input.idempotencyKey, ['submitGeneration', ...contentOf(input)])
  return unlessReplayed(ctx, idempotency, async () => {
    if (workflow === null) throw notFound()
    return submitNew(ctx, input, workflow, idempotency)
  })
}

function submitNew(
  ctx: Context,
  input: GenerationInput,
  workflow: Workflow,
  idempotency: IdempotentRequest | null,
): Promise<Submission> {
  const inputs = checkSubmission(ctx, input, {
    validate: (copy) => ctx.catalog.current.workflowValidators.get(workflow.slug)?.(copy) ?? [],
    hint: () => 'Send inputs that fit the workflow: see `details`.',
  })
  return queueJob(ctx, {
    type: 'generate',
    endpointKey: workflowKey(workflow.slug),
    ...workflowRoute(workflow),
    inputs,
    tags: input.tags,
    options: input.options,
    webhookUrl: input.webhookUrl,
    cost: BigInt(workflow.creditsPerJob),
    idempotency,
  })
}
