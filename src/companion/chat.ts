import { requireAccount } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { notFound } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import type { ChatMessage } from './chat-completions.ts'

/** Messages of a chat that are kept, the caller's and the companion's together: an exchange is two. */
const MAX_TURNS = 40
/** UTF-16 units of kept messages that are sent to the model; older ones are left out first. */
const MAX_HISTORY_CHARACTERS = 24_000

/** Makes sure that a chat is the caller's account's own. @throws NOT_FOUND */
export async function requireChat(ctx: Context, chatId: string): Promise<void> {
  if (!isId('chat', chatId)) throw notFound()
  const where = { id: chatId, accountId: requireAccount(ctx).accountId }
  if ((await ctx.db.prisma.companionChat.findFirst({ where, select: { id: true } })) === null) throw notFound()
}

export async function insertChat(tx: Tx, chatId: string, accountId: string): Promise<void> {
  await tx.query('insert into companion_chat (id, account_id) values ($1, $2)', [chatId, accountId])
}

/** What the model is shown before the newest message: the persona, and the last messages in their order. */
export async function chatHistory(ctx: Context, chatId: string): Promise<ChatMessage[]> {
  const chat = await ctx.db.prisma.companionChat.findUniqueOrThrow({
    where: { id: chatId },
    select: { persona: true, turns: { orderBy: { position: 'desc' }, take: MAX_TURNS } },
  })
  const turns: ChatMessage[] = []
  let characters = 0
  for (const { role, content } of chat.turns) {
    characters += content.length
    if (characters > MAX_HISTORY_CHARACTERS) break
    turns.unshift({ role, content })
  }
  // A conversation starts with the caller: a reply without its question is left out, too.
  if (turns[0]?.role === 'assistant') turns.shift()
  return chat.persona === null ? turns : [{ role: 'system', content: chat.persona }, ...turns]
}

/** Adds an exchange at the end of a chat and drops what is too old. Two at once follow each other. */
export async function appendExchange(tx: Tx, chatId: string, message: string, reply: string): Promise<void> {
  await tx.query('select from companion_chat where id = $1 for update', [chatId])
  const { rows } = await tx.query<{ last: number }>(
    `with last as (select coalesce(max(position), 0) as position from companion_turn where chat_id = $1)
     insert into companion_turn (chat_id, position, role, content)
     select $1, last.position + 1, 'user'::companion_role, $2 from last
     union all select $1, last.position + 2, 'assistant', $3 from last
     returning position as last`,
    [chatId, message, reply],
  )
  const last = Math.max(...rows.map((row) => row.last))
  await tx.query('delete from companion_turn where chat_id = $1 and position <= $2', [chatId, last - MAX_TURNS])
}

export async function setPersona(tx: Tx, chatId: string, persona: string): Promise<void> {
  await tx.query('update companion_chat set persona = $2 where id = $1', [chatId, persona])
}
