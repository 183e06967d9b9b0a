import { requireScope } from '../src/access/require.ts'
import { CHAT_SCOPE, JOB_READ_SCOPE, MEDIA_TAG_SCOPE, RETARGET_SCOPE } from '../src/access/scopes.ts'
import { requireEndpoint } from '../src/catalog/require-endpoint.ts'
import { requireWorkflow } from '../src/catalog/require-workflow.ts'
import { endpointKey } from '../src/catalog/voice-endpoint.ts'
import { workflowKey } from '../src/catalog/workflow.ts'
import type { Context } from '../src/context/context.ts'
import { requireReplayable } from '../src/jobs/lifecycle/require-replayable.ts'

type Params = Readonly<Record<string, string>>

/** What a key may not do, told before the body is read. @throws FORBIDDEN, NOT_FOUND */
type Admission = (ctx: Context, params: Params, idempotencyKey: string | undefined) => unknown

const endpoint: Admission = (ctx, { slug = '' }) => requireEndpoint(ctx, slug)

/** operationId -> the checks that come before the body is read (401, 403, 404); the verbs repeat them for the other doors. */
const ADMISSIONS: Readonly<Record<string, Admission>> = {
  submitVoiceJob: (ctx, { slug = '' }, idempotencyKey) =>
    requireReplayable(ctx, { endpointKey: endpointKey(slug), idempotencyKey }, () => requireEndpoint(ctx, slug)),
  endpointVoices: endpoint,
  endpointSchema: endpoint,
  jobPage: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  job: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  exportJobs: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  submitGeneration: (ctx, { slug = '' }, idempotencyKey) =>
    requireReplayable(ctx, { endpointKey: workflowKey(slug), idempotencyKey }, () => requireWorkflow(ctx, slug)),
  chatWithCompanion: (ctx) => requireScope(ctx, CHAT_SCOPE),
  retargetCompanion: (ctx) => requireScope(ctx, RETARGET_SCOPE),
  tagMedia: (ctx) => requireScope(ctx, MEDIA_TAG_SCOPE),
}

/** @throws FORBIDDEN, NOT_FOUND */
export const admit: (operationId: string | undefined, ...request: Parameters<Admission>) => unknown = (
  operationId,
  ...request
) => ADMISSIONS[operationId ?? '']?.(...request)
