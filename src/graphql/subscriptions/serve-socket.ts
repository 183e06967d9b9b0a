import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, MessageType, type Server } from 'graphql-ws'
import { invalidRequest } from '../../errors/service-error.ts'
import { holdsMoreThan } from '../../http/json-size.ts'
import { extensionsOf } from '../http/errors.ts'
import { MAX_BODY_VALUES, MAX_UNKNOWN_MESSAGE_BYTES } from '../limits/limits.ts'
import type { Connected } from './connect-socket.ts'

/** A client that misses a ping is disconnected. */
const PING_EVERY_MS = 12_000
const MAX_UNSENT_BYTES = 4 * 2 ** 20
const PAUSING_BYTES = 2 ** 20
const MOST_MISSED_PAUSED = 4
const MAX_UNKNOWN_MESSAGES = 50
const CLOSING_MS = 5_000

export function serveSocket(server: Server<Connected['extra']>, socket: WebSocket, request: FastifyRequest): void {
  const stopPinging = ping(socket)
  socket.on('error', () => undefined)
  const extra = { socket, request, isKnown: false }
  const send = sender(socket)
  const receive = receiver(socket, extra, send)
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send,
      close: (code, reason) => close(socket, code, reason),
      onMessage: (onMessage) => void socket.on('message', (data: Buffer) => receive(data, onMessage)),
      onPing: ponger(send),
    },
    extra,
  )
  socket.once('close', (code, reason) => {
    stopPinging()
    void closed(code, String(reason))
  })
}

type Send = (data: string) => Promise<void>

const sender =
  (socket: WebSocket): Send =>
  (data) =>
    new Promise((resolve) =>
      socket.send(data, () => {
        if (socket.isPaused && socket.bufferedAmount < PAUSING_BYTES) socket.resume()
        resolve()
      }),
    )

function receiver(socket: WebSocket, extra: Connected['extra'], send: Send) {
  let unknown = 0
  return (data: Buffer, onMessage: (message: string) => Promise<void>): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount >= PAUSING_BYTES) socket.pause()
    const isTooMuch = !extra.isKnown && (data.length > MAX_UNKNOWN_MESSAGE_BYTES || ++unknown > MAX_UNKNOWN_MESSAGES)
    const refuse = () => close(socket, CloseCode.BadRequest, 'Invalid message received')
    if (isTooMuch) refuse()
    else if (holdsMoreThan(MAX_BODY_VALUES.caller, data)) refuseOperation(data, extra, send, refuse)
    else onMessage(String(data)).catch(refuse)
  }
}

function refuseOperation(data: Buffer, { request }: Connected['extra'], send: Send, refuse: () => void): void {
  const id = operationIn(data)
  if (id === null) {
    refuse()
    return
  }
  const error = invalidRequest(`Send a message of at most ${MAX_BODY_VALUES.caller} values.`)
  const payload = [{ message: error.message, extensions: extensionsOf(error, request.id) }]
  void send(JSON.stringify({ id, type: MessageType.Error, payload }))
}

function operationIn(data: Buffer): string | null {
  try {
    const { id, type } = JSON.parse(String(data)) as { readonly id?: unknown; readonly type?: unknown }
    return typeof id === 'string' && type === MessageType.Subscribe ? id : null
  } catch {
    return null
  }
}

/** Answers one ping at a time, so a client that does not read is owed one pong. */
function ponger(send: Send) {
  let isSending = false
  let owed: { readonly payload: unknown } | null = null
  return async (payload: unknown): Promise<void> => {
    owed = { payload }
    if (isSending) return
    isSending = true
    while (owed !== null) {
      const pong = JSON.stringify({ type: MessageType.Pong, ...(owed.payload !== undefined && owed) })
      owed = null
      await send(pong)
    }
    isSending = false
  }
}

function close(socket: WebSocket, code?: number, reason?: string): void {
  socket.close(code, reason)
  const timer = setTimeout(() => socket.terminate(), CLOSING_MS)
  socket.once('close', () => clearTimeout(timer))
}

function ping(socket: WebSocket): () => void {
  let missed = 0
  const timer = setInterval(() => {
    const most = socket.isPaused ? MOST_MISSED_PAUSED : 0
    if (missed > most || socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate()
    missed++
    socket.ping()
  }, PING_EVERY_MS)
  socket.on('pong', () => {
    missed = 0
  })
  return () => clearInterval(timer)
}
