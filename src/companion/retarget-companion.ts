import { requireScope } from '../access/require.ts'
import { RETARGET_SCOPE } from '../access/scopes.ts'
import type { PrismaTx } from '../db/database.ts'
import { requireChat, setPersona, touchChat } from './chat.ts'
import { checkText } from './check-text.ts'
import { type CompanionContext, MAX_PERSONA_CHARACTERS } from './companion.ts'
import { type CompanionView, runCompanionJob } from './companion-job.ts'
import type { Decision } from './finish-job.ts'

export interface RetargetInput {
  readonly chatId: string
  readonly persona: string
  readonly idempotencyKey?: string | null | undefined
}

export interface RetargetResult {
  readonly chatId: string
}

/**
 * Replaces a chat's persona.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, NOT_FOUND, IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS
 */
export async function retargetCompanion(
  ctx: CompanionContext,
  input: RetargetInput,
): Promise<CompanionView<RetargetResult>> {
  requireScope(ctx, RETARGET_SCOPE)
  checkText('/persona', input.persona, MAX_PERSONA_CHARACTERS)
  const { chatId, persona } = input
  return runCompanionJob(ctx, {
    type: 'companion_retarget',
    endpointKey: 'chat.companion_retarget',
    idempotencyKey: input.idempotencyKey,
    content: [chatId, persona],
    context: { chatId },
    prepare: () => requireChat(ctx, chatId),
    perform: async (limit): Promise<Decision<RetargetResult>> => {
      const verdict = await ctx.companion.moderator.moderate(persona, limit)
      const rejection = verdict.isProhibited ? `The persona ${verdict.reason}.` : null
      const commit = async (tx: PrismaTx) => {
        const isThere = await touchChat(tx, chatId, ctx.now())
        if (isThere && rejection === null) await setPersona(tx, chatId, persona)
      }
      return { rejection, result: { chatId }, commit }
    },
  })
}
