import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { listening } from './listening.ts'

const MADE = `data:text/plain;base64,${Buffer.from('made').toString('base64')}`

/** The server's treatment of one prediction. Without any it makes the prediction at once. */
interface CogReply {
  /** Answers with this instead of predicting. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** How long the prediction takes. */
  readonly ms?: number
  /** It ends no earlier than this resolves. */
  readonly until?: Promise<unknown>
  /** Answers at once that it is at work: the caller has to ask for the end. */
  readonly polled?: boolean
  /** The connection ends without an answer while the prediction goes on. */
  readonly drops?: boolean
}

interface CogCall {
  readonly id: string
  readonly input: unknown
  readonly at: number
}

interface Running {
  status: 'processing' | 'succeeded' | 'canceled'
  readonly ended: PromiseWithResolvers<void>
}

export type CogServer = Awaited<ReturnType<typeof startCogServer>>

/**
 * A stand-in for a server that speaks the Cog HTTP API, on a port of its own or on a given one. A prediction goes on until it ends or
 * is cancelled, whichever client has hung up meanwhile.
 */
export async function startCogServer(port = 0) {
  const calls: CogCall[] = []
  const cancelled: string[] = []
  const predictions = new Map<string, Running>()
  let script: (call: CogCall, index: number) => CogReply = () => ({})
  let cancelGate: Promise<unknown> = Promise.resolve()
  let [running, most] = [0, 0]

  const run = async ({ ms = 0, until }: CogReply, one: Running): Promise<void> => {
    running++
    most = Math.max(most, running)
    await Promise.race([one.ended.promise, Promise.all([wait(ms), until])])
    if (one.status === 'processing') one.status = 'succeeded'
    running--
    one.ended.resolve()
  }

  const create = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, input } = JSON.parse((await buffer(request)).toString())
    const call = { id, input, at: performance.now() }
    calls.push(call)
    const reply = script(call, calls.length - 1)
    if (reply.status !== undefined) return send(response, reply.status, reply.body ?? {}, reply.headers)
    const one: Running = { status: 'processing', ended: Promise.withResolvers() }
    predictions.set(id, one)
    void run(reply, one)
    if (reply.drops === true) return void response.destroy()
    if (reply.polled === true) return send(response, 202, { id, status: 'starting' })
    await one.ended.promise
    send(response, 200, resultOf(id, one))
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, first, id = '', last] = (request.url ?? '').split('/')
    if (first === 'predictions' && id === '' && request.method === 'POST') return create(request, response)
    const one = predictions.get(decodeURIComponent(id))
    if (one === undefined || first !== 'predictions') return send(response, 404, { detail: 'Not Found' })
    if (last === 'cancel') {
      cancelled.push(id)
      await cancelGate
      if (one.status === 'processing') one.status = 'canceled'
      one.ended.resolve()
    }
    send(response, 200, resultOf(id, one))
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  const open = await listening(server, port)
  return {
    ...open,
    calls,
    /** Ids of the predictions that somebody asked to cancel. */
    cancelled,
    /** Predictions at work now, and the most that ever were at once. */
    running: () => running,
    mostRunning: () => most,
    /** Sets the next answers, by the call and the number of earlier calls. */
    answer: (next: typeof script) => {
      script = next
    },
    /** No cancellation is done, or answered, before this resolves. */
    cancelAfter: (gate: Promise<unknown>) => {
      cancelGate = gate
    },
    close: async () => {
      for (const one of predictions.values()) one.ended.resolve()
      await open.close()
    },
  }
}

const resultOf = (id: string, { status }: Running) => ({ id, status, ...(status === 'succeeded' && { output: MADE }) })

function send(response: ServerResponse, status: number, body: unknown, headers: CogReply['headers'] = {}): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
