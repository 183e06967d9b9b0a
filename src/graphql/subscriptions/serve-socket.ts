import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, MessageType, type Server } from 'graphql-ws'
import { invalidRequest } from '../../errors/service-error.ts'
import { holdsMoreThan } from '../../http/json-size.ts'
import { extensionsOf } from '../http/errors.ts'
import { MAX_BODY_VALUES, MAX_UNKNOWN_MESSAGE_BYTES } from '../limits/limits.ts'
import type { Connected } from './connect-socket.ts'

/** A client that has not answered a ping by the next one has disconnected, or does not read. */
const PING_EVERY_MS = 12_000
/** What may wait in this process for a socket whose client reads slowly. */
const MAX_UNSENT_BYTES = 4 * 2 ** 20
/** With so much waiting nothing more is read from the client: what it sends may ask for more. */
const PAUSING_BYTES = 2 ** 20
/** Pings: nothing is read from a client that reads slowly, its pongs neither. A minute is what other readers have. */
const MOST_MISSED_PAUSED = 4
/** Of a client that is not known yet: it has one thing to say. */
const MAX_UNKNOWN_MESSAGES = 50
/** How long a client has to answer the end of its socket. */
const CLOSING_MS = 5_000

/** Has graphql-ws serve a socket until it closes. */
export function serveSocket(server: Server<Connected['extra']>, socket: WebSocket, request: FastifyRequest): void {
  const stopPinging = ping(socket)
  // A frame that is too large or no frame at all: ws closes the socket with the fitting code by itself.
  socket.on('error', () => undefined)
  const extra = { socket, request, isKnown: false }
  const send = sender(socket)
  const receive = receiver(socket, extra, send)
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // Settles when the bytes have left: a subscription is not read on before.
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

/** Settles when the bytes have left, and has the client read from again once little is left. */
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
    // What comes after the service has closed it was sent before the client knew.
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount >= PAUSING_BYTES) socket.pause()
    const isTooMuch = !extra.isKnown && (data.length > MAX_UNKNOWN_MESSAGE_BYTES || ++unknown > MAX_UNKNOWN_MESSAGES)
    const refuse = () => close(socket, CloseCode.BadRequest, 'Invalid message received')
    if (isTooMuch) refuse()
    else if (holdsMoreThan(MAX_BODY_VALUES.caller, data)) refuseOperation(data, extra, send, refuse)
    else onMessage(String(data)).catch(refuse)
  }
}

/** Answers an operation of too many values with the error that a request's body gets: nothing of it is looked through. */
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

/** The id of the operation that a message begins; null where it is another message, or none. */
function operationIn(data: Buffer): string | null {
  try {
    const { id, type } = JSON.parse(String(data)) as { readonly id?: unknown; readonly type?: unknown }
    return typeof id === 'string' && type === MessageType.Subscribe ? id : null
  } catch {
    return null
  }
}

/** One pong at a time, and then one for the last ping that came meanwhile: a client that sends pings without reading is owed no more. */
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

/** For good: a client that does not answer it has no socket soon. */
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
