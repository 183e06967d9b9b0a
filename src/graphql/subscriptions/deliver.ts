import type { WebSocket } from '@fastify/websocket'
import type { ExecutionResult } from 'graphql'
import { END, type PullStream } from '../../concurrency/pull-stream.ts'

const TEXT = { binary: false }
const jsons = new WeakMap<ExecutionResult, string>()

interface Delivery {
  readonly answers: PullStream<ExecutionResult>
  readonly socket: WebSocket
  readonly id: string
  readonly signal: AbortSignal
}

/** Sends each answer after the last one has left. graphql-ws sees the end alone, so an answer is serialised once for all subscribers. */
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
      socket.send(Buffer.from(`${head}${jsonOf(next.value)}}`), TEXT, onSent)
    }
  }
  return {
    next: () => {
      answers.onMore(send)
      send()
      return ended.promise
    },
  }
}

function jsonOf(result: ExecutionResult): string {
  const known = jsons.get(result)
  if (known !== undefined) return known
  const json = JSON.stringify(result)
  jsons.set(result, json)
  return json
}
