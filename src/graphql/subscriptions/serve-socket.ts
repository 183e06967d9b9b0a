import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, type Server } from 'graphql-ws'
import { MAX_UNKNOWN_MESSAGE_BYTES } from '../limits/limits.ts'
import type { Connected } from './connect-socket.ts'

/** A client that has not answered a ping by the next one has disconnected, or does not read. */
const PING_EVERY_MS = 12_000
/** What may wait in this process for a socket whose client reads slowly. */
const MAX_UNSENT_BYTES = 4 * 2 ** 20

/** Has graphql-ws serve a socket until it closes. */
export function serveSocket(server: Server<Connected['extra']>, socket: WebSocket, request: FastifyRequest): void {
  const stopPinging = ping(socket)
  // A frame that is too large or no frame at all: ws closes the socket with the fitting code by itself.
  socket.on('error', () => undefined)
  const extra = { socket, request, isKnown: false }
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // Settles when the bytes have left: a subscription is not read on before.
      send: (data) => new Promise((resolve) => socket.send(data, () => resolve())),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (onMessage) => {
        socket.on('message', (data: Buffer) => {
          if (!extra.isKnown && data.length > MAX_UNKNOWN_MESSAGE_BYTES) {
            return socket.close(CloseCode.BadRequest, 'Invalid message received')
          }
          onMessage(String(data)).catch(() => socket.close(CloseCode.BadRequest, 'Invalid message received'))
        })
      },
    },
    extra,
  )
  socket.once('close', (code, reason) => {
    stopPinging()
    void closed(code, String(reason))
  })
}

function ping(socket: WebSocket): () => void {
  let alive = true
  const timer = setInterval(() => {
    if (!alive || socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate()
    alive = false
    socket.ping()
  }, PING_EVERY_MS)
  socket.on('pong', () => {
    alive = true
  })
  return () => clearInterval(timer)
}
