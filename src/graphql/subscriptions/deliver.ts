import type { WebSocket } from '@fastify/websocket'
import type { ExecutionResult } from 'graphql'
import { END, type PullStream } from '../../concurrency/pull-stream.ts'

const jsons = new WeakMap<ExecutionResult, string>()

/**
 * Sends a subscription's answers as they come, and one after the other: none before the last one has left this process. What graphql-ws
 * is given to read holds nothing but the end, as it would take several promises for each answer of each subscriber.
 */
export function deliver(
  answers: PullStream<ExecutionResult>,
  socket: WebSocket,
  id: string,
): AsyncIterableIterator<never> {
  const ended = Promise.withResolvers<typeof END>()
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
  let sending = false
  let completed = false
  const onSent = (): void => {
    sending = false
    send()
  }
  const send = (): void => {
    while (!sending && !completed) {
      const next = answers.take()
      if (next?.done === true) ended.resolve(END)
      if (next === null || next.done === true) return
      sending = true
      socket.send(`${head}${jsonOf(next.value)}}`, onSent)
    }
  }
  const iterator: AsyncIterableIterator<never> = {
    // From here on graphql-ws knows of it.
    next: () => {
      answers.onMore(send)
      send()
      return ended.promise
    },
    // The end is not told then: graphql-ws would take it for that of the next operation with this id.
    return: () => {
      completed = true
      return answers.return()
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

/** Written once for all who are answered with it. */
function jsonOf(result: ExecutionResult): string {
  const known = jsons.get(result)
  if (known !== undefined) return known
  const json = JSON.stringify(result)
  jsons.set(result, json)
  return json
}
