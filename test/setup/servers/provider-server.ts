import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The stand-in's treatment of one request. */
export interface Script {
  readonly status?: number
  /** Goes out as JSON; a string or Buffer as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The answer waits for this. */
  readonly until?: Promise<unknown>
  /** Never answers; the caller has to give up. */
  readonly hang?: boolean
  /** Sends the head and half of the body, then cuts the connection. */
  readonly cut?: boolean
}

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
  /** Tells if the caller hung up before there was an answer. */
  readonly aborted: () => boolean
}

type Handler = Script | ((request: Received) => Script)
export type ProviderServer = Awaited<ReturnType<typeof startProviderServer>>

/**
 * Stands in for the servers of the other producers: chat completions, moderations and Cog on one port. Without a script it echoes
 * the last message, lets everything pass, and makes a small text file.
 */
export async function startProviderServer() {
  const received: Received[] = []
  const scripts = new Map<string, Handler>()
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [path = '', method = ''] = [request.url, request.method]
    const body = parse(Buffer.concat(chunks).toString())
    const one: Received = { method, path, headers: request.headers, body, aborted: () => gone }
    let gone = false
    response.once('close', () => {
      gone = !response.writableFinished
    })
    received.push(one)
    const handler = scripts.get(path) ?? DEFAULTS[path] ?? { status: 404, body: {} }
    const script = typeof handler === 'function' ? handler(one) : handler
    await script.until
    if (script.hang !== true && !response.destroyed) answer(response, script)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    /** The requests of one path. */
    of: (path: string) => received.filter((one) => one.path === path),
    script: (path: string, handler: Handler) => scripts.set(path, handler),
    /** Forgets scripts and requests. */
    reset: () => {
      scripts.clear()
      received.length = 0
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function answer(response: ServerResponse, { status = 200, body, headers, cut }: Script): void {
  const bytes = typeof body === 'string' || body instanceof Buffer ? Buffer.from(body) : JSON.stringify(body ?? {})
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(bytes),
    ...headers,
  })
  if (cut !== true) return void response.end(bytes)
  response.write(bytes.slice(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export interface Message {
  role: string
  content: string
}

export const chatAnswer = (content: unknown): Script => ({ body: { choices: [{ message: { content } }] } })
export const verdict = (flagged: boolean, categories: Record<string, boolean> = {}): Script => ({
  body: { id: 'modr-1', model: 'stand-in', results: [{ flagged, categories }] },
})
export const prediction = (output: unknown, seconds = 1.5): Script => ({
  body: { id: 'prediction-1', status: 'succeeded', output, metrics: { predict_time: seconds } },
})

const DEFAULTS: Readonly<Record<string, Handler>> = {
  '/v1/chat/completions': ({ body }) =>
    chatAnswer(`echo: ${(body as { messages: Message[] }).messages.at(-1)?.content}`),
  '/v1/moderations': verdict(false),
  '/predictions': prediction(`data:text/plain;base64,${Buffer.from('made').toString('base64')}`),
}
