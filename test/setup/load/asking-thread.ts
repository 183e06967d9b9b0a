import { once } from 'node:events'
import { connect } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Call, call } from '../http.ts'
import { openRawSocket } from './raw-socket.ts'

/** A question over HTTP, by raw bytes to a port (the first answer counts), or by an operation over an open socket. */
export type Question =
  | { readonly url: string; readonly options: Call }
  | { readonly port: number; readonly bytes: string }
  | { readonly serviceUrl: string; readonly key: string; readonly operation: string }

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks from a thread of its own, so that the processor time of the thread that serves is the service's alone. */
export interface AskingThread {
  /** Takes the question over; each call asks it once, and of this thread costs no more than a message. */
  take(question: Question): Promise<() => Promise<Answer>>
  close(): Promise<number>
}

export function startAskingThread(): AskingThread {
  const worker = new Worker(new URL(import.meta.url))
  const answered = async (message: unknown) => {
    worker.postMessage(message)
    const [answer] = (await once(worker, 'message')) as [Answer | Error]
    if (answer instanceof Error) throw answer
    return answer
  }
  return {
    take: async (question) => {
      await answered(question)
      return () => answered(null)
    },
    close: () => worker.terminate(),
  }
}

/** The first bytes that come back. */
async function answerTo(port: number, bytes: string): Promise<Answer> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  const text = first.toString('latin1')
  return { status: Number(text.split(' ')[1]), text }
}

/** Returns a function that asks the question each time. */
async function prepare(question: Question): Promise<() => Promise<Answer>> {
  if ('bytes' in question) return () => answerTo(question.port, question.bytes)
  if ('operation' in question) {
    const socket = await openRawSocket(question.serviceUrl, question.key)
    return async () => ({ status: 101, text: JSON.stringify(await socket.ask(question.operation)) })
  }
  return async () => {
    const { status, text } = await call(question.url, question.options)
    return { status, text }
  }
}

function serve(port: NonNullable<typeof parentPort>): void {
  let ask: (() => Promise<Answer>) | undefined
  const answer = async (question: Question | null) => {
    if (question === null) return ask!()
    ask = await prepare(question)
    return null
  }
  port.on('message', async (message: Question | null) =>
    port.postMessage(await answer(message).catch((error: Error) => error)),
  )
}

if (!isMainThread && parentPort !== null) serve(parentPort)
