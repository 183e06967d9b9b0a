import { requireAccount } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { unknownId } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import type { ChatMessage } from './chat-completions.ts'

const MAX_TURNS = 40
/** UTF-16 units. */
const MAX_HISTORY_CHARACTERS = 24_000

/** @throws NOT_FOUND */
export async function requireChat(ctx: Context, chatId: string): Promise<void> {
  if (!isId('chat', chatId)) throw unknownId('chat')
  const where = { id: chatId, accountId: requireAccount(ctx).accountId }
  if ((await ctx.db.prisma.companionChat.findFirst({ where, select: { id: true } })) === null) throw unknownId('chat')
}

export async function insertChat(tx: PrismaTx, chatId: string, accountId: string): Promise<void> {
  await tx.companionChat.create({ data: { id: chatId, accountId }, select: { id: true } })
}

/**
 * Persona and kept messages in order, for the model.
 * @throws NOT_FOUND
 */
export async function chatHistory(ctx: Context, chatId: string): Promise<ChatMessage[]> {
  if (!isId('chat', chatId)) throw unknownId('chat')
  const chat = await ctx.db.prisma.companionChat.findFirst({
    where: { id: chatId, accountId: requireAccount(ctx).accountId },
    select: { persona: true, turns: { orderBy: { position: 'desc' }, take: MAX_TURNS } },
  })
  if (chat === null) throw unknownId('chat')
  const turns: ChatMessage[] = []
  let characters = 0
  for (const { role, content } of chat.turns) {
    characters += content.length
    if (characters > MAX_HISTORY_CHARACTERS) break
    turns.unshift({ role, content })
  }
  if (turns[0]?.role === 'assistant') turns.shift()
  return chat.persona === null ? turns : [{ role: 'system', content: chat.persona }, ...turns]
}

/** False if the chat was deleted meanwhile. */
export async function touchChat(tx: PrismaTx, chatId: string, now: Date): Promise<boolean> {
  return (await tx.companionChat.updateMany({ where: { id: chatId }, data: { updatedAt: now } })).count === 1
}

/** Adds an exchange and deletes old messages. The row lock orders concurrent calls. */
export async function appendExchange(
  tx: PrismaTx,
  chatId: string,
  { message, reply }: { readonly message: string; readonly reply: string },
): Promise<void> {
  await lockRow(tx, 'companion_chat', chatId)
  const { _max } = await tx.companionTurn.aggregate({ where: { chatId }, _max: { position: true } })
  const last = (_max.position ?? 0) + 2
  await tx.companionTurn.createMany({
    data: [
      { chatId, position: last - 1, role: 'user', content: message },
      { chatId, position: last, role: 'assistant', content: reply },
    ],
  })
  await tx.companionTurn.deleteMany({ where: { chatId, position: { lte: last - MAX_TURNS } } })
}

export async function setPersona(tx: PrismaTx, chatId: string, persona: string): Promise<void> {
  await tx.companionChat.updateMany({ where: { id: chatId }, data: { persona } })
}
