import { requireAccount, requireScope } from '../access/require.ts'
import { CHAT_SCOPE, RETARGET_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { lockRowIn } from '../db/lock-row.ts'
import { invalidRequest, unknownId } from '../errors/service-error.ts'
import { isId, newId } from '../values/id.ts'
import { findUnstorable } from '../values/json.ts'
import type { ChatMessage, Limit } from './chat-completions.ts'
import { type CompanionContext, MAX_MESSAGE_CHARACTERS, MAX_PERSONA_CHARACTERS } from './companion.ts'
import { type CompanionView, type Decision, runCompanionJob } from './companion-job.ts'

const SET_PERSONA = 'update companion_chat set persona = $2 where id = $1'
const MAX_TURNS = 40
/** UTF-16 units. */
const MAX_HISTORY_CHARACTERS = 24_000

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

export interface RetargetInput {
  readonly chatId: string
  readonly persona: string
  readonly idempotencyKey?: string | null | undefined
}

export interface RetargetResult {
  readonly chatId: string
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
      const commit = async (tx: Tx) => {
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

/** @throws NOT_FOUND */
async function requireChat(ctx: Context, chatId: string): Promise<void> {
  if (!isId('chat', chatId)) throw unknownId('chat')
  const where = { id: chatId, accountId: requireAccount(ctx).accountId }
  if ((await ctx.db.prisma.companionChat.findFirst({ where, select: { id: true } })) === null) throw unknownId('chat')
}

async function insertChat(tx: Tx, chatId: string, accountId: string): Promise<void> {
  await tx.query('insert into companion_chat (id, account_id) values ($1, $2)', [chatId, accountId])
}

/**
 * Persona and kept messages in order, for the model.
 * @throws NOT_FOUND
 */
async function chatHistory(ctx: Context, chatId: string): Promise<ChatMessage[]> {
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
async function touchChat(tx: Tx, chatId: string, now: Date): Promise<boolean> {
  return (await tx.query('update companion_chat set updated_at = $2 where id = $1', [chatId, now])).rowCount === 1
}

const APPEND = `
  with last as (select coalesce(max(position), 0) as position from companion_turn where chat_id = $1), dropped as (
    delete from companion_turn where chat_id = $1 and position <= (select position from last) + 2 - ${MAX_TURNS}
  )
  insert into companion_turn (chat_id, position, role, content)
  select $1, last.position + turn.nth, turn.role, turn.content
  from last, (values (1, 'user'::companion_role, $2), (2, 'assistant', $3)) as turn (nth, role, content)`

/** Adds an exchange and deletes old messages. The row lock orders concurrent calls. */
async function appendExchange(
  tx: Tx,
  chatId: string,
  { message, reply }: { readonly message: string; readonly reply: string },
): Promise<void> {
  await lockRowIn(tx, 'companion_chat', chatId)
  await tx.query(APPEND, [chatId, message, reply])
}

/** @throws INVALID_REQUEST above the limit in Unicode code points */
function checkText(path: string, text: string, maxCharacters: number): void {
  const message = complaint(text, maxCharacters)
  if (message !== null) throw invalidRequest('Invalid request: see `details`.', [{ path, message }])
}

function complaint(text: string, maxCharacters: number): string | null {
  if (text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters)) {
    return `must have at most ${maxCharacters} characters`
  }
  if (text.trim() === '') return 'must hold a character that is not white space'
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
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
      const commit = async (tx: Tx) => {
        const isThere = await touchChat(tx, chatId, ctx.now())
        if (isThere && rejection === null) await tx.query(SET_PERSONA, [chatId, persona])
      }
      return { rejection, result: { chatId }, commit }
    },
  })
}
