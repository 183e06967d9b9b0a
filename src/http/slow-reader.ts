import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const waiting = new WeakSet<Socket>()

/** Has the connection kept for as long as its client needs for this response: what sends it has a limit of its own. */
export function waitForReader(response: ServerResponse): void {
  const { socket } = response.req
  waiting.add(socket)
  response.once('close', () => waiting.delete(socket))
}

/** Whether a response on this connection waits for its reader, however slow that is. */
export const waitsForReader = (socket: Socket): boolean => waiting.has(socket)
