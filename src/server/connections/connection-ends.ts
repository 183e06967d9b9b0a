import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The last request of a connection, and its response. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Ends connections so that no client misreads what it got of an answer.
 *
 * An answer that breaks off: HTTP/1.0 knows no chunks, so the connection's end is the body's, and half of a file would look whole. The
 * connection is reset instead, whoever breaks it off.
 *
 * An answer that is out before its request is: closing a connection with bytes that nobody has read resets it, and the client loses the
 * answer. What still comes is read, and thrown away, until the client has sent all or hangs up; node's limit of time for a whole request
 * ends those that do neither.
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
    // Node's way to close a connection whose answer is out.
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

/** Whether a request came behind one whose answer was its connection's last: it is not to be carried out. */
export const isBehindLast = ({ socket }: IncomingMessage): boolean => socket.writableEnded
