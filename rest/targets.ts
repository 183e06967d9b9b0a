import { requireEndpoint } from '../src/catalog/endpoints.ts'
import { endpointKey } from '../src/catalog/voice-endpoint.ts'
import { requireWorkflow, workflowKey } from '../src/catalog/workflows.ts'
import type { Context } from '../src/context/context.ts'
import { requireReplayable } from '../src/jobs/lifecycle/check-submission.ts'
import { idempotencyKeyOf, slugOf } from './inputs.ts'
import type { CallHead } from './operation.ts'

// Targets of addresses, found before the body is read. Missing and restricted ones throw the same NOT_FOUND.

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointOf = (ctx: Context, head: CallHead): unknown => requireEndpoint(ctx, slugOf(head))

/** The endpoint, or this key's earlier job under the Idempotency-Key. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export function replayableEndpoint(ctx: Context, head: CallHead): Promise<unknown> {
  const place = { endpointKey: endpointKey(slugOf(head)), idempotencyKey: idempotencyKeyOf(head) }
  return requireReplayable(ctx, place, () => requireEndpoint(ctx, slugOf(head)))
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export function replayableWorkflow(ctx: Context, head: CallHead): Promise<unknown> {
  const place = { endpointKey: workflowKey(slugOf(head)), idempotencyKey: idempotencyKeyOf(head) }
  return requireReplayable(ctx, place, () => requireWorkflow(ctx, slugOf(head)))
}
