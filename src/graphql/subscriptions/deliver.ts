import type { WebSocket } from '@fastify/websocket'
import type { ExecutionResult } from 'graphql'
import { END, type PullStream } from '../../concurrency/pull-stream.ts'

const TEXT = { binary: false }
const jsons = new WeakMap<ExecutionResult, string>()

/** A subscription's answers on their way to the client that follows it. */
interface Delivery {
  readonly answers: PullStream<ExecutionResult>
  readonly socket: WebSocket
  /** The client's id of the operation. */
  readonly id: string
  /** Aborted when the client completes the operation, or disconnects. */
  readonly signal: AbortSignal
}

/**
 * Sends the answers as they come, one after the other: none before the last one has left this process. What graphql-ws is given to read
 * has nothing but the end: it would take several promises, and write the answer anew, for each answer of each subscriber.
 */
export function deliver({ answers, socket, id, signal }: Delivery): AsyncIterator<never, undefined> {
  const ended = Promise.withResolvers<typeof END>()
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
  let sending = false
  const onSent = (): void => {
    sending = false
    send()
  }
  const send = (): void => {
    while (!sending && !signal.aborted) {
      const next = answers.take()
      if (next?.done === true) ended.resolve(END)
      if (next === null || next.done === true) return
      sending = true
      // ws writes a string in two pieces of different kinds, which takes a quarter more than bytes do.
      socket.send(Buffer.from(`${head}${jsonOf(next.value)}}`), TEXT, onSent)
    }
  }
  return {
    // From here on graphql-ws ends it with its operation.
    next: () => {
      answers.onMore(send)
      send()
      return ended.promise
    },
  }
}

/** Written once for all subscribers that are answered with it. */
function jsonOf(result: ExecutionResult): string {
  const known = jsons.get(result)
  if (known !== undefined) return known
  const json = JSON.stringify(result)
  jsons.set(result, json)
  return json
}
