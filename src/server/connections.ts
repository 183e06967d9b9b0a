import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'

const IDLE_EVERY_MS = 100
/** Long, because kernel buffers hold megabytes: until a slow reader has emptied a third of them, it seems stalled. */
export const STALLED_READER_MS = 300_000

const POLLS = 6
const PIECE_BYTES = 64 * 1024

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Stall {
  readonly since: number
  /** Bytes that the kernel has accepted. */
  readonly written: number
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

/**
 * When the server closes, ends idle connections repeatedly and all connections after the grace time.
 * @param isSending whether any connection has unsent bytes: Node.js would treat it as idle and drop them
 */
export function hangUpWhileClosing(app: FastifyInstance, graceMs: number, isSending: () => boolean): void {
  const { server } = app
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    if (!isSending()) closeIdle()
  }
  app.addHook('preClose', async () => {
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS)
    server.once('close', () => {
      clearTimeout(grace)
      clearInterval(idle)
    })
  })
}

/** Sends long bodies in pieces, because Node.js does not show how much of one write the kernel has taken. */
export function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isWhole || payload.length <= PIECE_BYTES || request.method === 'HEAD') return done(null, payload)
    const bytes = Buffer.from(payload as string)
    reply.header('content-length', bytes.length)
    done(null, Readable.from(piecesOf(bytes), { objectMode: false }))
  })
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/**
 * Breaks off a stream whose length differs from its Content-Length.
 * Otherwise a client takes bytes of the next answer for the rest of this one.
 */
export function breakMiscountedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const length = payload instanceof Readable ? reply.getHeader('content-length') : undefined
    if (length === undefined || request.method === 'HEAD') return done(null, payload)
    done(null, counted(payload as Readable, Number(length)))
  })
}

function counted(source: Readable, length: number): Readable {
  let left = length
  const miscounted = () => new Error(`a body of ${length} bytes has ${length - left}`)
  const through = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      left -= chunk.length
      if (left < 0) done(miscounted())
      else done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : miscounted()),
  })
  source.once('error', (error) => through.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) through.destroy(miscounted())
  })
  through.once('close', () => source.destroy())
  return source.pipe(through)
}

/**
 * Closes connections of which the kernel takes no piece of a waiting answer for `afterMs`.
 * A socket timeout does not serve here: bytes that the client sends would restart it.
 * @returns whether any connection has unread bytes
 */
export function endStalledReaders(server: Server, afterMs: number): () => boolean {
  const open = new Map<Socket, Stall | null>()
  server.on('connection', (socket) => {
    open.set(socket, null)
    socket.once('close', () => open.delete(socket))
  })
  const poll = (): void => {
    const now = performance.now()
    for (const [socket, before] of open) {
      const stall = stallOf(socket, before, now)
      if (stall !== null && now - stall.since >= afterMs) socket.destroy()
      else open.set(socket, stall)
    }
  }
  const timer = setInterval(poll, afterMs / POLLS).unref()
  server.once('close', () => clearInterval(timer))
  return () => [...open.keys()].some(({ writableLength }) => writableLength > 0)
}

function stallOf({ bytesWritten, writableLength }: Socket, before: Stall | null, now: number): Stall | null {
  if (writableLength === 0) return null
  const written = bytesWritten - writableLength
  return before?.written === written ? before : { since: now, written }
}
