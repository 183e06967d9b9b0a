import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, type Server } from 'graphql-ws'
import { keepSocketAlive } from '../../http/web-sockets.ts'
import { MAX_UNKNOWN_MESSAGE_BYTES } from '../limits/limits.ts'
import type { Connected } from './connect-socket.ts'

const PAUSING_BYTES = 2 ** 20
const MAX_UNKNOWN_MESSAGES = 50
const CLOSING_MS = 5_000

export function serveSocket(server: Server<Connected['extra']>, socket: WebSocket, request: FastifyRequest): void {
  const stopPinging = keepSocketAlive(socket)
  socket.on('error', () => undefined)
  const extra = { socket, request, isKnown: false }
  const receive = receiver(socket, extra)
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: sender(socket),
      close: (code, reason) => close(socket, code, reason),
      onMessage: (onMessage) => void socket.on('message', (data: Buffer) => receive(data, onMessage)),
    },
    extra,
  )
  socket.once('close', (code, reason) => {
    stopPinging()
    void closed(code, String(reason))
  })
}

const sender =
  (socket: WebSocket) =>
  (data: string): Promise<void> =>
    new Promise((resolve) =>
      socket.send(data, () => {
        if (socket.isPaused && socket.bufferedAmount < PAUSING_BYTES) socket.resume()
        resolve()
      }),
    )

function receiver(socket: WebSocket, extra: Connected['extra']) {
  let unknown = 0
  return (data: Buffer, onMessage: (message: string) => Promise<void>): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount >= PAUSING_BYTES) socket.pause()
    const isTooMuch = !extra.isKnown && (data.length > MAX_UNKNOWN_MESSAGE_BYTES || ++unknown > MAX_UNKNOWN_MESSAGES)
    const refuse = () => close(socket, CloseCode.BadRequest, 'Invalid message received')
    if (isTooMuch) refuse()
    else onMessage(String(data)).catch(refuse)
  }
}

function close(socket: WebSocket, code?: number, reason?: string): void {
  socket.close(code, reason)
  const timer = setTimeout(() => socket.terminate(), CLOSING_MS)
  socket.once('close', () => clearTimeout(timer))
}
