import { requireAccount, requireScope } from '../access/require.ts'
import { CHAT_SCOPE } from '../access/scopes.ts'
import type { PrismaTx } from '../db/database.ts'
import { newId } from '../values/id.ts'
import { appendExchange, chatHistory, insertChat, touchChat } from './chat.ts'
import type { ChatMessage } from './chat-completions.ts'
import { checkText } from './check-text.ts'
import { type CompanionContext, MAX_MESSAGE_CHARACTERS } from './companion.ts'
import { type CompanionView, runCompanionJob } from './companion-job.ts'
import type { Limit } from './companion-server.ts'
import type { Decision } from './finish-job.ts'

export interface ChatInput {
  readonly chatId?: string | null | undefined
  readonly message: string
  readonly idempotencyKey?: string | null | undefined
}

export interface ChatResult {
  readonly chatId: string
  /** Null if rejected or no model is configured. */
  readonly reply: string | null
}

/**
 * A provider's failure is a failed job.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, NOT_FOUND, IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS
 */
export async function chatWithCompanion(ctx: CompanionContext, input: ChatInput): Promise<CompanionView<ChatResult>> {
  requireScope(ctx, CHAT_SCOPE)
  const { accountId } = requireAccount(ctx)
  checkText('/message', input.message, MAX_MESSAGE_CHARACTERS)
  const isNew = input.chatId === undefined || input.chatId === null
  const chatId = input.chatId ?? newId('chat', ctx.now())
  let history: readonly ChatMessage[] = []
  return runCompanionJob(ctx, {
    type: 'companion_chat',
    endpointKey: 'chat.companion',
    idempotencyKey: input.idempotencyKey,
    content: [input.chatId ?? null, input.message],
    context: { chatId },
    prepare: async () => {
      if (!isNew) history = await chatHistory(ctx, chatId)
    },
    perform: async (limit) => {
      const decision = await converse(ctx, { chatId, history, message: input.message }, limit)
      // A failed first message creates no chat.
      const commit = async (tx: PrismaTx) => {
        if (isNew) await insertChat(tx, chatId, accountId)
        else if (!(await touchChat(tx, chatId, ctx.now()))) return
        await decision.commit?.(tx)
      }
      return { ...decision, commit }
    },
  })
}

interface Exchange {
  readonly chatId: string
  readonly history: readonly ChatMessage[]
  readonly message: string
}

async function converse(
  ctx: CompanionContext,
  { chatId, history, message }: Exchange,
  limit: Limit,
): Promise<Decision<ChatResult>> {
  const { model, moderator } = ctx.companion
  const silent = { chatId, reply: null }
  const asked = await moderator.moderate(message, limit)
  if (asked.isProhibited) return { rejection: `The message ${asked.reason}.`, result: silent }
  if (model === null) return { rejection: null, result: silent }

  const reply = await model.complete([...history, { role: 'user', content: message }], limit)
  const said = await moderator.moderate(reply, limit)
  if (said.isProhibited) return { rejection: `The reply ${said.reason}.`, result: silent }
  const commit: Decision<ChatResult>['commit'] = (tx) => appendExchange(tx, chatId, { message, reply })
  return { rejection: null, result: { chatId, reply }, commit }
}
