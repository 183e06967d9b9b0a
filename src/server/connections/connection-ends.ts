import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Ends connections so that no client misreads a partial answer.
 * HTTP/1.0 ends a body with the connection, so the server resets a broken answer.
 * If an answer precedes the end of its request, the server reads the rest: closing would lose the answer.
 */
export function mendConnectionEnds(server: Server): void {
  const exchanges = new WeakMap<Socket, Exchange>()
  const note = (request: IncomingMessage, response: ServerResponse) =>
    exchanges.set(request.socket, { request, response })
  server.on('request', note).on('checkExpectation', note)
  server.on('connection', (socket) => {
    const [destroy, destroySoon] = [socket.destroy, socket.destroySoon]
    let isReset = false
    socket.destroy = (error) => {
      if (isReset || !isCutShort(exchanges.get(socket))) return destroy.call(socket, error)
      isReset = true
      return socket.resetAndDestroy()
    }
    socket.destroySoon = () => {
      const request = exchanges.get(socket)?.request
      if (request === undefined || request.complete || !socket.readable) return destroySoon.call(socket)
      socket.end()
      request.once('end', () => destroySoon.call(socket)).resume()
    }
  })
}

const isCutShort = (exchange: Exchange | undefined): boolean =>
  exchange !== undefined &&
  exchange.request.httpVersionMinor === 0 &&
  exchange.response.headersSent &&
  !exchange.response.writableFinished

/** True for a request that follows the connection's last answer. The server must not execute it. */
export const isBehindLast = ({ socket }: IncomingMessage): boolean => socket.writableEnded
