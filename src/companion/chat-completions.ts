import { EngineError } from '../engines/engine.ts'
import { CircuitBreaker, withRetryBudget } from '../engines/retry.ts'

/** UTF-16 units. */
const MAX_REPLY_CHARACTERS = 32_000
const TAG = /<(\/?)[ \t]*(?:think|thinking|thought|reasoning)(?:\s[^<>]{0,100})?>/gi

/** Other tags may belong to an answer about XML. */
const STRAY = /think/i
const MAX_ANSWER_BYTES = 1024 * 1024
const RETRY_BUDGET_MS = 2000
const LONGEST_PAUSE_MS = 1000

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly ContentPart[]
}

export interface ChatModel {
  /** @throws EngineError; or the signal's reason when aborted */
  complete(messages: readonly ChatMessage[], limit: Limit): Promise<string>
}

interface Options {
  /** With or without `/v1`. */
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | null
}

export interface Limit {
  readonly signal: AbortSignal
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number
}

interface Address {
  readonly url: string
  readonly apiKey: string | null
}

interface CompanionServer {
  /** @throws EngineError; or the signal's reason when aborted */
  ask(body: unknown, limit: Limit): Promise<unknown>
}

export async function openChatModel({ baseUrl, model, apiKey }: Options): Promise<ChatModel> {
  const server = await openCompanionServer({ url: v1Url(baseUrl, 'chat/completions'), apiKey })
  return {
    complete: async (messages, limit) =>
      replyOf(await server.ask({ model, messages: messages.map(composed), stream: false }, limit)),
  }
}

const composed = ({ role, content }: ChatMessage): ChatMessage => ({
  role,
  content: typeof content === 'string' ? content.normalize('NFC') : content,
})

function replyOf(answer: unknown): string {
  const { choices } = (answer ?? {}) as { choices?: unknown }
  const [choice] = Array.isArray(choices) ? choices : []
  const message = (choice as { message?: { content?: unknown; refusal?: unknown } } | undefined)?.message
  const text = withoutThoughts(textOf(message?.content)).trim() || textOf(message?.refusal)
  // PostgreSQL stores neither NUL nor unpaired surrogates.
  const clean = text.replaceAll('\0', '').slice(0, MAX_REPLY_CHARACTERS).toWellFormed().trim()
  if (clean === '') throw new EngineError('PROVIDER_UNAVAILABLE', 'the chat completion holds no text')
  return clean
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
}

/** Some servers open the first block themselves. */
export function withoutThoughts(reply: string): string {
  let [said, depth, from] = ['', 0, 0]
  for (const { 0: tag, 1: slash, index } of reply.matchAll(TAG)) {
    if (depth === 0) said += reply.slice(from, index)
    from = index + tag.length
    if (slash === '') depth++
    else if (depth > 0) depth--
    else if (STRAY.test(tag)) said = ''
    else from = index
  }
  return depth === 0 ? said + reply.slice(from) : said
}

/** Asks a busy or absent server again for 2 s, or as long as it says. */
export async function openCompanionServer({ url, apiKey }: Address): Promise<CompanionServer> {
  const { askServer } = await import('../engines/ask-server.ts')
  const breaker = new CircuitBreaker(undefined, LONGEST_PAUSE_MS)
  const what = url.slice(url.lastIndexOf('/v1/') + '/v1/'.length)
  const retryBudgetMs = { busy: RETRY_BUDGET_MS, away: RETRY_BUDGET_MS }
  return {
    ask: (body, { signal, deadline }) =>
      withRetryBudget({ retryBudgetMs, deadline, signal }, () =>
        breaker.run(() => askServer({ url, what, body, apiKey, signal, maxBytes: MAX_ANSWER_BYTES })),
      ),
  }
}

export const v1Url = (baseUrl: string, path: string): string =>
  `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/${path}`
