import { JOB_READ_SCOPE } from '../src/api-keys/api-key.ts'
import { reachEndpoint } from '../src/catalog/find-visible-endpoint.ts'
import { reachWorkflow } from '../src/catalog/find-visible-workflow.ts'
import { endpointKey } from '../src/catalog/voice-endpoint.ts'
import { workflowKey } from '../src/catalog/workflow.ts'
import { CHAT_SCOPE, MEDIA_TAG_SCOPE, RETARGET_SCOPE } from '../src/companion/companion.ts'
import { type Context, requireScope } from '../src/context/context.ts'
import { reachForReplay } from '../src/jobs/lifecycle/find-replay.ts'

type Params = Readonly<Record<string, string>>

/** What a key may not do, told before the body is read. @throws FORBIDDEN, NOT_FOUND */
type Admission = (ctx: Context, params: Params, idempotencyKey: string | undefined) => unknown

const endpoint: Admission = (ctx, { slug = '' }) => reachEndpoint(ctx, slug)

/** operationId -> the checks of contract.md section 2 that need no body; the verbs repeat them for the other doors. */
const ADMISSIONS: Readonly<Record<string, Admission>> = {
  submitVoiceJob: (ctx, { slug = '' }, idempotencyKey) =>
    reachForReplay(ctx, { endpointKey: endpointKey(slug), idempotencyKey }, () => reachEndpoint(ctx, slug)),
  endpointVoices: endpoint,
  endpointSchema: endpoint,
  jobPage: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  job: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  exportJobs: (ctx) => requireScope(ctx, JOB_READ_SCOPE),
  submitGeneration: (ctx, { slug = '' }, idempotencyKey) =>
    reachForReplay(ctx, { endpointKey: workflowKey(slug), idempotencyKey }, () => reachWorkflow(ctx, slug)),
  chatWithCompanion: (ctx) => requireScope(ctx, CHAT_SCOPE),
  retargetCompanion: (ctx) => requireScope(ctx, RETARGET_SCOPE),
  tagMedia: (ctx) => requireScope(ctx, MEDIA_TAG_SCOPE),
}

/** @throws FORBIDDEN, NOT_FOUND */
export const admit: (operationId: string | undefined, ...request: Parameters<Admission>) => unknown = (
  operationId,
  ...request
) => ADMISSIONS[operationId ?? '']?.(...request)
