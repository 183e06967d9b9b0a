import { requireEndpoint } from '../src/catalog/require-endpoint.ts'
import { requireWorkflow } from '../src/catalog/require-workflow.ts'
import { endpointKey } from '../src/catalog/voice-endpoint.ts'
import { workflowKey } from '../src/catalog/workflow.ts'
import type { Context } from '../src/context/context.ts'
import { requireReplayable } from '../src/jobs/lifecycle/require-replayable.ts'
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
