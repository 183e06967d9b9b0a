import { CHAT_SCOPE, MEDIA_TAG_SCOPE, RETARGET_SCOPE } from '../src/companion/companion.ts'
import { type Context, requireScope } from '../src/context.ts'
import { reachEndpoint } from '../src/endpoints/reach-endpoint.ts'
import { reachWorkflow } from '../src/generation/reach-workflow.ts'

type Params = Readonly<Record<string, string>>

/** What a key may not do, told before the body is read. @throws FORBIDDEN, NOT_FOUND */
type Admission = (ctx: Context, params: Params) => unknown

const endpoint: Admission = (ctx, { slug = '' }) => reachEndpoint(ctx, slug)

/** operationId -> the checks of contract.md section 2 that need no body; the verbs repeat them for the other doors. */
const ADMISSIONS: Readonly<Record<string, Admission>> = {
  submitVoiceJob: endpoint,
  endpointVoices: endpoint,
  endpointSchema: endpoint,
  submitGeneration: (ctx, { slug = '' }) => reachWorkflow(ctx, slug),
  chatWithCompanion: (ctx) => requireScope(ctx, CHAT_SCOPE),
  retargetCompanion: (ctx) => requireScope(ctx, RETARGET_SCOPE),
  tagMedia: (ctx) => requireScope(ctx, MEDIA_TAG_SCOPE),
}

/** @throws FORBIDDEN, NOT_FOUND */
export const admit = (operationId: string | undefined, ctx: Context, params: Params): unknown =>
  ADMISSIONS[operationId ?? '']?.(ctx, params)
