import { EngineError } from '../engines/engine.ts'
import { type Limit, openCompanionServer, v1Url } from './companion-server.ts'
import { withoutThoughts } from './without-thoughts.ts'

/** UTF-16 units. */
const MAX_REPLY_CHARACTERS = 32_000

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
