import { type Context, requireScope } from '../context.ts'
import { newId } from '../id.ts'
import { appendExchange, chatHistory, insertChat, requireChat } from './chat.ts'
import { checkText } from './check-text.ts'
import { CHAT_SCOPE, MAX_MESSAGE_CHARACTERS } from './companion.ts'
import { type CompanionView, type Decision, runCompanionJob } from './companion-job.ts'
import type { Limit } from './companion-server.ts'

export interface ChatInput {
  /** Absent: a new chat. */
  readonly chatId?: string | null | undefined
  readonly message: string
  readonly idempotencyKey?: string | null | undefined
}

export interface ChatResult {
  readonly chatId: string
  /** null when the message or the reply was rejected, or no model is configured. */
  readonly reply: string | null
}

/**
 * Says something to the companion and waits for its reply (contract.md section 8). The message is moderated before the model sees
 * it, the reply before the caller does; only an exchange that passed becomes part of the chat. A provider that fails is a failed
 * job, not an exception.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, NOT_FOUND, IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS
 */
export async function chatWithCompanion(ctx: Context, input: ChatInput): Promise<CompanionView<ChatResult>> {
  requireScope(ctx, CHAT_SCOPE)
  checkText('/message', input.message, MAX_MESSAGE_CHARACTERS)
  const isNew = input.chatId === undefined || input.chatId === null
  const chatId = input.chatId ?? newId('chat')
  if (!isNew) await requireChat(ctx, chatId)
  return runCompanionJob(ctx, {
    type: 'companion_chat',
    endpointKey: 'chat.companion',
    idempotencyKey: input.idempotencyKey,
    content: [input.chatId ?? null, input.message],
    context: { chatId },
    ...(isNew && { begin: (tx, accountId) => insertChat(tx, chatId, accountId) }),
    perform: (limit) => converse(ctx, chatId, input.message, limit),
  })
}

async function converse(ctx: Context, chatId: string, message: string, limit: Limit): Promise<Decision<ChatResult>> {
  const { model, moderator } = ctx.companion
  const silent = { chatId, reply: null }
  const asked = await moderator.moderate(message, limit)
  if (asked.isProhibited) return { rejection: `The message ${asked.reason}.`, result: silent }
  if (model === null) return { rejection: null, result: silent }

  const reply = await model.complete([...(await chatHistory(ctx, chatId)), { role: 'user', content: message }], limit)
  const said = await moderator.moderate(reply, limit)
  if (said.isProhibited) return { rejection: `The reply ${said.reason}.`, result: silent }
  const commit: Decision<ChatResult>['commit'] = (tx) => appendExchange(tx, chatId, message, reply)
  return { rejection: null, result: { chatId, reply }, commit }
}
